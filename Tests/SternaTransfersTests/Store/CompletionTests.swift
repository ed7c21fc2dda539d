import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: completions of several readers", .timeLimit(.minutes(5)))
struct CompletionTests {
    @Test("A completion that another store acknowledges before it is read is not delivered")
    func acknowledged() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            let session = try Session(baseURL: server.url)
            let store = try TransferStore(folder: folder.path + "/store")
            var reader = store.completions.makeAsyncIterator()
            let first = try await store.download("range/1", to: folder.path + "/1", with: session)
            let second = try await store.download("range/2", to: folder.path + "/2", with: session)
            _ = (try await first.end(), try await second.end())
            let other = try TransferStore(folder: folder.path + "/store")
            try await other.acknowledge(first.id)
            await expectEqual(reader.next()?.id, second.id)
        }
    }

    @Test("Completions have the attempts, including those of earlier processes")
    func attempts() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            server.route("GET", "/no") { _ in ServerResponse(status: 404) }
            let session = try Session(baseURL: server.url)
            let store = try TransferStore(folder: folder.path + "/store")
            var reader = store.completions.makeAsyncIterator()
            let transfer = try await store.download("no", to: folder.path + "/no", with: session)
            let done = await reader.next()
            #expect(done?.attempts.count == 1 && done?.attempts == transfer.attempts)
            let later = try TransferStore(folder: folder.path + "/store")
            await expectEqual(later.list().first?.attempts, transfer.attempts)
        }
    }

    @Test("A transfer that is acknowledged while a process takes it over has no owner")
    func gone() throws {
        let folder = TransferTestFolder()
        let files = StoreFolder(path: folder.path + "/store")
        try files.make()
        try expectNil(files.own(TransferID()))
    }
}
