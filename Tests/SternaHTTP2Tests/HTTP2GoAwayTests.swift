import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Connections that the server ends by GOAWAY (RFC 9113 §6.8).
@Suite("HTTP/2: GOAWAY", .timeLimit(.minutes(5)))
struct HTTP2GoAwayTests {
    private static let all: UInt32 = 0x7FFF_FFFF

    @Test("With two GOAWAYs, streams up to the last one finish; later and new ones move elsewhere")
    func graceful() async throws {
        let isAnnounced = Gate()
        let mayAnswer = Gate()
        try await FramePeer.withPeer { connection in
            guard connection.number == 0 else {
                try await connection.handshake()
                return try await connection.servePaths()
            }
            try await connection.greet()
            let requests = try await connection.requests(3)
            try await connection.send(.goAway(last: Self.all))
            try await connection.roundTrip()
            isAnnounced.open()
            await mayAnswer.pass()
            expectEqual(connection.requestCount, 4)
            try await connection.send(.goAway(last: requests[1].stream))
            try await connection.set(WireFrame.Setting.maxConcurrentStreams, 100)
            for request in requests.prefix(2) { try await connection.respond(request.stream, text: "here") }
            try await connection.waitForClose()
            #expect(connection.resets.isEmpty)
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let tasks = try await Self.inOrder(3, peer, before: 1) {
                try await api.post("\($0)", body: .text("b")).text()
            }
            await isAnnounced.pass()
            try await expectEqual(api.get("new").text(), "/new")
            mayAnswer.open()
            var texts: [String] = []
            for task in tasks { texts.append(try await task.value) }
            expectEqual(texts, ["here", "here", "/2"])
            expectEqual(peer.connectionCount, 2)
            expectEqual(peer.totalRequests, 6)
            let first = try await peer.connection(0)
            try await first.waitForScript()
        }
    }

    /// Begins requests one after the other, each when the server has the one before it.
    private static func inOrder(
        _ count: Int, _ peer: FramePeer, before: Int, _ ask: @escaping @Sendable (Int) async throws -> String
    ) async throws -> [Task<String, any Error>] {
        let connection = try await peer.connection(0)
        var tasks: [Task<String, any Error>] = []
        for number in 0..<count {
            tasks.append(Task { try await ask(number) })
            try await connection.waitForRequests(before + number + 1)
        }
        return tasks
    }

    @Test(
        "Streams above the last one are resent in order on one other connection, whatever the code",
        arguments: [WireFrame.Code.noError, .internalError, .enhanceYourCalm])
    func order(code: WireFrame.Code) async throws {
        let order = PoolOrder()
        try await FramePeer.withPeer { connection in
            guard connection.number == 0 else {
                try await connection.handshake()
                return try await connection.serve { request in
                    order.add(request.path ?? "")
                    try await connection.respond(request.stream, text: "there")
                }
            }
            try await connection.greet()
            let requests = try await connection.requests(6)
            try await connection.send(.goAway(last: requests[0].stream, code: code))
            try await connection.respond(requests[0].stream, text: "here")
            try await connection.waitForClose()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let tasks = try await Self.inOrder(6, peer, before: 1) { number in
                try await api.request(number.isMultiple(of: 2) ? .get : .post, "\(number)").text()
            }
            for (number, task) in tasks.enumerated() {
                try await expectEqual(task.value, (number == 0 ? "here" : "there"))
            }
            expectEqual(order.names, (1..<6).map { "/\($0)" })
            expectEqual(peer.connectionCount, 2)
        }
    }

    @Test("If no stream was processed, all move elsewhere at once, uploads included")
    func none() async throws {
        let content = Wire.pattern(200_000)
        let isServed = Gate()
        try await FramePeer.withPeer { connection in
            guard connection.number == 0 else {
                try await connection.handshake()
                return try await connection.serve { request in
                    let body = request.endStream ? [] : try await connection.body(of: request.stream)
                    #expect(HTTP2Scene.same(body, request.method == "POST" ? content : []))
                    try await connection.respond(request.stream, text: request.path ?? "")
                }
            }
            try await connection.handshake()
            let requests = try await connection.requests(3)
            let upload = requests.first { $0.method == "POST" }?.stream ?? 0
            try await connection.wait("DATA") { state in state.log.contains { $0.kind == .data } ? () : nil }
            try await connection.send(.goAway(last: 0))
            try? await connection.roundTrip()
            let count = connection.dataCount(upload)
            try? await connection.send(.windowUpdate(upload, 1 << 20), .windowUpdate(0, 1 << 20))
            // The server does not close: nobody waits for that.
            await isServed.pass()
            expectEqual(connection.dataCount(upload), count)
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            let texts = try await HTTP2Scene.texts(3) { number in
                number == 1
                    ? try await api.post("1", body: .bytes(content)).text() : try await api.get("\(number)").text()
            }
            isServed.open()
            expectEqual(texts, ["/0", "/1", "/2"])
            expectEqual(peer.totalRequests, 6)
            expectEqual(peer.connectionCount, 2)
        }
    }

