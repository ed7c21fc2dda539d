import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// When standard input is the body of a request.
@Suite("tern: standard input", .timeLimit(.minutes(5)))
struct StandardInputTests {
    private static let input = TernProcess.Input.bytes(Array(#"{"a":"b"}"#.utf8))

    private func echo(_ arguments: [String]) async throws -> JSON {
        try await TestServer.withServer { server in
            let words = arguments.map { $0.replacing("URL", with: server.url("/anything")) }
            let outcome = try await TernProcess(words, input: Self.input).outcome()
            expectEqual(outcome.status, 0, "\(arguments): \(outcome.errors)")
            return try JSON(parsing: outcome.text)
        }
    }

    @Test(
        "It is the body with a method that has one, an item, a format or @-",
        arguments: [
            (["POST", "URL"], "POST"), (["PUT", "URL"], "PUT"), (["-X", "PATCH", "URL"], "PATCH"),
            (["URL", "X-A:b"], "POST"), (["--json", "URL"], "POST"), (["-d", "@-", "URL"], "POST"),
            (["--data-binary", "@-", "URL"], "POST"), (["URL", "@-"], "POST"), (["-T", "-", "URL"], "PUT"),
            (["DELETE", "--json", "URL"], "DELETE"),
        ])
    func body(arguments: [String], method: String) async throws {
        let echo = try await echo(arguments)
        expectEqual(echo["method"].string, method)
        let sent = echo["data"].string ?? ""
        let form = echo["form"].object?.keys.first ?? ""
        #expect([sent, form].contains(#"{"a":"b"}"#), "\(arguments): \(echo)")
    }

    @Test(
        "Without these it is not read",
        arguments: [
            ["URL"], ["GET", "URL"], ["DELETE", "URL"], ["-sSL", "URL"], ["-f", "URL"], ["-i", "--head", "URL"],
        ])
    func left(arguments: [String]) async throws {
        try await TestServer.withServer { server in
            let words = arguments.map { $0.replacing("URL", with: server.url("/anything")) }
            let outcome = try await TernProcess(words, input: Self.input).outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(server.requests().count, 1)
            #expect(server.requests().last?.headers["Content-Length"] == nil)
            expectEqual(server.requests().last?.method != "POST", true)
        }
    }

    @Test(
        "For several requests it is an error rather than lost",
        arguments: [
            ["POST", "URL", "URL"], ["--json", "URL", "URL"], ["PUT", "URL", "--next", "URL"],
            ["URL", "--next", "URL", "X-A:b"], ["-Z", "POST", "URL/{1,2}"],
        ])
    func several(arguments: [String]) async throws {
        try await TestServer.withServer { server in
            let words = arguments.map { $0.replacing("URL", with: server.url("/anything")) }
            let outcome = try await TernProcess(words, input: Self.input).outcome()
            expectEqual(outcome.status, 2, "\(outcome.text)")
            #expect(outcome.errors.contains("one request only, and there are 2"), "\(outcome.errors)")
            #expect(outcome.errors.contains("--data-binary @FILE"), "\(outcome.errors)")
            expectEqual(server.requests().count, 0)
            let sent = try await TernProcess(words + ["--ignore-stdin"], input: Self.input).outcome()
            expectEqual(sent.status, 0, "\(sent.errors)")
            expectEqual(server.requests().count, 2)
            let none = try await TernProcess(words, input: .bytes([])).outcome()
            expectEqual(none.status, 0, "\(none.errors)")
        }
    }

    @Test(
        "Several requests without a body, or with one of an option, leave it",
        arguments: [
            ["URL", "URL"], ["DELETE", "URL", "URL"], ["-d", "a=1", "URL", "URL"], ["POST", "URL", "URL", "a=1"],
            ["-T", "/etc/hostname", "URL/", "--next", "URL"], ["-G", "-d", "a=1", "-X", "POST", "URL", "URL"],
        ])
    func severalLeft(arguments: [String]) async throws {
        try await TestServer.withServer { server in
            let words = arguments.map { $0.replacing("URL", with: server.url("/anything")) }
            let outcome = try await TernProcess(words, input: Self.input).outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(server.requests().count, 2)
        }
    }

    @Test("A loop that reads URLs keeps its list") func loop() async throws {
        try await TestServer.withServer { server in
            let list = ["/anything/1", "/anything/2", "/anything/3"].map { server.url($0) + "\n" }.joined()
            let outcome = try await TernProcess(
                ["-c", #"while read -r u; do "$0" "$u" || exit; done"#, TernProcess.path],
                input: .bytes(Array(list.utf8)),
                program: "/bin/sh"
            ).outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(server.requests().map(\.target), ["/anything/1", "/anything/2", "/anything/3"])
            expectEqual(Set(server.requests().map(\.method)), ["GET"])
        }
    }
}
