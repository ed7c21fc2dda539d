import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

/// The examples of docs/Transfers.md.
@Suite("Examples: transfers", .timeLimit(.minutes(5)))
struct TransfersExamplesTests {
    /// Puts a mock in the place of the network.
    private struct SessionMaker {
        func callAsFunction(baseURL: String, _ configure: (inout SessionSettings) -> Void = { _ in }) throws -> Session
        {
            let mock = MockTransport { _ in
                .init(headers: ["ETag": "\"v\""], body: ResponseBody(Bytes(repeating: 0x61, count: 100)))
            }
            return try Session(baseURL: baseURL) {
                $0.network.transport = mock
                configure(&$0)
            }
        }
    }

    @Test("A store and its completions")
    func store() async throws {
        let test = TransferTestFolder()
        let (folder, token, path) = (test.path + "/store", "t0k", test.path + "/big.iso")
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker()
        let early = try TransferStore(folder: folder)
        let other = try Session(baseURL: "https://example.com")
        _ = try await early.download("a", to: test.path + "/a", with: other).end()
        let work = Task {
            let store = try TransferStore(folder: folder)
            let session = try Session(baseURL: "https://example.com") { $0.auth.header = .bearer(token) }

            try await store.resumeAll(with: session)  // what earlier processes have not finished
            try await store.download("images/big.iso", to: path, with: session)

            for await done in store.completions {
                print(done.details.path, done.state)
                try await store.acknowledge(done.id)
            }
        }
        while FileStatus(path: path) == nil { try await Task.sleep(for: .milliseconds(5)) }
        while await !early.list().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        work.cancel()
        _ = await work.result
        for name in ["a", "big.iso"] {
            #expect(FileManager.default.contents(atPath: "\(test.path)/\(name)")?.count == 100, "\(name)")
        }
    }

    @Test("Uploads")
    func uploads() async throws {
        let test = TransferTestFolder()
        let (film, photo, folder) = (test.path + "/film.mov", test.path + "/a.jpg", test.path + "/other")
        for path in [film, photo] { try Data([1, 2, 3]).write(to: URL(filePath: path)) }
        let session = try SessionMaker()(baseURL: "https://example.com")
        let early = try TransferStore(folder: test.path + "/store")
        do {
            let store = early
            try await store.upload(file: film, to: "films", with: session)  // by the protocol that the server names
            try await store.upload(file: film, to: "files", with: session, .init(.tus), context: "for Ada")

            try await store.upload(to: "photos", with: session) { form in
                form.append(file: photo, name: "photo")
                form.append("Ada", name: "author")
            }
        }
        for transfer in early.transfers where transfer.details.upload?.resumption == .automatic {
            guard case .finished = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
        }
        await early.interrupt()
        let secrets = ["shop": "hunter2"]
        @Sendable func isNight() -> Bool { true }
        do {
            let store = try TransferStore(folder: folder) { settings in
                settings.secret = { name in secrets[name] }  // asked before each attempt
                settings.mayBegin = { _ in isNight() }  // asked before each attempt, and again when its turn has come
                settings.maxStoredBytes = 100 << 20
            }
            try await store.upload(file: film, to: "films", with: session, secrets: ["X-API-Key": "shop"])
            await store.retryNow()  // the network is back
            for transfer in store.transfers { _ = try await transfer.end() }
        }
    }

    @Test("Control")
    func control() async throws {
        let test = TransferTestFolder()
        let (store, path) = (try TransferStore(folder: test.path + "/store"), test.path + "/f")
        let gate = Gate()
        let mock = MockTransport { _ in
            await gate.wait()
            return .init(headers: ["ETag": "\"v\""], body: ResponseBody(Bytes(repeating: 0x61, count: 100)))
        }
        let session = try Session(baseURL: "https://example.com") { $0.network.transport = mock }
        let opening = Task {
            while mock.requests.count < 1 { await Task.yield() }
            gate.open()
        }

        let transfer = try await store.download("big.iso", to: path, with: session, context: "for Ada")
        for await status in transfer.updates { print(status) }  // running, 37% of 1.2 GB, 48 MB/s, 16 s left

        try await transfer.pause()  // also in later processes, until:
        try await transfer.resume()
        print(
            transfer.attempts.map { "\($0.number): \($0.failure?.reason ?? "no failure"), \($0.keptBytes) bytes kept" })
        try await transfer.cancel()  // removes what is there

        await opening.value
        #expect(transfer.status.state == .finished(path: path, length: 100))
    }

    @Test("Options")
    func options() async throws {
        let test = TransferTestFolder()
        let (store, path) = (try TransferStore(folder: test.path + "/store"), test.path + "/f")
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker()
        let session = try Session(baseURL: "https://example.com")
        let digest = "2816597888e4a0d3a36b82b83316ab32680eb8f00f8cd3b904d681246d285a0e"

        var options = TransferOptions()
        options.maxAttempts = 20  // 100 by default
        options.maxRequests = 200  // in a row that bring nothing, of all attempts; 1,000 by default
        options.lifetime = .seconds(86_400)  // no attempt begins after a day; without limit by default
        options.priority = .high  // of those that wait for a turn
        options.sha256 = digest  // of the file; an upload's content is compared with it when it is added
        options.maxSegments = 4  // connections; 1 by default
        options.replacesFile = true
        try await store.download("big.iso", to: path, with: session, options: options)

        let transfer = try #require(store.transfers.first)
        #expect(try await transfer.end() == .finished(path: path, length: 100))
    }

    @Test("Names of sessions")
    func names() async throws {
        let test = TransferTestFolder()
        let (store, path) = (try TransferStore(folder: test.path + "/store"), test.path + "/f")
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker()
        let ada = try Session(baseURL: "https://example.com")

        try await store.download("report.pdf", to: path, with: ada, named: "ada")
        try await store.resumeAll(with: ada, named: "ada")  // takes no others

        for transfer in store.transfers { _ = try await transfer.end() }
        #expect(await store.list().map(\.details.session) == ["ada"])
    }

    @Test("Unreadable transfers")
    func unreadable() async throws {
        let test = TransferTestFolder()
        let store = try TransferStore(folder: test.path + "/store")
        let id = TransferID()
        mkdir("\(test.path)/store/\(id)", 0o700)
        #expect(await store.unreadable().map(\.id) == [id])

        for broken in await store.unreadable() {
            print(broken.reason)  // with the path of the file
            if broken.cause == .damaged { try await store.discard(broken.id) }
        }

        #expect(await store.unreadable().isEmpty)
    }
}
