import ArgumentParser
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `--location-trusted`, `--post301` and similar options, `--max-redirects`.
@Suite("tern: options for redirects", .timeLimit(.minutes(5)))
struct RedirectOptionTests {
    private func policy(_ arguments: [String]) throws -> RedirectPolicy {
        try RedirectOptions.parse(arguments).policy
    }

    @Test("The options choose the policy for redirects")
    func policies() throws {
        try expectEqual(policy([]), .follow)
        try expectEqual(policy(["--max-redirects", "0"]).limit, 0)
        try expectEqual(policy(["--max-redirs", "7"]).limit, 7)
        try expectEqual(policy(["--max-redirects", "-1"]).limit, .max)
        try expectEqual(policy(["--max-redirects=-1"]).limit, .max)
        #expect(try policy(["--location-trusted"]).keepsCredentialsAcrossOrigins)
        try expectEqual(policy(["--post301", "--post303"]).methods, .fetch.keepingPost(on: [301, 303]))
        try expectEqual(policy(["--post302"]).methods, .fetch.keepingPost(on: [302]))
    }

    @Test(
        "Invalid and contradictory options are refused",
        arguments: [
            ["--max-redirects", "-2"], ["--max-redirects", "x"], ["--no-follow", "--location-trusted"],
            ["--no-follow", "--max-redirects", "3"], ["--no-follow", "--post301"],
        ])
    func refused(arguments: [String]) {
        #expect(throws: (any Error).self) { try RedirectOptions.parse(arguments) }
    }

    @Test("Credentials go to another origin with --location-trusted only")
    func trusted() async throws {
        try await TestServer.withServer { first in
            try await TestServer.withServer { second in
                let url = first.url("/redirect-to?url=\(second.url("/get"))")
                let plain = try await TernProcess.run("-a", "ada:s3cret", "-b", "a=b", url)
                expectEqual(plain.status, 0, "\(plain.errors)")
                expectNil(second.requests().last?.headers["Authorization"])
                expectNil(second.requests().last?.headers["Cookie"])
                let trusted = try await TernProcess.run(
                    "-a", "ada:s3cret", "-b", "a=b", "--location-trusted", url)
                expectEqual(trusted.status, 0, "\(trusted.errors)")
                expectEqual(second.requests().last?.headers["Authorization"]?.hasPrefix("Basic "), true)
                expectEqual(second.requests().last?.headers["Cookie"], "a=b")
            }
        }
    }

    @Test("Fields that are shown as *** are not sent to another origin, nor again after a return to their own")
    func secretFields() async throws {
        try await TestServer.withServer { first in
            try await TestServer.withServer { second in
                let back = second.url("/redirect-to?url=\(first.url("/headers"))")
                for (target, last) in [(second.url("/get"), second), (back, first)] {
                    let url = first.url("/redirect-to?url=\(target)")
                    let plain = try await TernProcess.run(url, "X-Api-Key:k3y", "X-Trace:7")
                    expectEqual(plain.status, 0, "\(plain.errors)")
                    expectNil(last.requests().last?.headers["X-Api-Key"])
                    expectEqual(last.requests().last?.headers["X-Trace"], "7")
                    let trusted = try await TernProcess.run("--location-trusted", url, "X-Api-Key:k3y")
                    expectEqual(trusted.status, 0, "\(trusted.errors)")
                    expectEqual(last.requests().last?.headers["X-Api-Key"], "k3y")
                }
            }
        }
    }

    @Test("A POST stays a POST on the status that the option names", arguments: [301, 302, 303])
    func post(status: Int) async throws {
        try await TestServer.withServer { server in
            let url = server.url("/redirect-to?url=/anything&status_code=\(status)")
            try expectEqual(JSON(parsing: try await TernProcess.run("-d", "a=1", url).text)["method"], "GET")
            let kept = try JSON(parsing: try await TernProcess.run("-d", "a=1", "--post\(status)", url).text)
            expectEqual(kept["method"], "POST")
            expectEqual(kept["form"], ["a": "1"])
        }
    }

    @Test("--max-redirects N follows N redirects, and fails with 47 at the next one")
    func limit() async throws {
        try await TestServer.withServer { server in
            try await expectEqual(TernProcess.run("--max-redirects", "2", server.url("/redirect/2")).status, 0)
            let many = try await TernProcess.run("--max-redirects", "1", server.url("/redirect/2"))
            expectEqual(many.status, 47)
            #expect(many.errors.contains("more than 1 time"), "\(many.errors)")
            try await expectEqual(TernProcess.run("--max-redirs", "0", server.url("/redirect/1")).status, 47)
            try await expectEqual(TernProcess.run("--max-redirects", "-1", server.url("/redirect/25")).status, 0)
            let shown = try await TernProcess.run("-i", "--max-redirs", "1", server.url("/redirect/3"))
            expectEqual(shown.status, 47)
            // The head of the redirect that was followed, and of the one that was not.
            expectEqual(
                shown.text.split(separator: "\n").filter { $0.hasPrefix("Location: ") }.count, 2, "\(shown.text)")
            let refused = try await TernProcess.run("-i", server.url("/redirect-to?url=ftp://a/b"))
            expectEqual(refused.status, 47)
            #expect(refused.text.contains("Location: ftp://a/b"), "\(refused.text)")
            let silent = try await TernProcess.run("--print", "b", "--max-redirs", "1", server.url("/redirect/3"))
            expectEqual(silent.text, "")
        }
    }
}
