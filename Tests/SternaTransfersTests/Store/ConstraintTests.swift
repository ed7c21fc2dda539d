import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: whether an attempt may begin", .timeLimit(.minutes(5)))
struct ConstraintTests {
    private let folder = TransferTestFolder()
    private var store: String { folder.path + "/store" }

    private func session(_ server: TestServer) throws -> Session {
        let engine = Engine()
        return try Session(baseURL: server.url) { $0.network.engine = engine }
    }

    @Test("The program is asked again when the turn has come")
    func turn() async throws {
        try await TestServer.withServer { server async throws in
            let gate = Gate()
            server.route("GET", "/held") { _ in
                await gate.wait()
                return ServerResponse(body: .bytes([0x61]))
            }
            let isAllowed = Mutex(true)
            let asked = Mutex<Set<String>>([])
            let store = try TransferStore(folder: store, concurrency: 1) { settings in
                settings.mayBegin = { details in
                    asked.withLock { _ = $0.insert(details.path) }
                    return isAllowed.withLock { $0 }
                }
                settings.constraintInterval = .seconds(3_600)
            }
            let session = try session(server)
            let first = try await store.download("held", to: folder.path + "/a", with: session)
            while server.requests().isEmpty { await Task.yield() }
            let second = try await store.download("range/10", to: folder.path + "/b", with: session)
            // It waits for its turn when the night ends.
            while !asked.withLock({ $0.contains(second.details.path) }) { await Task.yield() }
            isAllowed.withLock { $0 = false }
            gate.open()
            _ = try await first.end()
            let third = try await store.download("range/3", to: folder.path + "/c", with: session)
            isAllowed.withLock { $0 = true }
            try await third.resume()
            try await expectEqual(third.end(), .finished(path: folder.path + "/c", length: 3))
            #expect(second.status.state == .waiting && server.requests().count == 2)
            await store.retryNow()
            try await expectEqual(second.end(), .finished(path: folder.path + "/b", length: 10))
        }
    }

    @Test("A transfer begins once the program allows it")
    func constraint() async throws {
        try await TestServer.withServer { server async throws in
            let isAllowed = Mutex(false)
            let store = try TransferStore(folder: store) { settings in
                settings.mayBegin = { _ in isAllowed.withLock { $0 } }
                settings.constraintInterval = .seconds(3_600)
            }
            let transfer = try await store.download(
                "range/10", to: folder.path + "/f", with: try session(server))
            await store.retryNow()
            #expect(transfer.status.state == .waiting && server.requests().isEmpty)
            isAllowed.withLock { $0 = true }
            await store.retryNow()
            try await expectEqual(transfer.end(), .finished(path: folder.path + "/f", length: 10))
        }
    }

    @Test("A transfer of a killed process waits, too, and begins at once after retryNow()")
    func killed() async throws {
        try await TestServer.withServer { server async throws in
            let files = StoreFolder(path: store)
            try files.make()
            let details = try TransferDescription(
                .download, created: 1, url: try HTTPURL(server.url("/range/10")), path: folder.path + "/f", headers: [],
                session: "default", options: TransferOptions(), context: nil)
            let begun = try files.begin(details.id)
            try files.add(details, begun.new)
            begun.lock.release()
            try TransferJournal(files.files(of: details.id).journal).append(.began(number: 1, at: 1, kept: 0))
            let isAllowed = Mutex(false)
            let asked = Mutex(0)
            let own = try TransferStore(folder: store) { settings in
                settings.mayBegin = { _ in
                    let mayBegin = isAllowed.withLock { $0 }
                    asked.withLock { $0 += 1 }
                    return mayBegin
                }
                settings.constraintInterval = .seconds(3_600)
            }
            let transfer = try #require(try await own.resumeAll(with: try session(server)).first)
            for await state in transfer.stateUpdates where state == .waiting { break }
            while asked.withLock({ $0 }) == 0 { await Task.yield() }
            isAllowed.withLock { $0 = true }
            await own.retryNow()
            try await expectEqual(transfer.end(), .finished(path: folder.path + "/f", length: 10))
            expectEqual(transfer.attempts.count, 2)
        }
    }
}
