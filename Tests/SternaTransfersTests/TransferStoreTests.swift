import HTTPTypes
import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: the store", .timeLimit(.minutes(5)))
struct TransferStoreTests {
    private static func letters(_ count: Int) -> Data { Data((0..<count).map { UInt8(0x61 + $0 % 26) }) }

    private func session(_ server: TestServer) throws -> Session {
        let engine = Engine()
        return try Session(baseURL: server.url) { $0.network.engine = engine }
    }

    @Test("A download arrives at its destination, and is delivered until it is acknowledged")
    func download() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            let session = try session(server)
            let store = try TransferStore(folder: folder.path + "/store")
            let path = folder.path + "/file"
            let transfer = try await store.download("range/300000", to: path, with: session, context: "note")
            guard case .finished(let final, let length) = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
            #expect(final == path && length == 300_000)
            expectEqual(FileManager.default.contents(atPath: path), Self.letters(300_000))
            #expect(transfer.attempts.count == 1 && transfer.attempts[0].failure == nil)
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder.path).sorted(), ["file", "store"])
            for _ in 0..<2 {
                // As a later process sees it.
                let later = try TransferStore(folder: folder.path + "/store")
                #expect(try await later.resumeAll(with: session).isEmpty)
                var completions = later.completions.makeAsyncIterator()
                let done = try #require(await completions.next())
                #expect(done.id == transfer.id && done.details.context == "note")
                expectEqual(done.state, .finished(path: path, length: 300_000))
            }
            try await store.acknowledge(transfer.id)
            try await store.acknowledge(transfer.id)
            #expect(await store.list().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/store").isEmpty)
        }
    }

    @Test("An invalid URL fails as in a session, and nothing is stored", arguments: ["http://", "ftp://a.example/f"])
    func invalidURL(_ reference: String) async throws {
        let folder = TransferTestFolder()
        let session = try Session(baseURL: "https://a.example") {
            $0.network.transport = MockTransport { _ in .init() }
        }
        let store = try TransferStore(folder: folder.path + "/store")
        let file = folder.path + "/file"
        try Data("a".utf8).write(to: URL(filePath: file))
        var errors: [SternaError?] = []
        await errors.append(
            #expect(throws: SternaError.self) { try await store.download(reference, to: file + "2", with: session) })
        await errors.append(
            #expect(throws: SternaError.self) { try await store.upload(file: file, to: reference, with: session) })
        for error in errors {
            #expect(error?.kind == .invalidURL && error?.underlying is HTTPURL.ParseError)
        }
        #expect(await store.list().isEmpty)
    }

    @Test("Completions are delivered while the sequence is read, each once")
    func completions() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            let session = try session(server)
            let store = try TransferStore(folder: folder.path + "/store", concurrency: 3)
            let early = try await store.download("range/10", to: folder.path + "/early", with: session)
            _ = try await early.end()
            let reader = Task {
                var found: [String] = []
                for await done in store.completions {
                    found.append(done.details.path)
                    if found.count == 11 { break }
                }
                return found
            }
            for number in 0..<10 {
                try await store.download("range/\(number)", to: "\(folder.path)/\(number)", with: session)
            }
            let found = await reader.value
            #expect(Set(found).count == 11 && found.count == 11)
            #expect(store.transfers.isEmpty)
        }
    }

    @Test("A pause outlives the process; received bytes are not fetched again")
    func pause() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            let gate = Gate()
            server.route("GET", "/slow") { request in
                let start = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
                let size = 4 << 20
                var headers: ServerHeaders = ["ETag": "\"v\"", "Accept-Ranges": "bytes"]
                if start > 0 { headers["Content-Range"] = "bytes \(start)-\(size - 1)/\(size)" }
                return ServerResponse(
                    status: start > 0 ? 206 : 200, headers: headers,
                    body: .stream(length: size - start) { writer in
                        let half = size / 2
                        if start < half { try await writer.write(Array(repeating: 0x61, count: half - start)) }
                        await gate.wait()
                        try await writer.write(Array(repeating: 0x62, count: size - max(half, start)))
                    })
            }
            let session = try session(server)
            let store = try TransferStore(folder: folder.path + "/store")
            let path = folder.path + "/file"
            let transfer = try await store.download("slow", to: path, with: session)
            for await status in transfer.updates where status.progress.completed >= 1 << 20 { break }
            try await transfer.pause()
            expectEqual(transfer.status.state, .paused)
            let kept = transfer.status.progress.completed
            #expect(kept >= 1 << 20)

            // While the first store has it, no other one takes it.
            let other = try TransferStore(folder: folder.path + "/store")
            #expect(try await other.resumeAll(with: session).isEmpty)
            await expectEqual(other.list().map(\.state), [.paused])
            await #expect(throws: SternaError.self) { try await other.acknowledge(transfer.id) }

            gate.open()
            try await transfer.resume()
            try await expectEqual(transfer.end(), .finished(path: path, length: 4 << 20))
            let ranges = server.requests().map { $0.headers["Range"] }
            expectEqual(ranges, [nil, "bytes=\(kept)-"])
            let half = 2 << 20
            expectEqual(
                FileManager.default.contents(atPath: path),
                Data(repeating: 0x61, count: half) + Data(repeating: 0x62, count: half))
        }
    }

    @Test("After many pauses and resumptions the status is the last one requested, and the transfer finishes")
    func pauses() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            let session = try session(server)
            let store = try TransferStore(folder: folder.path + "/store")
            let path = folder.path + "/file"
            let transfer = try await store.download("range/20000000", to: path, with: session)
            for _ in 0..<30 {
                try await transfer.pause()
                guard !transfer.status.state.isOver else { break }
                expectEqual(transfer.status.state, .paused)
                try await transfer.resume()
            }
            try await expectEqual(transfer.end(), .finished(path: path, length: 20_000_000))
            expectEqual(FileManager.default.contents(atPath: path), Self.letters(20_000_000))
        }
    }

    @Test("Cancelling deletes the partial file for good")
    func cancel() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            let session = try session(server)
            let store = try TransferStore(folder: folder.path + "/store")
            let transfer = try await store.download(
                "drip?numbytes=1000&duration=600", to: folder.path + "/file", with: session)
            try await server.waitForRequests(1, within: 60)
            try await transfer.cancel()
            try await expectEqual(transfer.end(), .cancelled)
            try await transfer.resume()
            try await transfer.cancel()
            expectEqual(transfer.status.state, .cancelled)
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder.path), ["store"])
            try await server.waitForOpenConnections(0, within: 60)
            await expectEqual(store.list().map(\.state), [.cancelled])
        }
    }

    @Test("An existing file and a refusal end the transfer with the reason")
    func refused() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            let session = try session(server)
            let store = try TransferStore(folder: folder.path + "/store")
            let path = folder.path + "/file"
            try Data("mine".utf8).write(to: URL(filePath: path))
            for (reference, destination, reason) in [
                ("range/10", path, "exists"), ("status/404", path + "2", "404"),
            ] {
                let transfer = try await store.download(reference, to: destination, with: session)
                guard case .failed(let failure) = try await transfer.end() else {
                    Issue.record("\(transfer.status)")
                    continue
                }
                #expect(failure.reason.contains(reason), "\(failure)")
            }
            expectEqual(FileManager.default.contents(atPath: path), Data("mine".utf8))
        }
    }

    @Test("After failures a transfer is retried with pauses, and the attempts have the reasons")
    func retries() async throws {
        let folder = TransferTestFolder()
        let time = TestClock()
        let count = Mutex(0)
        var options = EngineOptions()
        options.clock = time.clock
        let engine = Engine(options: options)
        let mock = MockTransport { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number > 2 else {
                // Pauses end by the system's clock, too, so they are longer than the test could ever take.
                return .init(status: 503, headers: ["Retry-After": "\(number)000"])
            }
            return .init(headers: ["ETag": "\"v\""], body: ResponseBody(Bytes(repeating: 0x61, count: 100)))
        }
        let session = try Session(baseURL: "https://a.example") {
            $0.network.engine = engine
            $0.network.transport = mock
            $0.retry = .none
        }
        let store = try TransferStore(folder: folder.path + "/store")
        let transfer = try await store.download("f", to: folder.path + "/file", with: session)
        for number in 1...2 {
            while count.withLock({ $0 }) < number || time.timerCount == 0 { await Task.yield() }
            #expect(transfer.status.state == .waiting || transfer.attempts.last?.failure != nil)
            if number == 2 {
                await time.advance(by: .seconds(1_000))
                expectEqual(count.withLock { $0 }, 2)
            }
            await time.advance(by: .seconds(1_001))
        }
        try await expectEqual(transfer.end(), .finished(path: folder.path + "/file", length: 100))
        expectEqual(transfer.attempts.map { $0.failure?.kind }, ["unacceptableStatus", "unacceptableStatus", nil])
        expectEqual(transfer.attempts.first?.failure?.reason.contains("503"), true)
    }

    @Test("The path of a store may be relative; forms are stored in it, too")
    func relative() async throws {
        let folder = TransferTestFolder()
        let up = FileManager.default.currentDirectoryPath.split(separator: "/").map { _ in "../" }.joined()
        let path = up + folder.path.dropFirst() + "/store"
        try await TestServer.withServer { server async throws in
            server.route("POST", "/form") { request in
                ServerResponse(status: try await request.body.collect().isEmpty ? 400 : 201)
            }
            let store = try TransferStore(folder: path)
            let transfer = try await store.upload(to: "form", with: try session(server), .init(.off)) { form in
                form.append("Ada", name: "author")
            }
            guard case .finished = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder.path + "/store").count, 1)
        }
    }

    @Test("A newer program's transfer is refused, and the others continue")
    func newer() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            let session = try session(server)
            let path = folder.path + "/store"
            let store = StoreFolder(path: path)
            let descriptions = try (0..<3).map { number in
                try TransferDescription(
                    .download, created: 0, url: try HTTPURL(server.url("/range/\(number)")),
                    path: "\(folder.path)/\(number)", headers: [], session: number == 2 ? "other" : "default",
                    options: TransferOptions(), context: nil)
            }
            for description in descriptions {
                let begun = try store.begin(description.id)
                try store.add(description, begun.new)
                begun.lock.release()
            }
            let file = store.files(of: descriptions[0].id).description
            let text = String(decoding: try #require(try file.read(upTo: 1 << 20)), as: UTF8.self)
            try file.write(Array(text.replacing("\"version\" : 1", with: "\"version\" : 9").utf8))
            let later = try TransferStore(folder: path)
            let error = await #expect(throws: SternaError.self) {
                _ = try await later.resumeAll(with: session, named: "default")
            }
            expectEqual(error?.message.contains("its version is 9"), true)
            var completions = later.completions.makeAsyncIterator()
            await expectEqual(completions.next()?.id, descriptions[1].id)
            await #expect(throws: SternaError.self) { _ = try await later.resumeAll(with: session, named: "other") }
            var others = later.completions.makeAsyncIterator()
            var found: Set<TransferID> = []
            while found.count < 2, let done = await others.next() { found.insert(done.id) }
            expectEqual(found, Set(descriptions[1...].map(\.id)))
        }
    }
}
