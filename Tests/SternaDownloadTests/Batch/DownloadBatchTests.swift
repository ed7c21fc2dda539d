import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Downloads: batches", .timeLimit(.minutes(5)))
struct DownloadBatchTests {
    @Test("Files are saved to the folder, with results in order and progress over all")
    func all() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                let counts = [200_000, 0, 70_000, 1, 300_000]
                let batch = api.download(counts.map { "range/\($0)" }, into: "\(folder)/new", concurrency: 2)
                var last = BatchProgress(files: 5)
                for await step in batch.progress { last = step }
                expectEqual(last.finished, 5)
                expectEqual(last.failed, 0)
                expectEqual(last.bytes.completed, 570_001)
                expectEqual(last.bytes.total, 570_001)
                let files = try await batch.results.map { try $0.get() }
                expectEqual(files.map { Int($0.length) }, counts)
                for (file, count) in zip(files, counts) {
                    expectEqual(file.path, "\(folder)/new/\(count)")
                    try expectEqual(Downloading.bytes(file.path), Downloading.alphabet(count))
                }
                #expect(batch.isFinished)
                expectEqual(batch.progress.current.finished, 5)
                #expect(api.tasks.isEmpty)
            }
        }
    }

    @Test("A failed file does not stop others, and files of one name do not overwrite each other")
    func failures() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                let batch = api.download(
                    ["range/3000", "status/404", "range/3000", "http://[", "range/3000"], into: folder, concurrency: 3)
                let results = try await batch.results
                expectEqual(results.map { (try? $0.get()) != nil }, [true, false, true, false, true])
                expectEqual(results.map(\.failureKind), [nil, .unacceptableStatus, nil, .invalidURL, nil])
                try expectEqual(Downloading.names(in: folder), ["3000", "3000 (2)", "3000 (3)"])
                for name in try Downloading.names(in: folder) {
                    try expectEqual(Downloading.bytes("\(folder)/\(name)"), Downloading.alphabet(3_000))
                }
                for await _ in batch.progress {}
                expectEqual(batch.progress.current.failed, 2)
            }
        }
    }

    @Test("No more downloads than the limit run at once; waiting ones have sent nothing")
    func limit() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let release = Gate()
                let present = Crowd()
                server.route("GET", "/slow/{n}") { request in
                    await present.with { await release.wait() }
                    return ServerResponse(body: .bytes([0x61]))
                }
                let api = try Downloading.session(server)
                let batch = api.download((0..<9).map { "slow/\($0)" }, into: folder, concurrency: 3)
                try await server.waitForRequests(3, within: 60)
                expectEqual(batch.tasks.map(\.state).filter { $0 == .running }.count, 3)
                #expect(batch.tasks.dropFirst(3).allSatisfy { $0.state == .suspended && $0.requests.isEmpty })
                expectEqual(server.requestCount, 3)
                release.open()
                #expect(try await batch.results.allSatisfy { $0.failureKind == nil })
                #expect(present.most <= 3)
                expectEqual(server.requestCount, 9)
            }
        }
    }

    @Test("A batch that is not started waits; a suspended one starts nothing; a resumed one continues")
    func suspended() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let release = Gate()
                server.holdBody(of: 20_000_000, until: release)
                let api = try Downloading.session(server) { $0.tasks.startsImmediately = false }
                let batch = api.download(["held", "range/10", "range/11"], into: folder, concurrency: 1)
                #expect(batch.tasks.allSatisfy { $0.state == .suspended })
                expectEqual(server.requestCount, 0)
                batch.resume()
                for await step in batch.tasks[0].progress where step.completed > 1_000_000 { break }
                batch.suspend()
                batch.suspend()
                expectEqual(batch.tasks.map(\.state), [.suspended, .suspended, .suspended])
                release.open()
                expectEqual(server.requestCount, 1)
                batch.resume()
                let files = try await batch.results.map { try $0.get() }
                expectEqual(files.map(\.length), [20_000_000, 10, 11])
                expectEqual(server.requestCount, 3)
            }
        }
    }

    @Test("A cancelled batch keeps complete files, and no others")
    func cancelled() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                server.holdBody(of: 20_000_000, until: Gate())
                let api = try Downloading.session(server)
                let batch = api.download(["range/10", "held", "range/11"], into: folder, concurrency: 1)
                for await step in batch.tasks[1].progress where step.completed > 1_000_000 { break }
                batch.cancel()
                let results = try await batch.results
                expectEqual(results.map(\.failureKind), [nil, .cancelled, .cancelled])
                for await _ in batch.progress {}
                expectEqual(batch.progress.current.finished, 1)
                expectEqual(batch.progress.current.failed, 2)
                try expectEqual(Downloading.names(in: folder), ["10"])
                try await server.waitForOpenConnections(0, within: 60)
            }
        }
    }

    @Test("After a cancellation with resume data, the next batch from the same URLs to the folder resumes")
    func continued() async throws {
        let count = 20_000_000
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                server.holdBody(of: count, until: Gate())
                let api = try Downloading.session(server)
                let batch = api.download(["held", "range/11"], into: folder, concurrency: 1)
                for await step in batch.tasks[0].progress where step.completed > 1_000_000 { break }
                let data = await batch.cancelProducingResumeData()
                expectEqual(data.count, 2)
                let kept = try #require(data[0])
                expectNil(data[1])
                try expectEqual(Downloading.names(in: folder), ["held.sterna-part", "held.sterna-resume"])

                let files = try await api.download(["range/11", "held"], into: folder).results.map { try $0.get() }
                expectEqual(files[1].resumedAt, kept.receivedBytes)
                try expectEqual(Downloading.bytes(files[1].path), Downloading.alphabet(count))
                try expectEqual(Downloading.names(in: folder), ["11", "held"])
            }
        }
    }

    @Test("Cancelling the Swift task that awaits the results ends only its wait")
    func wait() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let release = Gate()
                server.holdAnswer(until: release)
                let api = try Downloading.session(server)
                let batch = api.download(["wait", "range/10"], into: folder, concurrency: 1)
                try await server.waitForRequests(1, within: 60)
                let waiting = Task { try await batch.results }
                let reading = Task { for await _ in batch.progress {} }
                waiting.cancel()
                reading.cancel()
                let error = await #expect(throws: SternaError.self) { try await waiting.value }
                expectEqual(error?.kind, .cancelled)
                await reading.value
                #expect(!batch.isFinished)
                release.open()
                #expect(try await batch.results.allSatisfy { $0.failureKind == nil })
            }
        }
    }

    @Test("Resume data is kept even if the Swift task that requested it was cancelled")
    func interrupted() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                server.holdBody(of: 20_000_000, until: Gate())
                let api = try Downloading.session(server)
                let batch = api.download(["held"], into: folder)
                for await step in batch.tasks[0].progress where step.completed > 1_000_000 { break }
                let asking = Task {
                    while !Task.isCancelled { await Task.yield() }
                    return await batch.cancelProducingResumeData()
                }
                asking.cancel()
                #expect(await asking.value.first??.receivedBytes ?? 0 > 1_000_000)
            }
        }
    }

    @Test("The batch may be released while it runs, and an empty batch is finished")
    func released() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                var tasks: [DownloadTask] = []
                do { tasks = api.download((1...5).map { "range/\($0)" }, into: folder, concurrency: 2).tasks }
                for task in tasks { _ = try await task.value }
                let none = api.download([String](), into: folder)
                #expect(try await none.results.isEmpty)
                for await _ in none.progress {}
                #expect(none.isFinished)
            }
        }
    }

    @Test("A server's name that must not be replaced fails before the transfer")
    func taken() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let (release, path) = (Gate(), "\(folder)/held")
                server.holdBody(of: 20_000_000, until: release)
                try Data("old".utf8).write(to: URL(filePath: path))
                let api = try Downloading.session(server)
                let error = await #expect(throws: SternaError.self) {
                    try await api.download("held", to: .folder(folder, existing: .fail)).value
                }
                expectEqual(error?.kind, .destinationUnusable)
                try expectEqual(Downloading.names(in: folder), ["held"])
                release.open()
            }
        }
    }
}

extension Result where Failure == SternaError {
    /// The kind of the error; nil for a success.
    fileprivate var failureKind: SternaError.Kind? {
        if case .failure(let error) = self { error.kind } else { nil }
    }
}
