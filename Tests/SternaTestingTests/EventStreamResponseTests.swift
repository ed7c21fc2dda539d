import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Test servers: event streams", .timeLimit(.minutes(5)))
struct EventStreamResponseTests {
    private static let events = (1...3).map { ServerSentEvent(data: "\($0)", id: "\($0)") }

    private static func read(_ text: String) throws -> [ServerSentEvent] {
        var parser = EventStreamParser()
        parser.append(Bytes(text: text))
        var events: [ServerSentEvent] = []
        while let event = try parser.next() { events.append(event) }
        return events
    }

    @Test("Events are written as a client reads them")
    func written() async throws {
        let events = [
            ServerSentEvent(data: "a"), ServerSentEvent(type: "x", data: "", id: "1"),
            ServerSentEvent(data: " b\n\nc\n", id: "2"), ServerSentEvent(data: ": \u{2028}é", id: "2"),
        ]
        try await TestServer.withServer { server in
            server.route("GET", "/list") { _ in .events(events) }
            server.route("GET", "/closure") { _ in
                .events { writer in for event in events { try await writer.write(event) } }
            }
            for path in ["/list", "/closure"] {
                let response = try await server.ask("GET", path)
                try expectEqual(Self.read(response.text), events)
                expectEqual(response.headers["Content-Type"], "text/event-stream")
                expectEqual(response.headers["Cache-Control"], "no-cache")
            }
        }
    }

    @Test("Line ends of any kind in data become LF, those in a type and an id a space")
    func lineEnds() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/list") { _ in .events([.init(type: "x\ny", data: "a\r\nb\rc\nd", id: "1\r\n2")]) }
            let response = try await server.ask("GET", "/list")
            try expectEqual(Self.read(response.text), [.init(type: "x y", data: "a\nb\nc\nd", id: "1 2")])
        }
    }

    @Test(
        "A list resumes after an id",
        arguments: [(nil, "123"), ("", "123"), ("1", "23"), ("2", "3"), ("9", "123")])
    func resumed(id: String?, rest: String) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/list") { request in
                .events(Self.events, after: request.headers["Last-Event-ID"], every: .milliseconds(1))
            }
            let response = try await server.ask("GET", "/list", headers: id.map { ["Last-Event-ID": $0] } ?? [:])
            try expectEqual(Self.read(response.text).map(\.data).joined(), rest)
            try await expectEqual(server.ask("GET", "/list", headers: ["Last-Event-ID": "3"]).status, 204)
        }
    }

    @Test("A stream is cut at a byte, or after its last event", arguments: [0, 1, 14, 15, 30, 44, 45, 46, 1_000])
    func cut(count: Int) async throws {
        let whole = Self.events.map { "id: \($0.id)\ndata: \($0.data)\n\n" }.joined()
        try await TestServer.withServer { server in
            server.route("GET", "/list") { _ in .events(Self.events, cutAt: count) }
            let received = try await RawClient.with(port: server.port) { client in
                try await client.send("GET /list HTTP/1.1\r\nHost: example.test\r\n\r\n")
                let head = try await client.head()
                expectEqual(head.status, 200)
                return try await client.rest()
            }
            #expect(!received.contains("\r\n0\r\n"))
            var (rest, text) = (received[...], "")
            while let end = rest.firstRange(of: "\r\n"), let size = Int(rest[..<end.lowerBound], radix: 16) {
                text += rest[end.upperBound...].prefix(size)
                rest = rest[end.upperBound...].dropFirst(size + 1)
            }
            expectEqual(text, String(whole.prefix(count)))
        }
    }

    @Test(
        "The route of numbered events",
        arguments: [
            ("/events/2", "id: 1\ndata: 1\n\nid: 2\ndata: 2\n\n"), ("/events/0", ""),
            ("/events/1?size=3", "id: 1\ndata: 1..\n\n"), ("/events/1?retry=5", "retry: 5\n\nid: 1\ndata: 1\n\n"),
            (
                "/events/2?comments=1&interval=0.001",
                ": keep-alive\n\nid: 1\ndata: 1\n\n: keep-alive\n\nid: 2\ndata: 2\n\n"
            ),
        ])
    func route(target: String, text: String) async throws {
        try await TestServer.withServer { server in
            let response = try await server.ask("GET", target)
            expectEqual(response.status, 200)
            expectEqual(response.text, text)
            expectEqual(response.headers["Content-Type"], "text/event-stream")
        }
    }

    @Test("The route resumes after the last event, has other media types, and refuses what it cannot do")
    func routeSettings() async throws {
        try await TestServer.withServer { server in
            let rest = try await server.ask("GET", "/events/3", headers: ["Last-Event-ID": "2"])
            expectEqual(rest.text, "id: 3\ndata: 3\n\n")
            try await expectEqual(server.ask("GET", "/events/3", headers: ["Last-Event-ID": "3"]).status, 204)
            let other = try await server.ask("GET", "/events/1?type=text/plain")
            expectEqual(other.headers["Content-Type"], "text/plain")
            for target in ["/events/-1", "/events/1?comments=-1", "/events/1?cut=x", "/events/1?interval=-1"] {
                try await expectEqual(server.ask("GET", target).status, 400, "\(target)")
            }
        }
    }
}
