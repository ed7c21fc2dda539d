import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTransfers

/// The rows of docs/Migrating/Foundation.md about background sessions.
@Suite("Coming from background sessions", .timeLimit(.minutes(5)))
struct MigratingBackgroundTests {
    private func api() throws -> Session {
        let mock = MockTransport { _ in
            .init(headers: ["ETag": "\"v\""], body: ResponseBody(Bytes(repeating: 0x61, count: 100)))
        }
        return try Session(baseURL: "https://example.com") { $0.network.transport = mock }
    }

    @Test("Adding, resuming and completions")
    func rows() async throws {
        let (test, api) = (TransferTestFolder(), try api())
        let (folder, path, film) = (test.path + "/store", test.path + "/big.iso", test.path + "/film.mov")
        try Data(repeating: 7, count: 10).write(to: URL(filePath: film))
        let store = try TransferStore(folder: folder)
        try await store.resumeAll(with: api, named: "photos")
        try await store.download("big.iso", to: path, with: api, named: "photos")
        let transfer = try await store.upload(file: film, to: "films", with: api)
        try await transfer.pause()
        try await transfer.resume()
        #expect(transfer.details.context == nil)
        var count = 0
        for await done in store.completions {
            try await store.acknowledge(done.id)
            count += 1
            if count == 2 { break }
        }
        #expect(await store.list().isEmpty && store.transfers.isEmpty)
        #expect(FileManager.default.contents(atPath: path)?.count == 100)
    }

    @Test("Constraints")
    func constraints() async throws {
        let (test, api, date) = (TransferTestFolder(), try api(), Date.distantPast)
        let store = try TransferStore(folder: test.path + "/store") { $0.mayBegin = { details in Date() > date } }
        var options = TransferOptions()
        options.lifetime = .seconds(604_800)
        let transfer = try await store.download(
            "big.iso", to: test.path + "/big.iso", with: api, options: options, context: "for Ada", startsAtOnce: false)
        let queue = TransferQueue(with: api)
        try await queue.add(transfer, isBackground: true)
        queue.start()
        try await queue.finish()
        #expect(transfer.status.state.isOver)
    }
}
