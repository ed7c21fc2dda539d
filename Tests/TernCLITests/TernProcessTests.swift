import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// The exit statuses of the built program, against a server in this process.
@Suite(.timeLimit(.minutes(5))) struct TernProcessTests {
    @Test(
        arguments: [
            (0, ["/get"]), (0, ["/status/404"]), (0, ["--fail", "/status/302", "--no-follow"]),
            (18, ["/fault/close-half"]), (22, ["--fail", "/status/404"]), (22, ["--fail", "/status/500"]),
            (23, ["-o", "/nonexistent/file", "/get"]), (23, ["-o", "/", "/get"]),
            (26, ["POST", "/post", "@/nonexistent/file"]), (26, ["/post", "a=@/nonexistent/file"]),
            (28, ["--timeout", "0.2", "/delay/30"]), (28, ["--timeout", "0.2", "/fault/stall"]),
            (47, ["/redirect/30"]), (56, ["/fault/close"]), (56, ["/fault/garbage"]), (56, ["/fault/endless-head"]),
            (56, ["/fault/both-lengths"]), (2, ["/get", "noitem"]), (2, ["/get", "X Y:1"]), (2, ["--bogus", "/get"]),
            (2, ["--json", "--form", "/get"]), (2, ["--print", "x", "/get"]), (2, ["--timeout", "-1", "/get"]),
        ] as [(Int32, [String])])
    func hasAStatus(_ status: Int32, _ arguments: [String]) async throws {
        try await TestServer.withServer { server in
            let absolute = arguments.map { argument in
                let isPath = argument.hasPrefix("/") && argument.count > 1 && !argument.hasPrefix("/nonexistent")
                return isPath ? server.url(argument) : argument
            }
            let outcome = try await TernProcess(absolute).outcome()
            expectEqual(outcome.status, status)
            expectOneLine(outcome)
        }
    }

    /// Expects no message after a success, and one line after a failure.
    private func expectOneLine(_ outcome: TernProcess.Outcome) {
        let lines = outcome.errors.split(separator: "\n", omittingEmptySubsequences: false)
        if outcome.status == 0 {
            #expect(outcome.errors.isEmpty)
        } else {
            #expect(lines.count == 2 && lines.last == "")
            #expect(outcome.errors.hasPrefix("tern: "))
        }
    }

    @Test(
        arguments: [
            (3, "http://[x"), (3, "http://host:99999/"), (3, "ftp://host/"), (3, "http://"),
            (6, "http://nowhere.invalid/"),
            (7, "http://127.0.0.1:1/"),
        ] as [(Int32, String)])
    func hasAStatusWithoutAServer(_ status: Int32, _ url: String) async throws {
        let outcome = try await TernProcess.run(url)
        expectEqual(outcome.status, status)
        expectOneLine(outcome)
    }

    @Test func speaksTLSToAPlainPort() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run("https://127.0.0.1:\(server.port)/")
            expectEqual(outcome.status, 35)
            expectOneLine(outcome)
        }
    }

    @Test func judgesCertificates() async throws {
        let authority = try CertificateAuthority()
        let folder = try TemporaryFolder()
        let file = folder.path("ca.pem")
        try authority.writePEM(toPath: file)
        try await TestServer.withServer(.init(tls: try authority.issue())) { server in
            let url = server.url("/ip")
            let refused = try await TernProcess.run(url)
            expectEqual(refused.status, 60)
            #expect(refused.errors.contains("not trusted"))
            #expect(refused.errors.contains("sha256/"))
            try await expectEqual(TernProcess.run("--cacert", file, url).status, 0)
            try await expectEqual(TernProcess.run("-k", url).status, 0)
            try await expectEqual(TernProcess.run("--cacert", folder.path("none.pem"), url).status, 26)
            let downgrade = try await TernProcess.run("-k", server.url("/redirect-to?url=http://127.0.0.1:1/"))
            expectEqual(downgrade.status, 47)
        }
    }

    @Test func refusesBrokenCoding() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope"
        let server = try await ScriptedServer.start(connections: [[.receiveHead, .send(answer), .close]])
        let outcome = try await TernProcess.run("http://127.0.0.1:\(server.port)/")
        expectEqual(outcome.status, 61)
        expectOneLine(outcome)
        try await server.stop()
    }

    @Test("An invalid response has advice about the port only if it is the first of its connection")
    func advisesOnThePort() async throws {
        let redirect = "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"
        let connections: [[ScriptedServer.Step]] = [
            [.receiveHead, .send("SSH-2.0-x\r\n\r\n"), .hang],
            [.receiveHead, .send(redirect), .receiveHead, .send("SSH-2.0-x\r\n\r\n"), .hang],
        ]
        for (number, script) in connections.enumerated() {
            let server = try await ScriptedServer.start(connections: [script])
            let outcome = try await TernProcess.run("http://127.0.0.1:\(server.port)/")
            expectEqual(outcome.status, 56, "\(outcome.errors)")
            expectEqual(
                outcome.errors.contains("Check that the port speaks HTTP/1.1"), number == 0, "\(outcome.errors)")
            expectOneLine(outcome)
            try await server.stop()
        }
    }

    @Test(
        "The end of a connection has advice about the port only if no response came before", arguments: [true, false])
    func advisesOnASilentPort(isFirst: Bool) {
        var error = SternaError(.connectionClosed, phase: .wait, "It ended.")
        error.isOfFirstResponse = isFirst
        expectEqual(ErrorLine.text(for: error)?.contains("requires https"), isFirst)
    }

    @Test func waitsShortlyForTheMessageOfAnError() async throws {
        let head = "HTTP/1.1 401 X\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nNo"
        let server = try await ScriptedServer.start(connections: [[.receiveHead, .send(head), .hang]])
        let start = ContinuousClock.now
        let outcome = try await TernProcess.run("--fail", "--timeout", "3000", "http://127.0.0.1:\(server.port)/")
        expectEqual(outcome.status, 22)
        #expect(ContinuousClock.now - start < .seconds(60))
        expectOneLine(outcome)
        try await server.stop()
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(CInt, Int32)])
    func leavesOnSignals(_ signal: CInt, _ status: Int32) async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server in
            let process = try TernProcess(["-o", folder.path("file"), server.url("/fault/stall")])
            try await server.waitForRequests(1, within: 60)
            process.signal(signal)
            let outcome = try await process.outcome()
            expectEqual(outcome.status, status)
            #expect(outcome.errors.isEmpty)
            #expect(folder.names.isEmpty)
            try await server.waitForOpenConnections(0)
        }
    }

    @Test func keepsQuietWhenNobodyReads() async throws {
        try await TestServer.withServer { server in
            let process = try TernProcess([server.url("/bytes/100000000")])
            try await server.waitForRequests(1, within: 60)
            process.stopReading()
            let outcome = try await process.outcome(readsOutput: false)
            expectEqual(outcome.status, 23)
            #expect(outcome.errors.isEmpty)
        }
    }

    @Test func helpsOnStandardOutput() async throws {
        let help = try await TernProcess.run("--help")
        expectEqual(help.status, 0)
        #expect(help.text.contains("name:=json"))
        #expect(help.errors.isEmpty)
        let nothing = try await TernProcess.run()
        expectEqual(nothing.status, 2)
        #expect(nothing.output.isEmpty)
        let brief = try await TernProcess.run("-h")
        expectEqual(brief.status, 0)
        #expect(brief.errors.isEmpty)
        expectEqual(brief.text, nothing.errors)
        #expect(!brief.text.contains("name:=json"))
        for name in ["--version", "-V"] { try await expectEqual(TernProcess.run(name).text, "0.1.0\n") }
    }
}
