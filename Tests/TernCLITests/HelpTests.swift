import ArgumentParser
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// A command takes exactly the options that its `--help` lists.
@Suite("tern: help", .timeLimit(.minutes(5)))
struct HelpTests {
    /// The options in a command's help, by their long names.
    private func options(_ command: any ParsableCommand.Type) -> Set<String> {
        var found: Set<String> = []
        for line in command.helpMessage(columns: 80).split(separator: "\n") where line.hasPrefix("  -") {
            let names = line.split { " ,/".contains($0) }.prefix { $0.hasPrefix("-") || $0.hasPrefix("<") }
            found.formUnion(names.filter { $0.hasPrefix("--") }.map(String.init))
        }
        return found
    }

    @Test("upload lists no option that it refuses") func upload() {
        let own = options(UploadCommand.self)
        for refused in [
            "--json", "--form", "--multipart", "--plist", "--data", "--ignore-stdin", "--head", "--remote-name",
        ] {
            #expect(!own.contains(refused), "\(refused)")
        }
        for taken in [
            "--compress", "--auth", "--bearer", "--style", "--method", "--timeout", "--cacert", "--proxy", "--print",
        ] {
            #expect(own.contains(taken), "\(taken)")
        }
    }

    @Test("upload takes every option that it lists") func takes() {
        let values = [
            "--style": "whatwg", "--auth": "a:b", "--user": "a:b", "--auth-type": "aws-sigv4", "--netrc-file": "/none",
            "--proxy-user": "a:b",
            "--bearer": "t", "--header": "X-A: b", "--user-agent": "x",
            "--cookie": "a=b", "--cookie-jar": "/none", "--session": "a", "--session-read-only": "a",
            "--cache": "/none", "--hsts": "/none",
            "--resumable": "tus", "--parts": "2", "--max-request-bytes": "9", "--store": "/none",
            "--method": "POST", "--timeout": "9", "--connect-timeout": "9", "--max-time": "99", "--limit-rate": "2M",
            "--max-redirects": "5", "--max-redirs": "5",
            "--retry": "1", "--retry-delay": "1", "--retry-max-time": "9",
            "--aws-sigv4": "aws:amz:eu-central-1:s3",
            "--pretty": "none",
            "--print": "b", "--write-out": "x", "--output": "-", "--noproxy": "*", "--proxy": "none",
            "--tls-min": "1.2",
            "--tls-max": "1.3",
            "--resolve": "a:80:127.0.0.1", "--cacert": "/etc/hostname", "--cert": "/none", "--key": "/none",
            "--pin": "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "--unix-socket": "/none",
            "--oauth2-bearer": "t", "--pinnedpubkey": "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        ]
        // Options that exclude others stand in a line of their own.
        let apart: Set = [
            "--bearer", "--cookie-jar", "--http1.1", "--http1", "--ipv4", "--insecure", "--include", "--no-follow",
            "--version",
            "--help", "--session-read-only", "--headers", "--body", "--meta", "--fail-with-body", "--check-status",
            "--oauth2-bearer", "--basic", "--digest", "--anyauth", "--proxy-basic", "--proxy-anyauth",
        ]
        let schemes: [Set<String>] = [["--auth", "--basic"], ["--auth", "--digest"], ["--auth", "--anyauth"]]
        let third: Set = ["--session-read-only", "--proxy-anyauth"]
        // Each excludes the other ones, and --include and --print.
        let parts: [Set<String>] = [["--headers", "--fail-with-body"], ["--body", "--check-status"], ["--meta"]]
        let alone = parts.reduce(into: Set<String>()) { $0.formUnion($1) }
        // Without these an upload is one request.
        let durable: Set = ["--resumable", "--parts", "--max-request-bytes", "--store"]
        let own = options(UploadCommand.self)
        let common = own.subtracting(apart).subtracting(durable)
        let second = own.intersection(apart).subtracting(Set(schemes.joined()))
        for line in schemes + [
            common, second.subtracting(["--version", "--help"]).subtracting(third).subtracting(alone),
            third,
            parts[0], parts[1], parts[2], common.union(durable).subtracting(UploadOptionTests.oneRequest),
            durable.union(["--bearer", "--ipv4"]),
        ] {
            let words = line.flatMap { option in [option] + (values[option].map { [$0] } ?? []) }
            #expect(throws: Never.self, "\(words)") {
                try Tern.command(of: ["upload", "/etc/hostname", "http://127.0.0.1:1/"] + words)
            }
        }
    }

