import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaRecorder
@testable import SternaTestSupport

/// Messages of WebSockets and server-sent events.
@Suite("Recorder: messages", .timeLimit(.minutes(5)))
struct RecorderMessagesTests {
    /// A line for each message: its direction, its kind and its text.
    private func rows(_ messages: [Recorder.Message]) -> [String] {
        messages.map { message in
            let text = message.bytes?.text ?? "(\(message.size))"
            return switch message.kind {
            case .text: "\(message.isSent ? "send" : "receive") \(text)"
            case .binary: "\(message.isSent ? "send" : "receive") binary \(text)"
            case .event(let type, let id): "\(type) \(id) \(text)"
            }
        }
    }

    @Test("Of binary messages only the size is kept by itself")
    func binary() async throws {
        try await TestServer.withServer { server in
            let scene = RecorderScene()
            try await scene.session(server.url).withWebSocket("ws/echo") { socket in
                var messages = socket.makeAsyncIterator()
                try await socket.send(Bytes(text: "s3cret"))
                _ = try await messages.next()
            }
            let exchange = try #require(await scene.recorder.exchanges().first)
            expectEqual(rows(exchange.attempts.last?.messages ?? []), ["send binary (6)", "receive binary (6)"])
            let entry = try #require(await scene.recorder.har(includingSecrets: true).entries.first)
            expectEqual(entry.webSocketMessages?.map(\.opcode), [2, 2])
            expectEqual(entry.webSocketMessages?.map { $0.json["_size"].int }, [6, 6])
            #expect(!"\(entry)".contains("s3cret"))
        }
    }

