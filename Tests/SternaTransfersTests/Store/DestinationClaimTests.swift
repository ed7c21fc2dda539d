import HTTPTypes
import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: claims of destinations", .timeLimit(.minutes(5)))
struct DestinationClaimTests {
    private let folder = TransferTestFolder()
    private var path: String { folder.path + "/store" }
    private var file: String { folder.path + "/f" }

    private func session(_ gate: Gate? = nil) throws -> Session {
        let mock = MockTransport { _ in
            await gate?.wait()
            return .init(headers: ["ETag": "\"v\""], body: ResponseBody(Bytes(repeating: 0x61, count: 100)))
        }
        return try Session(baseURL: "https://a.example") { $0.network.transport = mock }
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("While a download is unfinished, a second one to its file is refused, also in another process")
    func refused() async throws {
        let session = try session()
        let store = try TransferStore(folder: path)
        let other = try TransferStore(folder: path)
        let first = try await store.download("a", to: file, with: session, startsAtOnce: false)
        for (store, file) in [(store, file), (other, file), (other, folder.path + "//./f")] {
            let error = await #expect(throws: SternaError.self) {
                try await store.download("b", to: file, with: session)
            }
            expectEqual(error?.kind, .invalidRequest, "\(String(describing: error))")
            expectEqual(error?.message.contains(first.id.text), true, "\(String(describing: error))")
            #expect(error?.underlying as? DestinationClaimed == DestinationClaimed(id: first.id))
        }
        await expectEqual(store.list().map(\.id), [first.id])
        await expectEqual(store.unfinishedDownload(to: file)?.id, first.id)
        // The refused downloads leave no files.
        try expectEqual(names(path).filter { !$0.hasPrefix(".to-") }, [first.id.text])
        try await first.cancel()
        await expectNil(store.unfinishedDownload(to: file))
        let second = try await other.download("b", to: file, with: session)
        try await expectEqual(second.end(), .finished(path: file, length: 100))
        for id in [first.id, second.id] { try await store.acknowledge(id) }
        #expect(try names(path).isEmpty)
    }

    @Test(
        "Paths of the same file are one",
        arguments: [
            ("/a/b", "/a/b"), ("//a", "/a"), ("/a//b", "/a/b"), ("/a/./b", "/a/b"), ("/./a", "/a"), ("/a/", "/a"),
            ("/a/.", "/a"),
            ("/.", "/"), ("/", "/"), ("//", "/"), ("", "/"), ("a/b", "/a/b"), ("/.a/b", "/.a/b"), ("/a./b.", "/a./b."),
            ("/a/..", "/a/.."), ("/a/.../b", "/a/.../b"),
        ])
    func normal(path: String, expected: String) {
        expectEqual(DestinationClaims.normal(path), expected)
    }

    @Test("Downloads into folders and to other files are not refused")
    func several() async throws {
        let session = try session()
        let store = try TransferStore(folder: path)
        for _ in 0..<2 {
            try await store.download("a", into: folder.path + "/in", with: session, startsAtOnce: false)
        }
        for name in ["1", "2"] {
            try await store.download("a", to: folder.path + "/" + name, with: session, startsAtOnce: false)
        }
        await expectEqual(store.list().count, 4)
    }

    @Test("Of many downloads added at once one is accepted")
    func race() async throws {
        let session = try session()
        let stores = try (0..<4).map { _ in try TransferStore(folder: path) }
        let over = try await stores[0].download("a", to: file, with: session, startsAtOnce: false)
        // Its claim can be taken over.
        try await over.cancel()
        let added = await withTaskGroup(of: Transfer?.self, returning: [Transfer].self) { group in
            for number in 0..<32 {
                group.addTask {
                    try? await stores[number % 4].download("a", to: file, with: session, startsAtOnce: false)
                }
            }
            return await group.reduce(into: []) { if let transfer = $1 { $0.append(transfer) } }
        }
        expectEqual(added.count, 1)
        await expectEqual(stores[0].list().filter { !$0.state.isOver }.map(\.id), added.map(\.id))
    }

    @Test("The claim of a process that was killed while adding is taken over, and removed with its files")
    func leftBehind() async throws {
        let files = StoreFolder(path: path)
        try files.make()
        let killed = try files.begin(TransferID())
        let id = try #require(TransferID(String(killed.new.path.suffix(32))))
        try files.claims.claim(file, for: id)
        expectEqual(files.claims.holder(of: file), id)
        killed.lock.release()
        expectNil(files.claims.holder(of: file))
        files.tidy()
        #expect(try names(path).isEmpty)
        try files.claims.claim(file, for: id)
        let store = try TransferStore(folder: path)
        let transfer = try await store.download("a", to: file, with: try session(), startsAtOnce: false)
        expectEqual(files.claims.holder(of: file), transfer.id)
    }

    @Test("A download that fails for good leaves no partial file")
    func orphan() async throws {
        try await TestServer.withServer { server async throws in
            let gate = Gate()
            server.route("GET", "/f") { _ in
                ServerResponse(
                    headers: ["ETag": "\"v\""],
                    body: .stream(length: 2 << 20) { writer in
                        try await writer.write(Array(repeating: 0x61, count: 1 << 20))
                        await gate.wait()
                        try await writer.write(Array(repeating: 0x61, count: 1 << 20))
                    })
            }
            let engine = Engine()
            let session = try Session(baseURL: server.url) { $0.network.engine = engine }
            let store = try TransferStore(folder: path)
            let transfer = try await store.download("f", to: file, with: session)
            for await status in transfer.updates where status.progress.completed >= 1 << 20 { break }
            // Another program takes the name.
            try Data("mine".utf8).write(to: URL(filePath: file))
            gate.open()
            guard case .failed(let failure) = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
            expectEqual(failure.kind, "destinationUnusable")
            try expectEqual(names(folder.path), ["f", "store"])
            expectEqual(FileManager.default.contents(atPath: file), Data("mine".utf8))
        }
    }

    @Test("A partial file that another download uses or can resume is kept")
    func foreign() throws {
        let part = file + ".sterna-part"
        try Data("abc".utf8).write(to: URL(filePath: part))
        let descriptor = open(part, O_RDWR | O_CLOEXEC)
        expectEqual(flock(descriptor, LOCK_EX | LOCK_NB), 0)
        AbandonedPart.remove(part)
        #expect(FileStatus(linkAt: part) != nil)
        close(descriptor)
        try Data("{}".utf8).write(to: URL(filePath: file + ".sterna-resume"))
        AbandonedPart.remove(part)
        #expect(FileStatus(linkAt: part) != nil)
        unlink(file + ".sterna-resume")
        AbandonedPart.remove(file + ".sterna-resume")
        AbandonedPart.remove(part)
        expectNil(FileStatus(linkAt: part))
    }

    @Test("A fragment is not stored: it is never sent")
    func fragment() async throws {
        let store = try TransferStore(folder: path)
        let transfer = try await store.download(
            "a?b=c#access_here", to: file, with: try session(), startsAtOnce: false)
        #expect(transfer.details.url.href == "https://a.example/a?b=c")
        #expect(await store.list().first?.details.url.href == "https://a.example/a?b=c")
    }
}
