import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// The lines of `-v` on standard error about requests that are sent again; RetryOptionTests has the retries.
@Suite("tern: attempts with -v", .timeLimit(.minutes(5)))
struct AttemptLogTests {
    /// The lines about attempts and retries, without those about connections.
    private func lines(_ outcome: TernProcess.Outcome) -> [String] {
        outcome.errors.split(separator: "\n").map(String.init).filter { line in
            !["* Address: ", "* Connection: ", "* Protocol: "].contains { line.hasPrefix($0) }
        }
    }

    @Test("-v prints a line for each redirect, without any option for retries")
    func redirects() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run("-v", server.url("/redirect-to?url=/get"))
            expectEqual(outcome.status, 0)
            expectEqual(lines(outcome), ["* Attempt 2: GET \(server.url("/get")) (redirect)"])
            let silent = try await TernProcess.run("--print", "hb", server.url("/redirect-to?url=/get"))
            #expect(silent.errors.isEmpty)
            let single = try await TernProcess.run("-v", server.url("/get"))
            expectEqual(lines(single), [])
        }
    }

    @Test("-v prints the attempt that answers a challenge, without the password")
    func challenge() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/tern-attempts-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/netrc"
        try Data("default login ada password s3cret".utf8).write(to: URL(fileURLWithPath: path))
        expectEqual(chmod(path, 0o600), 0)
        try await TestServer.withServer { server in
            // The path of this route has the password.
            server.route("GET", "/login") { request in
                request.headers["Authorization"] == nil
                    ? .text("no", status: 401, headers: ["WWW-Authenticate": "Basic realm=x"]) : .text("yes")
            }
            let outcome = try await TernProcess.run("-v", "--netrc-file", path, server.url("/login"))
            expectEqual(outcome.status, 0)
            expectEqual(lines(outcome), ["* Attempt 2: GET \(server.url("/login")) (to answer a challenge)"])
            #expect(!(outcome.text + outcome.errors).contains("s3cret"))
        }
    }

    @Test("A failure that no other attempt follows is printed only as the error")
    func failure() async throws {
        let closed = try ClosedPort()
        let outcome = try await TernProcess.run("-v", "http://127.0.0.1:\(closed.port)/")
        expectEqual(outcome.status, 7)
        #expect(!outcome.errors.contains("* "), "\(outcome.errors)")
        withExtendedLifetime(closed) {}
    }

    @Test("A failure is printed before the retry that follows it")
    func retried() async throws {
        let closed = try ClosedPort()
        let outcome = try await TernProcess.run(
            "-v", "--retry", "1", "--retry-delay", "0.01", "--retry-all-errors", "http://127.0.0.1:\(closed.port)/")
        expectEqual(outcome.status, 7)
        let said = lines(outcome).filter { $0.hasPrefix("* ") }
        expectEqual(said.count, 3)
        expectEqual(said.first?.hasPrefix("* Attempt 1 failed: "), true)
        expectEqual(said.dropFirst().first, "* Retry 1 of 1 in 0.01 s, because of an error (connectionFailed)")
        #expect(said.last == "* Attempt 2: GET http://127.0.0.1:\(closed.port)/ (retry)")
        withExtendedLifetime(closed) {}
    }
}