    @Test("upload --resumable refuses every option that has no effect there", arguments: UploadOptionTests.oneRequest)
    func refuses(option: String) async throws {
        let values = [
            "--cookie": "/none", "--cookie-jar": "/none", "--session": "a", "--session-read-only": "a",
            "--cache": "/none", "--hsts": "/none", "--max-redirects": "5", "--max-redirs": "5", "--retry": "1",
            "--retry-delay": "1",
            "--retry-max-time": "9", "--pretty": "none", "--print": "b", "--write-out": "x",
        ]
        var words = [option] + (values[option].map { [$0] } ?? [])
        if option == "--offline" { words += ["--cache", "/none"] }
        if option.hasPrefix("--retry-") { words += ["--retry", "1"] }
        let error = #expect(throws: UsageError.self) {
            try Tern.command(of: ["upload", "/etc/hostname", "http://127.0.0.1:1/", "--resumable", "tus"] + words)
        }
        let text = error?.message ?? ""
        #expect(text.contains("--resumable cannot be combined with"), "\(text)")
        let name = option.hasPrefix("--retry") ? "--retry" : option == "--max-redirs" ? "--max-redirects" : option
        #expect(text.contains(name), "\(text)")
    }

    @Test("The brief help fits a small terminal, and its examples are valid") func brief() async throws {
        let lines = HelpText.brief.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 22)
        #expect(lines.allSatisfy { $0.count <= 80 })
        let examples = lines.filter { $0.hasPrefix("  tern ") && !$0.contains("[options]") }
        expectEqual(examples.count, 5)
        for example in examples {
            // The remark begins in column 50.
            let words = example.prefix(49).split(separator: " ").dropFirst().map(String.init)
            let routed = Tern.routed(words)
            if routed.first == "request" {
                let plan = try await RequestPlan(Array(routed.dropFirst()))
                expectEqual(plan.commands.count, 1, "\(example)")
                for line in plan.commands { #expect(throws: Never.self) { try Tern.command(of: ["request"] + line) } }
            } else {
                #expect(throws: Never.self, "\(example)") { try Tern.command(of: routed) }
            }
        }
    }

    @Test("The brief help names every command that --help names") func briefCommands() {
        let brief = HelpText.brief.split { " ,;\n".contains($0) }
        for line in HelpText.discussion.split(separator: "\n") where line.hasPrefix("  tern ") {
            let name = line.split(separator: " ")[1]
            #expect(brief.contains(name), "\(name)")
        }
    }

    @Test("bench takes the options of TLS, proxies and versions of HTTP") func bench() {
        let own = options(BenchCommand.self)
        let request = options(RequestCommand.self)
        let shared = [
            "--insecure", "--cacert", "--pin", "--cert", "--key", "--tls-min", "--tls-max", "--resolve", "--proxy",
            "--noproxy", "--unix-socket", "--ipv4", "--ipv6", "--http1.1", "--http2", "--http2-prior-knowledge",
            "--timeout", "--max-time",
        ]
        for option in shared {
            #expect(own.contains(option), "\(option)")
            #expect(request.contains(option), "\(option)")
        }
    }

    @Test("bench goes over HTTP/2 without TLS, and through a proxy") func benchGoes() async throws {
        try await TestServer.withServer(.init(http2: [.byPriorKnowledge])) { server in
            let spoken = try await TernProcess.run(
                "bench", "-n", "3", "-c", "1", "--http2-prior-knowledge", server.url("/get"))
            expectEqual(spoken.status, 0, "\(spoken.errors)")
            #expect(server.requests().allSatisfy { $0.version == .http2 })
            let proxied = try await TernProcess.run(
                "bench", "-n", "1", "--proxy", "http://127.0.0.1:1", "http://example.invalid/")
            expectEqual(proxied.status, 1)
            #expect(proxied.errors.contains("proxy"), "\(proxied.errors)")
        }
    }
}
