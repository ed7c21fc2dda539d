import Sterna
import SternaPlatform
import SternaTesting
import SternaTransfers
import Synchronization
import Testing

@testable import SternaS3
@testable import SternaTestSupport

@Suite("S3: uploads of the store", .timeLimit(.minutes(5)))
struct S3UploadStoreTests {
    @Test("A file arrives in parts; the object's fields are sent at its creation, and all requests are signed")
    func parts() async throws {
        try await TestServer.withServer { server async throws in
            let model = S3Model()
            model.serve(on: server)
            let scene = try S3UploadScene(server)
            let transfer = try await scene.upload(
                headers: ["x-amz-meta-owner": "ada", "If-None-Match": "*", "X-Amz-Expected-Bucket-Owner": "12"])
            expectEqual(transfer.status.state, .finished(path: scene.path, length: 10_500))
            expectEqual(model.objects["film.mov"].map { Data($0.bytes) }, S3UploadScene.content)
            expectEqual(Set(model.log), Set(["create", "complete"] + (1...11).map { "part \($0)" }))
            #expect(model.log.count == 13 && model.log.first == "create" && model.log.last == "complete")
            #expect(model.areAllSigned && model.uploadCount == 0 && model.received == 10_500)
            expectEqual(transfer.response?["ETag"], model.objects["film.mov"]?.tag)
            let create = try #require(model.fields(of: "create"))
            #expect(create["Content-Type"] == "video/quicktime" && create["x-amz-meta-owner"] == "ada")
            #expect(create["If-None-Match"] == nil && create["X-Amz-Expected-Bucket-Owner"] == "12")
            let part = try #require(model.fields(of: "part 3"))
            #expect(part["x-amz-meta-owner"] == nil && part["X-Amz-Expected-Bucket-Owner"] == "12")
            expectEqual(model.fields(of: "complete")?["If-None-Match"], "*")
            #expect(!"\(transfer.attempts)".contains("upload/1"))
        }
    }

    @Test("A file of one part is sent in one request, an empty one too", arguments: [0, 1, 1_000])
    func small(count: Int) async throws {
        try await TestServer.withServer { server async throws in
            let model = S3Model { step, count in step == "put" && count == 0 ? .status(503, "SlowDown") : nil }
            model.serve(on: server)
            let content = S3UploadScene.content.prefix(count)
            let scene = try S3UploadScene(server, content: content)
            let transfer = try await scene.upload(headers: ["x-amz-meta-owner": "ada"]) { $0.checksum = .sha256 }
            expectEqual(transfer.status.state, .finished(path: scene.path, length: Int64(count)))
            let object = try #require(model.objects["film.mov"])
            #expect(Data(object.bytes) == content && object.fields["x-amz-meta-owner"] == "ada")
            expectEqual(object.fields["x-amz-checksum-sha256"]?.utf8.count, 44)
            expectEqual(model.log, ["put", "put"])
        }
    }

    @Test("The options limit concurrent parts, and progress never decreases", arguments: [1, 3])
    func concurrency(parts: Int) async throws {
        try await TestServer.withServer { server async throws in
            let waiting = Mutex(0)
            let model = S3Model(hold: {
                // Waits for as many concurrent parts as the limit allows.
                let number = waiting.withLock { count in
                    count += 1
                    return count
                }
                while number <= parts, waiting.withLock({ $0 }) < parts { await Task.yield() }
            })
            model.serve(on: server)
            let scene = try S3UploadScene(server)
            let store = try scene.store(S3UploadScene.method(concurrency: 1))
            var options = UploadOptions(.method("s3"))
            options.parts = parts
            let transfer = try await store.upload(file: scene.path, to: scene.url, with: scene.session, options)
            var last: Int64 = 0
            for await status in transfer.updates {
                #expect(status.progress.completed >= last, "\(status)")
                last = status.progress.completed
            }
            #expect(last == 10_500 && transfer.status.state.isFinished && model.concurrency == parts)
        }
    }

    @Test("Digests are sent with each part, and again with the completion")
    func checksums() async throws {
        try await TestServer.withServer { server async throws in
            let model = S3Model()
            model.serve(on: server)
            let scene = try S3UploadScene(server)
            #expect(try await scene.upload { $0.checksum = .sha256 }.status.state.isFinished)
            expectEqual(model.fields(of: "create")?["x-amz-checksum-algorithm"], "SHA256")
            let sum = try #require(model.fields(of: "part 1")?["x-amz-checksum-sha256"])
            #expect(model.completion.contains("<ChecksumSHA256>\(sum)</ChecksumSHA256>"))
            expectEqual(model.completion.split(separator: "<ChecksumSHA256>").count, 12)

            let other = S3Model()
            other.serve(on: server)
            #expect(try await scene.upload { $0.checksum = .md5 }.status.state.isFinished)
            expectEqual(other.fields(of: "part 1")?["Content-MD5"]?.utf8.count, 24)
            expectNil(other.fields(of: "create")?["x-amz-checksum-algorithm"])
            #expect(!other.completion.contains("Checksum"))

            let refused = try await scene.upload { $0.checksum = .sha512 }
            expectEqual(refused.status.state.failureReason?.contains("SHA-512"), true)
        }
    }

    // MARK: Kills