    @Test("Requests that wait for a stream do not wait for the connection's end")
    func waiting() async throws {
        let isQueued = Gate()
        let mayAnswer = Gate()
        try await FramePeer.withPeer { connection in
            guard connection.number == 0 else {
                try await connection.handshake()
                return try await connection.servePaths()
            }
            try await connection.greet(settings: [(WireFrame.Setting.maxConcurrentStreams, 1)])
            let held = try await connection.request()
            await isQueued.pass()
            try await connection.send(.goAway(last: held.stream))
            await mayAnswer.pass()
            try await connection.respond(held.stream, text: "held")
            try await connection.waitForClose()
            expectEqual(connection.requestCount, 2)
        } body: { peer in
            let engine = PoolSupport.engine { $0.maximumConnectionsPerOrigin = 2 }
            let api = try HTTP2Scene.session(peer, engine)
            try await api.get("first")
            let held = Task { try await api.get("held").text() }
            try await peer.connection(0).waitForRequests(2)
            let tasks = (0..<5).map { number in Task { try await api.post("\(number)").text() } }
            // Some may be on a second connection by now, which is as good.
            await PoolSupport.expect(engine, "five are under way, or done") {
                $0.activeRequests == 6 || $0.requests > 2
            }
            isQueued.open()
            for (number, task) in tasks.enumerated() { try await expectEqual(task.value, "/\(number)") }
            mayAnswer.open()
            try await expectEqual(held.value, "held")
            expectEqual(peer.totalRequests, 7)
        }
    }

