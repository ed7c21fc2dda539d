import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Hostile servers: event streams", .timeLimit(.minutes(5)))
struct PeersEventStreamTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The name of the limit in the error.
        let limit: String
        let stream: [ScriptedServer.Step]

        init(_ description: String, _ limit: String, _ stream: [ScriptedServer.Step]) {
            (testDescription, self.limit, self.stream) = (description, limit, stream)
        }
    }

    /// The response's body ends with the connection, so that each byte is one of the stream.
    private static let head = ScriptedServer.Step.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")

    private static let letters = [UInt8](repeating: 0x61, count: 64 << 10)
    private static let dataLine = Array("data: ".utf8) + letters + [0x0A]

    static let rows: [Row] = [
        Row("a line without end", "line", [.send("data: "), .sendRepeating(letters, count: nil)]),
        Row("a comment without end", "line", [.send(": "), .sendRepeating(letters, count: nil)]),
        Row(
            "an unknown field without end, behind an event", "line",
            [.send("data: a\n\nx"), .sendRepeating(letters, count: nil)]),
        Row("an event of 1 GiB", "data of an event", [.sendRepeating(dataLine, count: 1 << 14), .send("\n")]),
        Row(
            "an event of many short lines", "data of an event",
            [.sendRepeating(Array(String(repeating: "data\n", count: 1_000).utf8), count: nil)]),
        Row(
            "an id of 1 MB", "id of an event",
            [.send("id: "), .sendBytes([UInt8](repeating: 0x31, count: 1_000_000)), .send("\ndata: a\n\n"), .hang]),
    ]

    @Test("Streams beyond a limit end with an error that names it, and are not requested again", arguments: rows)
    func limits(row: Row) async throws {
        let error = try await Wire.refusal(
            .limitExceeded, .read, script: [Self.head] + row.stream, settings: { _ in }
        ) { api in
            let stream = api.events("row") {
                $0.reconnectionTime = .zero
                $0.limits.event = 1 << 18
                $0.limits.line = 2 << 20
            }
            for try await event in stream { expectEqual(event.data, "a") }
        }
        #expect(error?.detail.contains(row.limit) == true, "\(error?.detail ?? "")")
    }

    @Test("The limits of a stream that sets none")
    func defaults() async throws {
        let stream: [ScriptedServer.Step] = [Self.head, .sendRepeating(Self.dataLine, count: 1 << 14)]
        let error = try await Wire.refusal(.limitExceeded, .read, script: stream, settings: { _ in }) { api in
            for try await _ in api.events("row") {}
        }
        #expect(error?.detail.contains(" MB, the limit of the event stream") == true, "\(error?.detail ?? "")")
    }

    @Test("Comments without end take no memory")
    func comments() async throws {
        await #expect(processExitsWith: .success) {
            let mock = MockTransport { _ in
                .events { writer in
                    let comments = [UInt8]((": " + String(repeating: "a", count: 997) + "\n").utf8)
                    let piece = Array(repeatElement(comments, count: 100).joined())
                    for _ in 0..<1_000 { try await writer.write(piece) }
                    try await writer.write("data: a\n\n")
                }
            }
            let api = try Session(baseURL: "https://api.example.com") { $0.network.transport = mock }
            // What a process needs for its first events is not counted.
            var events = api.events("row") { $0.reconnects = false }.makeAsyncIterator()
            let before = ProcessUsage.peakMemory()
            try await expectEqual(events.next()?.data, "a")
            let taken = ProcessUsage.peakMemory() - before
            #expect(taken < 48 << 20, "100 MB of comments took \(taken >> 20) MiB")
        }
    }

    @Test("A stream of events without end is read at the reader's pace, and its connection closed with the reader")
    func endless() async throws {
        let event = Array("data: \(String(repeating: "a", count: 1_000))\n\n".utf8)
        try await ScriptedServer.withServer(
            connections: [[.receiveHead, Self.head, .sendRepeating(event, count: nil)]]
        ) { server in
            var count = 0
            for try await event in try Wire.session(server.url).events("row") {
                expectEqual(event.data.utf8.count, 1_000)
                count += 1
                if count == 1_000 { break }
            }
            #expect(try await server.waitForClose(connection: 0, within: 60))
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("A time of reconnection of 10^30 ms counts as a day, and the stream continues")
    func retry() async throws {
        try await TestServer.withServer { server in
            let time = "1" + String(repeating: "0", count: 30)
            let stream = try Wire.session(server.url).events("events/3?retry=\(time)")
            var events: [String] = []
            var wait: Duration?
            for try await update in stream.updates {
                if case .event(let event) = update { events.append(event.data) }
                if case .reconnecting(let after, nil) = update {
                    wait = after
                    break
                }
            }
            expectEqual(events, ["1", "2", "3"])
            expectEqual(wait, .seconds(86_400))
        }
    }
}
