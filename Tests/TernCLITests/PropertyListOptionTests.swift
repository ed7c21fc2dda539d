import Sterna
import SternaPropertyList
import SternaTesting
import Testing

@testable import SternaTestSupport

/// `--plist` sends fields as a property list.
@Suite(.timeLimit(.minutes(5))) struct PropertyListOptionTests {
    @Test func sendsFieldsByTheirKinds() async throws {
        try await TestServer.withServer { server in
            let fields = ["user[name]=Zoë <z>", "n:=1", "x:=2.5", "on:=true", "list:=[1,[\"a\"]]"]
            let outcome = try await TernProcess(["--plist", server.url("/post")] + fields).outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            let echo = try JSON(parsing: outcome.text)
            expectEqual(echo["headers"]["Content-Type"].string, "application/x-plist")
            try expectEqual(
                PropertyList(parsing: try #require(echo["data"].string)),
                [
                    "user": ["name": "Zoë <z>"], "n": 1, "x": 2.5, "on": true, "list": [1, ["a"]],
                ])
        }
    }

    @Test(arguments: [
        (["a:={\"b\":[0,null]}"], "a.b[1]"), (["a=x\u{1}"], "U+0001"), (["--json", "a=1"], "exclude"),
    ])
    func refusesWhatHasNoForm(_ arguments: [String], _ reason: String) async throws {
        let outcome = try await TernProcess(["--plist", "http://127.0.0.1:1/"] + arguments).outcome()
        expectEqual(outcome.status, 2)
        #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        #expect(outcome.text.isEmpty)
    }
}
