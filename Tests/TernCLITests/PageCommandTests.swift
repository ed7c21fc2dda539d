import SternaPlatform
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `tern page`, which runs another program.
@Suite(.timeLimit(.minutes(5))) struct PageCommandTests {
    @Test(
        arguments: [
            ("/usr/bin/tern", "/bin:/opt/x", ["/usr/bin/tern-page", "/bin/tern-page", "/opt/x/tern-page"]),
            ("/tern", nil, ["/tern-page"]), (nil, "/bin", ["/bin/tern-page"]), (nil, nil, []), ("tern", "", []),
            // The current folder is never searched.
            (nil, ".:bin:/bin::", ["/bin/tern-page"]),
        ] as [(String?, String?, [String])])
    func looksBesideItselfAndInPath(_ own: String?, _ path: String?, _ expected: [String]) {
        expectEqual(PageCommand.candidates(beside: own, searchPath: path), expected)
    }

    @Test("Without tern-page the error says how to install it")
    func missing() async throws {
        let tern = try await OwnTern()
        let outcome = try await tern.run(["page", "http://127.0.0.1:1/", "-o", "x"])
        expectEqual(outcome.status, 1)
        #expect(outcome.errors.hasPrefix("tern: Saving pages needs the program tern-page"))
        #expect(outcome.errors.contains("--package-path Extensions/SternaPages"))
        expectEqual(outcome.errors.split(separator: "\n").count, 1)
        #expect(outcome.output.isEmpty)
    }

    @Test("tern-page gets the arguments as they are, and its exit status is the command's")
    func passesOn() async throws {
        let tern = try await OwnTern()
        try await OwnTern.write(
            "#!/bin/sh\nfor argument in \"$@\"; do printf '<%s>' \"$argument\"; done\necho to errors >&2\nexit 47\n",
            to: tern.folder.path("tern-page"))
        let arguments = [
            "http://example.com/?a=b c", "-o", "", "--help", "--", "-H", "X: 'y'", "--depth=3", "--version",
        ]
        let outcome = try await tern.run(["page"] + arguments)
        expectEqual(outcome.status, 47)
        expectEqual(outcome.text, arguments.map { "<\($0)>" }.joined())
        expectEqual(outcome.errors, "to errors\n")
    }

    @Test("Help, manual page and completions have the command only with tern-page", arguments: [false, true])
    func shown(isInstalled: Bool) async throws {
        let tern = try await OwnTern()
        if isInstalled { try await OwnTern.write("#!/bin/sh\n", to: tern.folder.path("tern-page")) }
        for (arguments, part) in [
            (["-h"], "page,"), (["--help"], "tern page "), (["--generate-manual"], ".SS tern page"),
            (["--generate-manual"], "tern page "), (["--generate-completion-script", "bash"], "page"),
            (["--generate-completion-script", "zsh"], "_tern_page"),
            (["--generate-completion-script", "fish"], "'page'"),
        ] {
            let outcome = try await tern.run(arguments)
            expectEqual(outcome.status, 0)
            expectEqual(outcome.text.contains(part), isInstalled, "\(arguments) \(part)")
        }
        let package = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let installing = try await TernProcess(
            [tern.folder.path("tern"), tern.folder.path("prefix")], program: "\(package)/scripts/install-tern"
        ).outcome()
        expectEqual(installing.status, 0, "\(installing.errors)")
        expectEqual(access(tern.folder.path("prefix/bin/tern-page"), X_OK) == 0, isInstalled)
    }

    @Test("A tern-page that is not executable is skipped, and PATH is searched last")
    func searchPath() async throws {
        let tern = try await OwnTern()
        let other = try TemporaryFolder()
        try await OwnTern.write("#!/bin/sh\necho from PATH\n", to: other.path("tern-page"))
        try tern.folder.write("not a program", to: "tern-page")
        let outcome = try await tern.run(["page"], path: "\(tern.folder.path):\(other.path)")
        expectEqual(outcome.text, "from PATH\n")
    }
}

/// The built `tern` under a name in a folder of its own, so that no other program is beside it.
private struct OwnTern {
    let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        // A hard link where that is possible: the program is large. Otherwise another process copies it, as in `write`.
        guard link(TernProcess.path, folder.path("tern")) != 0 else { return }
        let outcome = try await TernProcess([TernProcess.path, folder.path("tern")], program: "/bin/cp").outcome()
        expectEqual(outcome.status, 0)
    }

    /// Writes a program by a shell. A process that another test starts while this one has the file open for writing would inherit
    /// that for a moment, in which the program cannot be run (ETXTBSY).
    static func write(_ script: String, to path: String) async throws {
        let outcome = try await TernProcess(
            ["-c", #"cat >"$1" && chmod 755 "$1""#, "sh", path], input: .bytes(Array(script.utf8)), program: "/bin/sh"
        ).outcome()
        expectEqual(outcome.status, 0)
    }

    func run(_ arguments: [String], path: String = "/nonexistent") async throws -> TernProcess.Outcome {
        try await TernProcess(arguments, environment: ["PATH": path], program: folder.path("tern")).outcome()
    }
}
