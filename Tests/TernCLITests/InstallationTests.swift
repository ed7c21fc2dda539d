import ArgumentParser
import SternaPlatform
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// What is installed with the program: a manual page, and the completions of shells.
@Suite("tern: installation", .timeLimit(.minutes(5)))
struct InstallationTests {
    @Test("The script installs the program, its manual page and the completions") func installs() async throws {
        let folder = try TemporaryFolder()
        let package = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let outcome = try await TernProcess(
            [TernProcess.path, folder.path("prefix")], program: "\(package)/scripts/install-tern"
        ).outcome()
        expectEqual(outcome.status, 0, "\(outcome.errors)")
        for (name, part) in [
            ("man/man1/tern.1", ".TH TERN 1"), ("bash-completion/completions/tern", "complete -o filenames"),
            ("zsh/site-functions/_tern", "#compdef tern"),
            ("fish/vendor_completions.d/tern.fish", "complete -c 'tern'"),
        ] {
            let content = try #require(folder.content("prefix/share/\(name)"), "\(name)")
            #expect(String(decoding: content, as: UTF8.self).contains(part), "\(name)")
        }
        let version = try await TernProcess(["--version"], program: folder.path("prefix/bin/tern")).outcome()
        expectEqual(version.status, 0)
    }

    @Test("Completions know the options of requests and the commands", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) throws {
        let script = try CommandTree.completions(for: shell)
        for word in ["timeline", "upload-file", "no-config", "transfers", "bench"] {
            #expect(script.contains(word), "\(word)")
        }
        #expect(!script.contains("url-number"))
    }

    @Test("bash completes an option of a request, a command, and an option of a command") func bash() async throws {
        let folder = try TemporaryFolder()
        try folder.write(try CommandTree.completions(for: "bash"), to: "script")
        for (words, expected) in [
            ("--timel", "--timeline"), ("transf", "transfers"), ("download --seg", "--segments"),
            ("transfers res", "resume"),
        ] {
            let count = words.split(separator: " ").count
            let script = """
                source '\(folder.path("script"))'
                COMP_WORDS=(tern \(words)) COMP_CWORD=\(count) COMP_LINE='tern \(words)' COMP_POINT=${#COMP_LINE}
                _tern tern "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let outcome = try await TernProcess(["-c", script], program: "/bin/bash").outcome()
            #expect(
                outcome.text.split(separator: "\n").contains(Substring(expected)),
                "\(words): \(outcome.text)\(outcome.errors)")
        }
    }

    /// Lines to complete, and what they are completed to. Options of requests stand anywhere, commands only in front.
    private static let lines: [(line: String, expected: String, other: String)] = [
        ("tern --he", "--headers", "--segments"), ("tern get --timel", "--timeline", "transfers"),
        ("tern GET http://a/ --timel", "--timeline", "transfers"),
        ("tern -o x http://a/ --timel", "--timeline", "transfers"),
        ("tern tra", "transfers", "--timeline"), ("tern GET tra", "", "transfers"),
        ("tern transfers re", "resume", "transfers"), ("tern download --seg", "--segments", "--timeline"),
        ("tern download --http1.1 --seg", "--segments", "--timeline"), ("tern --auth-type d", "digest", "download"),
        ("tern GET --auth-type d", "digest", "download"), ("tern http://a/ --http1.1 --timel", "--timeline", "--http2"),
    ]

    @Test("bash completes each line") func bashLines() async throws {
        let folder = try TemporaryFolder()
        try folder.write(try CommandTree.completions(for: "bash"), to: "script")
        var script = "source '\(folder.path("script"))'\n"
        for (line, _, _) in Self.lines {
            script += """
                COMP_WORDS=(\(line)) COMP_LINE='\(line)' COMP_POINT=\(line.utf8.count) COMPREPLY=()
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                _tern tern "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
                echo "= ${COMPREPLY[*]}"

                """
        }
        let outcome = try await TernProcess(["-c", script], program: "/bin/bash").outcome()
        Self.check(outcome)
    }

    @Test("fish completes each line", .enabled(if: access("/usr/bin/fish", X_OK) == 0)) func fishLines() async throws {
        let folder = try TemporaryFolder()
        try folder.write(try CommandTree.completions(for: "fish"), to: "script")
        var script = "source '\(folder.path("script"))'\n"
        for (line, _, _) in Self.lines {
            script += "echo = (complete -C '\(line)' | string replace -r '\\t.*' '')\n"
        }
        // fish makes a folder for its variables.
        let home = ["HOME": folder.path, "XDG_CONFIG_HOME": folder.path, "XDG_DATA_HOME": folder.path]
        let outcome = try await TernProcess(
            ["--no-config", "-c", script], environment: home, program: "/usr/bin/fish"
        ).outcome()
        Self.check(outcome)
    }

    private static func check(_ outcome: TernProcess.Outcome) {
        expectEqual(outcome.errors, "")
        let found = outcome.text.split(separator: "\n").map { $0.dropFirst(2).split(separator: " ").map(String.init) }
        expectEqual(found.count, lines.count, "\(outcome.text)")
        for (words, (line, expected, other)) in zip(found, lines) {
            expectEqual(expected.isEmpty || words.contains(expected), true, "\(line): \(words)")
            #expect(!words.contains(other), "\(line): \(words)")
        }
    }

    @Test("The script of zsh completes options after a method and URLs") func zsh() throws {
        let script = try CommandTree.completions(for: "zsh")
        let commands = CommandTree.configuration.subcommands.compactMap { $0.configuration.commandName }
        #expect(
            script.contains(
                #"if [[ "${CURRENT}" -gt 2 && "${words[2]}" != (\#(commands.joined(separator: "|"))|help) ]]; then"#))
        // What is cut off for such a line stands last.
        #expect(script.contains("        '(-): :->command'\n        '(-)*:: :->arg'\n    )\n    if [["))
    }

    @Test("The completions have the options of requests") func sameOptions() {
        let lines = { (command: any ParsableCommand.Type) in
            command.helpMessage(columns: 300).split(separator: "\n").filter { $0.hasPrefix("  -") }
        }
        expectEqual(lines(CommandTree.self), lines(RequestCommand.self))
    }

    @Test("Another shell is an error") func unknownShell() {
        #expect(throws: UsageError.self) { try CommandTree.completions(for: "csh") }
    }

    @Test("The manual page has every option and command, and no line that roff takes for a command by mistake")
    func manual() {
        let page = ManualPage.text
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        for part in [
            #"\fB\-X, \-\-method, \-\-request <method>\fR"#, #"\fB\-\-http2\-prior\-knowledge\fR"#, ".SH EXIT STATUS",
            ".SH ITEMS", ".SS tern transfers resume", ".SS tern download", ".SH CONNECTION OPTIONS",
            #"\fB\-\-http2\fR"#,
        ] {
            #expect(lines.contains(Substring(part)), "\(part)")
        }
        let macros: Set = [".TH", ".SH", ".SS", ".TP", ".PP", ".nf", ".fi"]
        for line in lines where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(macros.contains(String(line.prefix { $0 != " " })), "\(line)")
        }
        expectEqual(lines.count { $0 == ".nf" }, lines.count { $0 == ".fi" })
        #expect(page.utf8.allSatisfy { $0 < 0x80 })
        expectEqual(ManualPage.escaped(".a\\b-c“é"), #"\&.a\eb\-c\[u201C]\[u00E9]"#)
    }
}