    @Test("Between two requests, the next one moves elsewhere, a POST included, and the client closes")
    func idle() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            guard connection.number == 0 else { return try await connection.servePaths() }
            try await connection.send(.goAway(last: 1))
            try await connection.waitForClose()
            expectEqual(connection.requestCount, 1)
            #expect(connection.log.allSatisfy { $0.kind != .goAway || $0.lastStream == 0 })
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            try await peer.connection(0).waitForClose()
            try await expectEqual(api.post("next", body: .text("body")).text(), "first")
            expectEqual(peer.connectionCount, 2)
            try await peer.connection(0).waitForScript()
        }
    }

    @Test("GOAWAY with a response or just after it harms no request", arguments: [0, 1])
    func race(lead: UInt32) async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await connection.request()
            let answer: [WireFrame] = [
                .headers(request.stream, HeaderBlock.encode([(":status", "200")])),
                .data(request.stream, Array("in".utf8), end: true),
            ]
            let goAway = WireFrame.goAway(last: request.stream)
            try await connection.send(lead == 0 ? answer + [goAway] : [goAway] + answer)
            try await connection.close()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            for _ in 0..<50 { try await expectEqual(api.post("row", body: .text("b")).text(), "in") }
            #expect(peer.connectionCount >= 50)
        }
    }

    @Test("With a code and a close, the error names the code and the server's text")
    func code() async throws {
        try await FramePeer.withPeer { connection in
            guard connection.number == 0 else {
                try await connection.handshake()
                return try await connection.servePaths()
            }
            try await connection.greet()
            let requests = try await connection.requests(2)
            try await connection.send(
                .goAway(
                    last: requests[0].stream, code: .internalError, debug: Array("out of\r\n\u{1B}[31m hamsters".utf8)))
            try await connection.close()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let tasks = try await Self.inOrder(2, peer, before: 1) {
                try await api.post("\($0)", body: .text("b")).text()
            }
            let error = await Wire.failure(.connectionClosed, .wait) { _ = try await tasks[0].value }
            let text = error?.description ?? ""
            #expect(text.contains("INTERNAL_ERROR"))
            #expect(text.contains("hamsters"))
            #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
            try await expectEqual(tasks[1].value, "/1")
        }
    }

    @Test(
        "Accepted requests of a new connection that ends without responses are resent once, if they may be repeated",
        arguments: [WireFrame.Code.noError, .protocolError])
    func acceptedThenClosed(code: WireFrame.Code) async throws {
        try await FramePeer.withPeer { connection in
            guard connection.number == 0 else {
                try await connection.handshake()
                return try await connection.serve { try await connection.respond($0.stream, text: $0.path ?? "") }
            }
            try await connection.handshake()
            let requests = try await connection.requests(2)
            try await connection.send(.goAway(last: requests[1].stream, code: code))
            try await connection.close()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            let get = Task { try await api.get("0").text() }
            try await peer.connection(0).waitForRequests(1)
            let post = Task { try await api.post("1").text() }
            try await expectEqual(get.value, "/0")
            await Wire.failure(.connectionClosed, .wait) { _ = try await post.value }
            expectEqual(peer.connectionCount, 2)
        }
    }

    @Test("A long text of the server is shortened in the error")
    func longDebug() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let request = try await connection.request()
            let debug = [UInt8](repeating: 0x64, count: 16_000)
            try await connection.send(.goAway(last: request.stream, code: .enhanceYourCalm, debug: debug))
            try await connection.close()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let error = await Wire.failure(.connectionClosed, .wait) { try await api.post("row", body: .text("b")) }
            let text = error?.description ?? ""
            #expect(text.contains("ENHANCE_YOUR_CALM"))
            #expect(text.utf8.count < 4_096)
        }
    }

    @Test("Without a code and with a close, unfinished streams fail, each in its phase")
    func unfinished() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let requests = try await connection.requests(2)
            try await connection.respondHead(requests[1].stream)
            try await connection.send(.data(requests[1].stream, Array("half".utf8)))
            try await connection.send(.goAway(last: requests[1].stream))
            try await connection.roundTrip()
            try await connection.close()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let tasks = try await Self.inOrder(2, peer, before: 1) {
                try await api.post("\($0)", body: .text("b")).text()
            }
            await Wire.failure(.connectionClosed, .wait) { _ = try await tasks[0].value }
            await Wire.failure(.truncated, .read) { _ = try await tasks[1].value }
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("Streams up to the last one are read to their end, however long that takes")
    func draining() async throws {
        let content = Wire.pattern(4 << 20)
        try await FramePeer.withPeer { connection in
            guard connection.number == 0 else {
                try await connection.handshake()
                return try await connection.servePaths()
            }
            try await connection.greet()
            let request = try await connection.request()
            try await connection.respondHead(request.stream)
            try await connection.send(.goAway(last: request.stream))
            for start in stride(from: 0, to: content.count, by: 1 << 18) {
                let end = start + (1 << 18)
                try await connection.roundTrip()
                try await connection.sendBody(
                    request.stream, Array(content[start..<end]), end: end == content.count)
            }
            try await connection.waitForClose()
        } body: { peer in
            let api = try HTTP2Scene.session(peer) { $0.responseSerializer = .data }
            try await api.get("first")
            let body = try await api.get("row").body
            #expect(Wire.same(body, content))
            try await expectEqual(api.get("next").text(), "/next")
            expectEqual(peer.connectionCount, 2)
            try await peer.connection(0).waitForScript()
        }
    }

    @Test("If each connection takes a few requests, the others are resent until all have responses")
    func few() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let requests = try await connection.requests(2)
            try await connection.send(.goAway(last: requests[1].stream))
            for request in requests { try await connection.respond(request.stream, text: request.path ?? "") }
            try await connection.waitForClose()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            let texts = try await HTTP2Scene.texts(40) { try await api.post("\($0)", body: .text("b")).text() }
            expectEqual(texts, (0..<40).map { "/\($0)" })
            expectEqual(peer.connectionCount, 20)
        }
    }

    @Test("If no connection takes a request, it is resent three times")
    func fruitless() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            _ = try await connection.request()
            try await connection.send(.goAway(last: 0))
            try await connection.waitForClose()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            let error = await Wire.failure(.connectionClosed, .wait) { try await api.post("row", body: .text("b")) }
            #expect(error?.description.contains("despite several attempts") == true)
            expectEqual(peer.connectionCount, 4)
        }
    }
}