    @Test("A WebSocket's messages in both directions, fragments joined, as browsers write them; secrets removed")
    func webSocket() async throws {
        try await TestServer.withServer { server in
            let scene = RecorderScene { ($0.bodyBytes, $0.keepsBinaryBodies) = (100, true) }
            let api = try scene.session(server.url)
            try await api.withWebSocket("ws/echo") { socket in
                var messages = socket.makeAsyncIterator()
                try await socket.send(#"{"token":"s3cret","name":"tern"}"#)
                _ = try await messages.next()
                try await socket.send(Bytes(text: "bytes"))
                _ = try await messages.next()
                try await socket.send(pieces: ["frag", "ments"].async)
                _ = try await messages.next()
                try await socket.send(String(repeating: "a", count: 101))
                _ = try await messages.next()
            }
            let exchange = try #require(await scene.recorder.exchanges().first)
            let own = #"{"token":"s3cret","name":"tern"}"#
            let contents = [own, "binary bytes", "fragments", "(101)"]
            let found = rows(exchange.attempts.last?.messages ?? [])
            expectEqual(found.filter { $0.hasPrefix("send ") }, contents.map { "send \($0)" })
            expectEqual(found.filter { $0.hasPrefix("receive ") }, contents.map { "receive \($0)" })
            #expect(!dumped(exchange.attempts.map(\.messages)).contains("s3cret"))
            for asked in [false, true] {
                let entry = try #require(await scene.recorder.har(includingSecrets: asked).entries.first)
                expectEqual(entry.row, "GET /ws/echo 101")
                let messages = (entry.webSocketMessages ?? []).filter(\.isSent)
                expectEqual(messages.map(\.opcode), [1, 2, 1, 1])
                expectEqual(messages.first?.data.contains("s3cret"), asked)
                expectEqual(messages.first?.data.contains("tern"), true)
                expectEqual(messages.dropFirst().first?.bytes, Array("bytes".utf8))
                expectEqual(messages.last?.json["_size"].int, 101)
                #expect(messages.allSatisfy { $0.time > 1_000_000_000 })
            }
        }
    }

    @Test("A WebSocket without messages has an empty list of them")
    func silentWebSocket() async throws {
        try await TestServer.withServer { server in
            let scene = RecorderScene()
            let api = try scene.session(server.url)
            try await api.withWebSocket("ws/echo") { _ in }
            try await api.get("get")
            let entries = await scene.recorder.har().entries
            expectEqual(entries.map(\.row), ["GET /ws/echo 101", "GET /get 200"])
            expectEqual(entries.map { $0.webSocketMessages?.count }, [0, nil])
        }
    }

    @Test("Server-sent events with type, id and data, also from a folder; secrets removed")
    func events() async throws {
        try await Downloading.withFolder { parent in
            let recorder = try Recorder(folder: parent + "/recording")
            let api = try RecorderScene(recorder).mocked { _ in
                ServerResponse(
                    headers: ["Content-Type": "text/event-stream"],
                    body: .bytes(Array("id: 1\ndata: a\n\nevent: price\ndata: {\"token\":\"s3cret\"}\n\n".utf8)))
            }
            let stream = api.events("stream") { $0.reconnects = false }
            for try await _ in stream {}
            let attempt = try #require(await recorder.exchanges().first?.attempts.last)
            expectEqual(rows(attempt.messages), ["message 1 a", #"price 1 {"token":"s3cret"}"#])
            let entry = try #require(await recorder.har().entries.first)
            expectEqual(entry.events?.map { $0.json["eventName"].string }, ["message", "price"])
            expectEqual(entry.events?.map { $0.json["eventId"].string }, ["1", "1"])
            expectEqual(entry.events?.map(\.data), ["a", #"{"token":"***"}"#])
            expectNil(entry.webSocketMessages)
            try await recorder.flush()
            let file = try #require(try PrivateFile(path: parent + "/recording/exchanges-1").read(upTo: 1 << 20))
            let read = RecorderFolder.exchanges(file, limits: Recorder.Limits()).map(\.0)
            expectEqual(rows(read.first?.attempts.last?.messages ?? []), ["message 1 a", #"price 1 {"token":"***"}"#])
        }
    }

    @Test("The latest messages are kept within a quarter of the recorder's bytes, and return theirs")
    func limits() {
        var limits = Recorder.Limits()
        limits.bytes = 8_000
        let budget = RecordingBudget(RecorderMemory(limits))
        var recording = MessageRecording()
        for number in 0..<100 {
            recording.add(.event(name: "message", id: "", data: "\(number)"), budget, limits)
        }
        expectEqual(recording.messages.last?.bytes?.text, "99")
        let kept = recording.messages.reduce(0) { $0 + $1.memory }
        #expect(kept <= 2_000 && kept > 1_500)
        expectEqual(budget.takeOver(), kept)
    }

    @Test("A part of a large buffer does not retain it, and an unfinished message returns its bytes")
    func memory() {
        let limits = Recorder.Limits()
        let budget = RecordingBudget(RecorderMemory(limits))
        var recording = MessageRecording()
        let read = Bytes(repeating: 0x61, count: 64 << 10)
        for (count, isLast) in [(20 << 10, true), (1_000, false)] {
            let part = read.getSlice(at: 0, length: count) ?? Bytes()
            recording.add(
                .webSocket(isSent: false, isText: true, bytes: part, isFirst: true, isLast: isLast), budget, limits)
        }
        expectEqual(recording.messages.map(\.size), [20 << 10])
        #expect(recording.messages.allSatisfy { ($0.bytes?.storageCapacity ?? .max) <= 40 << 10 })
        expectEqual(recording.unfinished, 1_000)
        budget.release(recording.unfinished)
        expectEqual(budget.takeOver(), recording.messages.first?.memory)
    }

    @Test("Fragments beyond the limit of a body leave only the size, and take no memory")
    func fragments() {
        var limits = Recorder.Limits()
        limits.bodyBytes = 10
        let budget = RecordingBudget(RecorderMemory(limits))
        var recording = MessageRecording()
        for (text, isFirst, isLast) in [("123456", true, false), ("78901", false, false), ("2", false, true)] {
            recording.add(
                .webSocket(isSent: true, isText: true, bytes: Bytes(text: text), isFirst: isFirst, isLast: isLast),
                budget, limits)
        }
        expectEqual(recording.messages.map(\.size), [12])
        expectEqual(recording.messages.map(\.bytes), [nil])
        expectEqual(budget.takeOver(), recording.messages.first?.memory)
    }
}

extension Array where Element: Sendable {
    /// The elements as an asynchronous sequence.
    fileprivate var async: AsyncStream<Element> {
        AsyncStream { continuation in
            for element in self { continuation.yield(element) }
            continuation.finish()
        }
    }
}
