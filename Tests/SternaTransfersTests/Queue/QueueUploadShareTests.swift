import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Queue: uploads in the background and in the foreground", .timeLimit(.minutes(20)), .serialized)
struct QueueUploadShareTests {
    private static let size = 12 << 20

    /// A server with a file to download and a place for uploads, and a session whose limit stands for a slow network.
    private func with(_ work: (QueueScene, Session, _ file: String) async throws -> Void) async throws {
        try await QueueScene.with { scene in
            let piece = [UInt8](repeating: 0x61, count: 64 << 10)
            scene.server.route("GET", "/big") { _ in
                ServerResponse(
                    headers: ["ETag": "\"v\""],
                    body: .stream(length: Self.size) { writer in
                        for _ in 0..<(Self.size / piece.count) { try await writer.write(piece) }
                    })
            }
            scene.server.route("POST", "/sink") { request in
                for try await _ in request.body {}
                return ServerResponse(status: 204)
            }
            let file = scene.folder.path + "/big"
            try Data(repeating: 0x62, count: Self.size).write(to: URL(filePath: file))
            let line = BandwidthLimit(download: 6_000_000, upload: 6_000_000)
            try await work(scene, scene.session.with { $0.limits.bandwidth = line }, file)
        }
    }

    private func store(_ scene: QueueScene) throws -> TransferStore {
        try TransferStore(folder: scene.folder.path + "/store")
    }

    /// Runs a transfer beside a running background transfer, and checks the share of the latter meanwhile.
    private func check(
        _ scene: QueueScene, _ queue: TransferQueue, background: QueuedTransfer, beside: () async throws -> Void
    ) async throws {
        queue.start()
        // Without competition it has the whole rate.
        try await scene.until { background.progress.completed > 2 << 20 }
        #expect(scene.session.traffic.isMeasured)
        let before = background.progress.completed
        try await beside()
        let meanwhile = background.progress.completed - before
        // A tenth, and the bytes before the rates had settled.
        #expect(meanwhile <= Int64(Self.size) / 4, "\(meanwhile) bytes beside \(Self.size)")
        #expect(meanwhile >= Int64(YieldRule.least) / 2, "\(meanwhile)")
        print("in the background \(meanwhile) bytes beside \(Self.size)")
        try await background.end()
        expectNil(background.error)
        #expect(scene.session.traffic.foregroundCount == 0 && !scene.session.traffic.isMeasured)
    }

    @Test(
        "A background upload yields to a download: from a store, as an upload task, and as a data task",
        arguments: 0..<3)
    func background(kind: Int) async throws {
        try await with { scene, session, file in
            let queue = TransferQueue(with: session)
            let slow =
                switch kind {
                case 0:
                    try await queue.add(
                        store(scene).upload(file: file, to: "sink", with: session, .init(.off), startsAtOnce: false),
                        isBackground: true)
                case 1: try queue.add(isBackground: true) { $0.uploadTask(try .upload(file: file, to: "sink")) }
                default: try queue.add(isBackground: true) { $0.dataTask(.get("big")) }
                }
            try await check(scene, queue, background: slow) {
                _ = try await session.download("big", to: .file(file + "-fast")).value
            }
        }
    }

    @Test("A background download yields to an upload: from a store, and as a task", arguments: [true, false])
    func foreground(isStored: Bool) async throws {
        try await with { scene, session, file in
            let queue = TransferQueue(with: session)
            let slow = try queue.add(isBackground: true) { $0.download("big", to: .file(file + "-slow")) }
            try await check(scene, queue, background: slow) {
                if isStored {
                    let transfer = try await store(scene).upload(file: file, to: "sink", with: session, .init(.off))
                    _ = try await transfer.end()
                    expectEqual(transfer.response?.status, 204)
                } else {
                    let task = session.uploadTask(try .upload(file: file, to: "sink"))
                    task.resume()
                    _ = try await task.value
                }
            }
        }
    }
}