    /// Interrupts an upload after some parts, and returns the transfer that a second store carries on.
    private func interrupted(
        _ scene: S3UploadScene, _ model: S3Model, _ isOver: borrowing Mutex<Bool>,
        when isReached: (S3Model) -> Bool = { $0.log.contains("part 6") }
    ) async throws -> Transfer {
        let first = try scene.store(S3UploadScene.method(concurrency: 1, firstWait: .seconds(3_600)))
        let begun = try await first.upload(
            file: scene.path, to: scene.url, with: scene.session, UploadOptions(.method("s3")))
        while !isReached(model) { try await Task.sleep(for: .milliseconds(2)) }
        await first.interrupt()
        #expect(!begun.status.state.isOver)
        isOver.withLock { $0 = true }
        let transfer = try #require(try await scene.store().resumeAll(with: scene.session).first)
        expectEqual(transfer.id, begun.id)
        _ = try await transfer.end()
        return transfer
    }

    @Test(
        "Another process sends the missing parts, and those that differ from the list",
        arguments: 0..<5)
    func resumed(how: Int) async throws {
        try await TestServer.withServer { server async throws in
            let isOver = Mutex(false)
            let model = S3Model(pageSize: 2) { step, count in
                if isOver.withLock({ $0 }) {
                    switch (step, how) {
                    case ("list", 1): return .lyingSizes
                    case ("list", 2): return .lyingTags
                    case ("list", 3): return .forget
                    case ("list", 4): return .lyingParts(11, size: 1_000)
                    default: return nil
                    }
                }
                return step == "part 6" ? .status(503, "SlowDown") : nil
            }
            model.serve(on: server)
            let scene = try S3UploadScene(server)
            let transfer = try await interrupted(scene, model, isOver)
            expectEqual(transfer.status.state, .finished(path: scene.path, length: 10_500), "\(transfer.status)")
            expectEqual(model.objects["film.mov"].map { Data($0.bytes) }, S3UploadScene.content)
            #expect(model.creations == (how == 3 ? 2 : 1) && model.uploadCount == 0)
            let lists = model.log.filter { $0 == "list" }.count
            let sent = model.log.filter { $0.hasPrefix("part") }.count
            switch how {
            case 0: #expect(lists == 3 && sent == 12 && model.received == 10_500)
            case 1, 2: #expect(lists == 3 && model.received == 15_500)
            case 3: #expect(lists == 1 && model.received == 15_500)
            // The parts of the list cannot be joined, so that this process sends those that it has not sent.
            default: #expect(lists == 6 && model.received >= 10_500 && model.received <= 15_500)
            }
        }
    }

    @Test(
        "A completion whose response was lost is found by its entity tag, also by another process; no part is sent twice",
        arguments: [false, true])
    func lostCompletion(isKilled: Bool) async throws {
        try await TestServer.withServer { server async throws in
            let isOver = Mutex(false)
            let model = S3Model { step, count in
                if step == "complete", count == 0 { return .cutAnswer }
                return isKilled && !isOver.withLock { $0 } && step == "complete" ? .status(500, nil) : nil
            }
            model.serve(on: server)
            let scene = try S3UploadScene(server)
            let transfer: Transfer
            if isKilled {
                transfer = try await interrupted(scene, model, isOver) { !$0.objects.isEmpty }
            } else {
                transfer = try await scene.upload()
            }
            #expect(transfer.status.state.isFinished, "\(transfer.status)")
            #expect(model.log.last == "head" && model.received == 10_500 && model.creations == 1)
            expectEqual(transfer.response?["ETag"], model.objects["film.mov"]?.tag)
        }
    }

    @Test("A temporarily missing file costs none of the server's parts")
    func away() async throws {
        try await TestServer.withServer { server async throws in
            let paths = Mutex<(path: String, away: String)?>(nil)
            let model = S3Model { step, _ in
                if step == "part 4", let (path, away) = paths.withLock({ $0.take() }) { _ = rename(path, away) }
                return nil
            }
            model.serve(on: server)
            let scene = try S3UploadScene(server)
            let (path, away) = (scene.path, scene.folder + "/away")
            paths.withLock { $0 = (path, away) }
            let transfer = try await scene.store(S3UploadScene.method(concurrency: 1)).upload(
                file: scene.path, to: scene.url, with: scene.session, UploadOptions(.method("s3")))
            while transfer.attempts.first?.failure == nil, !transfer.status.state.isOver {
                try await Task.sleep(for: .milliseconds(2))
            }
            expectEqual(transfer.attempts.first?.failure?.reason.contains("is missing"), true, "\(transfer.attempts)")
            #expect(model.uploadCount == 1 && !model.log.contains("abort"))
            expectEqual(rename(away, path), 0)
            try await transfer.resume()
            _ = try await transfer.end()
            #expect(transfer.status.state.isFinished && model.creations == 1, "\(transfer.status)")
            #expect(model.received <= 11_500)
        }
    }

    @Test("A cancelled upload is aborted at the server")
    func cancelled() async throws {
        try await TestServer.withServer { server async throws in
            let model = S3Model { step, _ in step == "part 6" ? .status(503, "SlowDown") : nil }
            model.serve(on: server)
            let scene = try S3UploadScene(server)
            let store = try scene.store(S3UploadScene.method(firstWait: .seconds(3_600)))
            let transfer = try await store.upload(
                file: scene.path, to: scene.url, with: scene.session, UploadOptions(.method("s3")))
            while !model.log.contains("part 6") { try await Task.sleep(for: .milliseconds(2)) }
            expectEqual(model.uploadCount, 1)
            try await transfer.cancel()
            #expect(transfer.status.state == .cancelled && model.uploadCount == 0 && model.objects.isEmpty)
            expectEqual(model.log.suffix(2), ["abort", "list"])
        }
    }
}
