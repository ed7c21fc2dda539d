import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// How much a server may send ahead of whoever reads (RFC 9113 §5.2).
@Suite("HTTP/2: windows for responses", .timeLimit(.minutes(5)))
struct HTTP2ReceiveWindowTests {
    /// The window that a stream begins with, and what is kept beyond for a reader that does not come.
    private static let first = 256 << 10
    private static let kept = 512 << 10

    private func session(_ peer: FramePeer, maximumWindow: Int? = nil) throws -> Session {
        let engine = PoolSupport.engine { options in
            if let maximumWindow { options.http2.maximumWindow = maximumWindow }
        }
        return try HTTP2Scene.session(peer, engine) { $0.responseSerializer = .data }
    }

    @Test("A stream begins with 256 KiB, and each can use them")
    func initial() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await connection.request()
            try await connection.roundTrip()
            expectEqual(connection.clientSettings[WireFrame.Setting.initialWindowSize], UInt32(Self.first))
            expectEqual(connection.room(request.stream), Self.first)
            try await connection.respond(request.stream, body: Wire.pattern(Self.first))
        } body: { peer in
            let body = try await session(peer).get("row").body
            #expect(Wire.same(body, Wire.pattern(Self.first)))
            try await peer.waitForScripts()
        }
    }

    @Test(
        "A reader that waits stops the server on its stream only, and later gets the whole body",
        arguments: [1, 8])
    func stopped(count: Int) async throws {
        let content = Wire.pattern(3 << 20)
        let isFull = Gate()
        let mayRead = Gate()
        try await FramePeer.withPeer { connection in
            defer { isFull.open() }
            try await connection.handshake()
            let requests = try await connection.requests(count)
            var sent: [Int] = []
            for request in requests {
                try await connection.respondHead(request.stream)
                sent.append(try await connection.fill(request.stream, content))
            }
            #expect(sent.allSatisfy { $0 >= Self.first && $0 <= Self.first + Self.kept }, "\(sent)")
            isFull.open()
            let other = try await connection.request()
            try await connection.respond(other.stream, body: content)
            mayRead.open()
            for (request, sent) in zip(requests, sent) {
                try await connection.sendBody(request.stream, Array(content[sent...]))
            }
        } body: { peer in
            let api = try session(peer)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    group.addTask {
                        try await api.withResponse(to: .get("\(number)")) { response in
                            await mayRead.pass()
                            let body = try await response.body.collect(upTo: 8 << 20)
                            #expect(Wire.same(body, content))
                        }
                    }
                }
                await isFull.pass()
                let other = try await api.get("other").body
                #expect(Wire.same(other, content))
                mayRead.open()
                try await group.waitForAll()
            }
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test(
        "A reader that stops midway stops the server, however large its window had grown",
        arguments: [256 << 10, 1 << 20, 16 << 20])
    func stoppedLater(maximumWindow: Int) async throws {
        let before = 8 << 20
        let content = Wire.pattern(before + maximumWindow + (4 << 20))
        let isReached = Gate()
        let isFull = Gate()
        try await FramePeer.withPeer { connection in
            defer { isFull.open() }
            try await connection.handshake()
            let request = try await connection.request()
            try await connection.respondHead(request.stream)
            try await connection.sendBody(request.stream, Array(content[..<before]), end: false)
            await isReached.pass()
            let sent = try await connection.fill(request.stream, content, from: before)
            #expect(sent - before <= maximumWindow + Self.kept)
            isFull.open()
            let other = try await connection.request()
            try await connection.respond(other.stream, body: Array(content[..<before]))
            try await connection.sendBody(request.stream, Array(content[sent...]))
        } body: { peer in
            let api = try session(peer, maximumWindow: maximumWindow)
            try await api.withResponse(to: .get("row")) { response in
                var all = Bytes()
                for try await chunk in response.body {
                    all.writeImmutableBuffer(chunk)
                    guard all.readableBytes >= before, !isReached.isOpen else { continue }
                    isReached.open()
                    await isFull.pass()
                    let other = try await api.get("other").body
                    #expect(Wire.same(other, Array(content[..<before])))
                }
                #expect(Wire.same(all, content))
            }
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("No window is larger than requested, or than the protocol allows")
    func most() async throws {
        let maximum = 1 << 20
        let content = Wire.pattern(1 << 20)
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await connection.request()
            try await connection.respondHead(request.stream)
            for number in 0..<24 {
                try await connection.sendBody(request.stream, content, end: number == 23)
                #expect(connection.room(request.stream) <= maximum)
            }
            let increments = connection.log.compactMap(\.increment)
            #expect(increments.allSatisfy { $0 > 0 && $0 < 1 << 31 })
        } body: { peer in
            let body = try await session(peer, maximumWindow: maximum).get("row").body
            expectEqual(body.readableBytes, 24 << 20)
            try await peer.waitForScripts()
        }
    }
}
