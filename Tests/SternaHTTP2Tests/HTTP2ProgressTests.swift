import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("HTTP/2: progress", .timeLimit(.minutes(5)))
struct HTTP2ProgressTests {
    @Test(
        "An upload's progress never decreases, stays within the windows, and ends at the total",
        arguments: HTTP2Scene.Upload.allCases, [1, 65_536, 1_000_000])
    func upload(kind: HTTP2Scene.Upload, size: Int) async throws {
        let content = Wire.pattern(size)
        let file = try TestFile(content)
        let steps = Mutex<[TransferProgress]>([])
        try await FramePeer.withPeer { connection in
            var ledger = WindowLedger(connection)
            try await ledger.greet(connectionWindow: 1 << 24)
            let stream = try await connection.request().stream
            var open = 65_535
            while open < size {
                try await expectEqual(connection.settledData(stream, atLeast: open), open)
                let told = steps.withLock { $0.last?.completed ?? 0 }
                #expect(told <= Int64(open))
                try await ledger.grant(stream, 200_000)
                open += 200_000
            }
            _ = try await connection.trailers(of: stream)
            ledger.check()
            try await connection.respond(stream, text: "all")
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let body = try HTTP2Scene.body(kind, content, file)
            try await api.post("row", body: body) {
                $0.uploadProgress = { step in steps.withLock { $0.append(step) } }
            }
            try await peer.waitForScripts()
        }
        let seen = steps.withLock { $0 }
        expectEqual(seen.last?.completed, Int64(size))
        let total: Int64? = kind == .open ? nil : Int64(size)
        #expect(seen.allSatisfy { $0.total == total })
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.completed < $1.completed })
        if size > 1 << 19 { #expect(seen.count > 3) }
    }

    @Test("An empty body is reported as sent")
    func empty() async throws {
        let steps = Mutex<[TransferProgress]>([])
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            try await connection.servePaths()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.upload(.bytes([]), to: "row", progress: { step in steps.withLock { $0.append(step) } })
        }
        expectEqual(steps.withLock { $0.last?.completed }, 0)
        expectEqual(steps.withLock { $0.last?.total }, 0)
    }

    @Test("The progress of a refused upload restarts, and ends at the total")
    func again() async throws {
        let content = Wire.pattern(300_000)
        let steps = Mutex<[TransferProgress]>([])
        try await FramePeer.withPeer { connection in
            if connection.number == 0 {
                try await connection.greet()
                let stream = try await connection.request().stream
                _ = try await connection.settledData(stream, atLeast: 65_535)
                try await connection.send(.goAway(last: 1))
                try await connection.waitForClose()
            } else {
                try await connection.handshake()
                let stream = try await connection.request().stream
                #expect(HTTP2Scene.same(try await connection.body(of: stream), content))
                try await connection.respond(stream, text: "all")
            }
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            try await api.post("row", body: .bytes(content)) {
                $0.uploadProgress = { step in steps.withLock { $0.append(step) } }
            }
            try await peer.waitForScripts()
        }
        let seen = steps.withLock { $0 }
        expectEqual(seen.last?.completed, 300_000)
        let total: Int64 = 300_000
        #expect(seen.allSatisfy { (step: TransferProgress) -> Bool in step.completed <= total && step.total == total })
    }

    @Test("A download's progress ends at the total, of known or unknown length", arguments: [false, true])
    func download(hasLength: Bool) async throws {
        let content = Wire.pattern(1_000_000)
        let steps = Mutex<[TransferProgress]>([])
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await connection.request()
            let fields = hasLength ? [("content-length", "1000000")] : []
            try await connection.respond(request.stream, headers: fields, body: content)
        } body: { peer in
            let api = try HTTP2Scene.session(peer) { $0.responseSerializer = .data }
            let body = try await api.get("row") {
                $0.downloadProgress = { step in steps.withLock { $0.append(step) } }
            }.body
            #expect(Wire.same(body, content))
            try await peer.waitForScripts()
        }
        let seen = steps.withLock { $0 }
        expectEqual(seen.last?.completed, 1_000_000)
        #expect(seen.allSatisfy { $0.total == (hasLength ? 1_000_000 : nil) })
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.completed <= $1.completed })
    }
}
