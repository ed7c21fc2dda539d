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

@Suite("Transfers: uploads of the store", .timeLimit(.minutes(5)))
struct StoredUploadTests {
    static let content = Data(noise(300_000))

    let folder = TransferTestFolder()

    private var store: String { folder.path + "/store" }

    private func file(_ content: Data = content, named name: String = "a.jpg") throws -> String {
        let path = "\(folder.path)/\(name)"
        try content.write(to: URL(filePath: path))
        return path
    }

    private func session(_ server: TestServer, _ clock: NetworkClock? = nil) throws -> Session {
        var options = EngineOptions()
        if let clock { options.clock = clock }
        let engine = Engine(options: options)
        return try Session(baseURL: server.url) { $0.network.engine = engine }
    }

    @Test(
        "A file arrives by the protocol that the server names, and the transfer is delivered until it is acknowledged",
        arguments: zip([[8], [3], []] as [Set<Int>], [.automatic, .ietf, .automatic] as [UploadOptions.Resumption]))
    func file(versions: Set<Int>, resumption: UploadOptions.Resumption) async throws {
        let path = try file()
        try await TestServer.withServer { server async throws in
            let model = UploadModel(versions: versions)
            model.serve(on: server)
            let session = try session(server)
            let store = try TransferStore(folder: store)
            let transfer = try await store.upload(
                file: path, to: "files", with: session, UploadOptions(resumption), context: "note")
            try await expectEqual(transfer.end(), .finished(path: path, length: 300_000))
            let upload = try #require(model.uploads.first)
            #expect(upload.isComplete && Data(upload.bytes) == Self.content && model.creations == 1)
            expectEqual(transfer.response.map { (200..<300).contains($0.status) }, true)
            expectNil(transfer.response?["location"], "The upload's own URL is a credential.")
            let later = try TransferStore(folder: self.store)
            #expect(try await later.resumeAll(with: session).isEmpty)
            let done = try #require(await later.list().first)
            #expect(
                done.details.kind == .upload && done.details.context == "note" && done.response == transfer.response)
            expectEqual(done.progress, TransferProgress(completed: 300_000, total: 300_000))
            try await later.acknowledge(done.id)
            #expect(try FileManager.default.contentsOfDirectory(atPath: self.store).isEmpty)
        }
    }

    @Test("Another process resumes after the bytes that the server has", arguments: [[8], []] as [Set<Int>])
    func resumed(versions: Set<Int>) async throws {
        let path = try file()
        try await TestServer.withServer { server async throws in
            let isOver = Mutex(false)
            let model = UploadModel(versions: versions) { number, method in
                if isOver.withLock({ $0 }) { return nil }
                // The first content is cut, and then the server does not respond.
                return method == "PATCH" && number < 4 ? .cut(after: 100_000) : number > 3 ? .status(503, [:]) : nil
            }
            model.serve(on: server)
            let session = try session(server)
            let first = try TransferStore(folder: store)
            let transfer = try await first.upload(file: path, to: "files", with: session)
            while model.log.filter({ $0 == "HEAD" }).isEmpty { await Task.yield() }
            await first.interrupt()
            #expect(!transfer.status.state.isOver)
            isOver.withLock { $0 = true }
            let second = try TransferStore(folder: store)
            let resumed = try await second.resumeAll(with: session)
            expectEqual(resumed.map(\.id), [transfer.id])
            try await expectEqual(resumed.first?.end(), .finished(path: path, length: 300_000))
            #expect(model.creations == 1 && model.received == 300_000)
            expectEqual(model.uploads.map { Data($0.bytes) }, [Self.content])
        }
    }

    @Test("Without a protocol the file is sent in one request, repeated with the same key after a transient failure")
    func whole() async throws {
        let path = try file()
        try await TestServer.withServer { server async throws in
            let keys = Mutex<[String?]>([])
            let bodies = Mutex<[Int]>([])
            server.route("POST", "/inbox") { request in
                keys.withLock { $0.append(request.headers["Idempotency-Key"]) }
                let body = try await request.body.collect()
                let count = bodies.withLock { bodies in
                    bodies.append(body.count)
                    return bodies.count
                }
                return count == 1
                    ? ServerResponse(status: 503, headers: ["Retry-After": "0"])
                    : ServerResponse(status: 201, headers: ["Location": "/things/7"], body: .bytes(Array("made".utf8)))
            }
            let session = try session(server)
            let store = try TransferStore(folder: store)
            let transfer = try await store.upload(file: path, to: "inbox", with: session)
            try await expectEqual(transfer.end(), .finished(path: path, length: 300_000))
            expectEqual(bodies.withLock { $0 }, [300_000, 300_000])
            expectEqual(keys.withLock { Set($0) }, ["\"\(transfer.id)\""])
            expectEqual(transfer.attempts.count, 2)
            #expect(transfer.response?.status == 201 && transfer.response?["Location"] == "/things/7")
            expectEqual(transfer.response?.body, Data("made".utf8))
        }
    }

    @Test("A changed file fails the transfer, and nothing of it is sent", arguments: 0..<3)
    func changed(how: Int) async throws {
        let path = try file()
        try await TestServer.withServer { server async throws in
            let model = UploadModel(versions: [8])
            model.serve(on: server)
            let session = try session(server)
            let store = try TransferStore(folder: store) { $0.mayBegin = { _ in false } }
            let transfer = try await store.upload(file: path, to: "files", with: session)
            await store.interrupt()
            switch how {
            case 0: try (Self.content + [1]).write(to: URL(filePath: path))
            case 1:
                var other = Self.content
                other[299_999] ^= 1
                try other.write(to: URL(filePath: path))
            default:
                try FileManager.default.copyItem(atPath: path, toPath: path + "2")
                expectEqual(rename(path + "2", path), 0)
            }
            let later = try TransferStore(folder: self.store)
            let resumed = try #require(try await later.resumeAll(with: session).first)
            guard case .failed(let failure) = try await resumed.end() else {
                Issue.record("\(resumed.status)")
                return
            }
            let word = ["300001", "other content", "replaced"][how]
            #expect(failure.kind == "fileUnreadable" && failure.reason.contains(word), "\(failure)")
            #expect(resumed.id == transfer.id && model.log.isEmpty)
        }
    }

    @Test(
        "The store asks the server to delete the upload of a changed file, for a bounded time", arguments: 0..<2)
    func changedLater(how: Int) async throws {
        let path = try file()
        try await TestServer.withServer { server async throws in
            let isOver = Mutex(false)
            let model = UploadModel(versions: [8]) { _, method in
                switch method {
                case "HEAD" where !isOver.withLock { $0 }: .status(503, ["Retry-After": "60"])
                case "PATCH" where !isOver.withLock { $0 }: .cut(after: 1_000)
                // The server does not respond in time.
                case "DELETE" where how == 1: .drip
                default: nil
                }
            }
            model.serve(on: server)
            let first = try TransferStore(folder: store)
            let transfer = try await first.upload(file: path, to: "files", with: try session(server))
            while !model.log.contains("HEAD") { await Task.yield() }
            await first.interrupt()
            #expect(!transfer.status.state.isOver && model.uploads.count == 1)
            isOver.withLock { $0 = true }
            try (Self.content + [1]).write(to: URL(filePath: path))
            let second = try TransferStore(folder: store)
            let time = TestClock()
            let resumed = try #require(try await second.resumeAll(with: session(server, time.clock)).first)
            while !resumed.status.state.isOver {
                if how == 1, model.log.last == "DELETE" { await time.advance(by: .seconds(1)) }
                try await Task.sleep(for: .milliseconds(1))
            }
            guard case .failed(let failure) = resumed.status.state else {
                Issue.record("\(resumed.status)")
                return
            }
            expectEqual(failure.kind, "fileUnreadable", "\(failure)")
            #expect(model.log.last == "DELETE" && model.uploads.isEmpty == (how != 1), "\(model.log)")
        }
    }

    @Test("A form of files and values survives; only the owner can read the stored values, until the acknowledgement")
    func form() async throws {
        let path = try file()
        try await TestServer.withServer { server async throws in
            let received = Mutex<(String, Data)?>(nil)
            server.route("POST", "/photos") { request in
                let body = Data(try await request.body.collect())
                received.withLock { $0 = (request.headers["Content-Type"] ?? "", body) }
                return ServerResponse(status: 204)
            }
            let session = try session(server)
            let first = try TransferStore(folder: store) { $0.mayBegin = { _ in false } }
            let transfer = try await first.upload(to: "photos", with: session, .init(.off)) { form in
                form.boundary = "b"
                form.append("Ada", name: "author")
                form.append(file: path, name: "photo")
                form.append("1", name: "rating")
            }
            let own = "\(store)/\(transfer.id)/content"
            #expect(FileStatus(path: own)?.permissions == 0o600 && transfer.details.path == own)
            await first.interrupt()
            let second = try TransferStore(folder: store)
            let resumed = try #require(try await second.resumeAll(with: session).first)
            guard case .finished = try await resumed.end() else {
                Issue.record("\(resumed.status)")
                return
            }
            var expected = Data("--b\r\nContent-Disposition: form-data; name=\"author\"\r\n\r\nAda\r\n".utf8)
            expected += Data("--b\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"\r\n".utf8)
            expected += Data("Content-Type: image/jpeg\r\n\r\n".utf8) + Self.content
            expected += Data("\r\n--b\r\nContent-Disposition: form-data; name=\"rating\"\r\n\r\n1\r\n--b--\r\n".utf8)
            let found = try #require(received.withLock { $0 })
            #expect(found.0 == "multipart/form-data; boundary=b" && found.1 == expected)
            try await second.acknowledge(transfer.id)
            #expect(try FileManager.default.contentsOfDirectory(atPath: store).isEmpty)

            await #expect(throws: SternaError.self) {
                try await second.upload(to: "photos", with: session) { $0.append("hunter2", name: "password") }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: store).isEmpty)
        }
    }

    @Test("A stream is copied into the store, up to its limit")
    func stream() async throws {
        try await TestServer.withServer { server async throws in
            let model = UploadModel(versions: [8])
            model.serve(on: server)
            let session = try session(server)
            let store = try TransferStore(folder: store) { $0.maxStoredBytes = 500_000 }
            func body(_ pieces: Int) -> Body {
                let (stream, feed) = AsyncStream<Bytes>.makeStream()
                for number in 0..<pieces { feed.yield(Bytes(repeating: UInt8(number), count: 100_000)) }
                feed.finish()
                return .stream(stream)
            }
            let transfer = try await store.upload(body(3), to: "files", with: session)
            try await expectEqual(transfer.end(), .finished(path: transfer.details.path, length: 300_000))
            expectEqual(model.uploads.first?.bytes.count, 300_000)
            // Until it is acknowledged, the store keeps its content.
            do {
                _ = try await store.upload(body(3), to: "files", with: session)
                Issue.record("It was taken.")
            } catch let error as SternaError {
                #expect(error.kind == .limitExceeded && error.message.contains("200000"), "\(error)")
            }
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: self.store), [transfer.id.text])
            try await store.acknowledge(transfer.id)
            try await store.upload(body(5), to: "files", with: session)
        }
    }

    @Test("A secret header field is stored by name, and its value requested at each attempt")
    func secrets() async throws {
        let path = try file(Data("abc".utf8))
        try await TestServer.withServer { server async throws in
            let model = UploadModel(versions: [8])
            model.serve(on: server)
            let session = try session(server)
            let store = try TransferStore(folder: store) { $0.secret = { $0 == "shop" ? "hunter2" : nil } }
            let transfer = try await store.upload(
                file: path, to: "files", with: session, secrets: ["X-API-Key": "shop"])
            guard case .finished = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
            let sent = server.requests().filter { $0.method != "OPTIONS" }.map { $0.headers["X-API-Key"] }
            #expect(sent.count == 2 && sent.allSatisfy { $0 == "hunter2" })
            for name in try FileManager.default.contentsOfDirectory(atPath: "\(self.store)/\(transfer.id)") {
                let bytes = FileManager.default.contents(atPath: "\(self.store)/\(transfer.id)/\(name)") ?? Data()
                #expect(!String(decoding: bytes, as: UTF8.self).contains("hunter2"))
            }
            let other = try await store.upload(file: path, to: "files", with: session, secrets: ["X-API-Key": "other"])
            // A later program may know it.
            #expect(try await other.end().isBlocked)
            let reason = other.attempts.last?.failure?.reason ?? ""
            #expect(reason.contains("“other”") && reason.contains("TransferStoreSettings.secret"), "\(reason)")
            try await other.cancel()
            do {
                _ = try await store.upload(file: path, to: "files", with: session, headers: ["X-API-Key": "hunter2"])
                Issue.record("It was taken.")
            } catch let error as SternaError {
                #expect(error.kind == .invalidRequest && !"\(error)".contains("hunter2"))
            }
        }
    }

    @Test("While an upload waits for its server, its status has the reason")
    func obstacle() async throws {
        let path = try file()
        try await TestServer.withServer { server async throws in
            let isLocked = Mutex(true)
            let model = UploadModel(versions: [8]) { _, method in
                method == "PATCH" && isLocked.withLock { $0 } ? .status(423, [:]) : nil
            }
            model.serve(on: server)
            let store = try TransferStore(folder: store)
            let transfer = try await store.upload(file: path, to: "files", with: try session(server))
            var obstacle: TransferFailure?
            for await _ in transfer.stateUpdates {
                obstacle = transfer.status.obstacle
                if obstacle != nil { break }
            }
            #expect(obstacle?.reason.contains("423") == true && transfer.status.state == .running)
            isLocked.withLock { $0 = false }
            try await expectEqual(transfer.end(), .finished(path: path, length: 300_000))
            #expect(transfer.status.obstacle == nil && transfer.attempts.count == 1)
        }
    }

    @Test("The store asks the server to delete a cancelled upload")
    func cancelled() async throws {
        let path = try file()
        try await TestServer.withServer { server async throws in
            let model = UploadModel(versions: [8]) { _, method in
                method == "HEAD" ? .status(503, ["Retry-After": "60"]) : method == "PATCH" ? .cut(after: 1_000) : nil
            }
            model.serve(on: server)
            let store = try TransferStore(folder: store)
            let transfer = try await store.upload(file: path, to: "files", with: try session(server))
            while !model.log.contains("HEAD") { await Task.yield() }
            try await transfer.cancel()
            #expect(transfer.status.state == .cancelled && model.log.last == "DELETE" && model.uploads.isEmpty)
        }
    }

    @Test("A permanent refusal ends the transfer with the server's reason; a transient one does not")
    func refused() async throws {
        let path = try file()
        try await TestServer.withServer { server async throws in
            let model = UploadModel(versions: [8]) { number, _ in number == 1 ? .status(422, [:]) : nil }
            model.serve(on: server)
            let store = try TransferStore(folder: store)
            let transfer = try await store.upload(file: path, to: "files", with: try session(server))
            guard case .failed(let failure) = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
            #expect(failure.kind == "unacceptableStatus" && failure.reason.contains("422"))
        }
        #expect(TransferRule.isTransient(.passing(.locked)) && TransferRule.isTransient(.passing(.waitTooLong(900))))
        // A conflict that lasts for a minute may come from another process of the server that hangs.
        for fault in [.mismatch, .offsetWentBack(from: 2, to: 1), .gone(404)] as [UploadFault] {
            #expect(TransferRule.isTransient(.passing(fault)))
        }
        #expect(!TransferRule.isTransient(.passing(.outcomeUnknown)))
    }

    @Test("An unavailable target gets the content again, even if it came with the creation")
    func laterTarget() async throws {
        let path = try file()
        try await TestServer.withServer { server async throws in
            let isBusy = Mutex(true)
            let model = UploadModel(versions: [8]) { _, method in
                guard method == "POST", isBusy.withLock({ $0 }) else { return nil }
                isBusy.withLock { $0 = false }
                return .status(503, ["Upload-Draft-Interop-Version": "8", "Upload-Complete": "?1"])
            }
            model.serve(on: server)
            let store = try TransferStore(folder: store)
            var upload = UploadOptions(.ietf)
            upload.createsWithContent = true
            let transfer = try await store.upload(file: path, to: "files", with: try session(server), upload)
            try await expectEqual(transfer.end(), .finished(path: path, length: 300_000), "\(transfer.status)")
            expectEqual(transfer.attempts.first?.failure?.reason.contains("503"), true)
            #expect(model.uploads.map(\.isComplete) == [true] && model.log == ["POST", "POST"])
        }
    }

    @Test("A download into a folder is named by the server")
    func intoFolder() async throws {
        try await TestServer.withServer { server async throws in
            server.route("GET", "/file") { _ in
                ServerResponse(
                    headers: ["Content-Disposition": "attachment; filename=\"named.txt\""], body: .bytes([0x61]))
            }
            let store = try TransferStore(folder: store)
            let transfer = try await store.download("file", into: folder.path, with: try session(server))
            try await expectEqual(transfer.end(), .finished(path: folder.path + "/named.txt", length: 1))
            #expect(transfer.details.isFolder && transfer.details.path == folder.path)
        }
    }
}

extension SternaError {
    fileprivate static func passing(_ fault: UploadFault) -> SternaError {
        var error = fault.error()
        error.underlying = fault
        return error
    }
}
