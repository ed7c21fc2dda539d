import Dispatch
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

@Suite("Queue: tasks", .timeLimit(.minutes(5)))
struct TransferQueueTests {
    @Test("A limited number runs at the same time, in total and for each host; the queue finishes once")
    func concurrency() async throws {
        try await QueueScene.with { scene in
            let running = Crowd()
            let gate = Gate()
            scene.server.route("GET", "/held") { _ in
                running.enter()
                await gate.wait()
                running.leave()
                return ServerResponse(body: .bytes(Array("held".utf8)))
            }
            let queue = scene.queue { $0.concurrency = 3 }
            let log = QueueLog(queue)
            for number in 0..<10 { try queue.add { $0.download("held", to: .file("\(scene.folder.path)/\(number)")) } }
            #expect(queue.isSuspended && queue.transfers.count == 10 && running.most == 0)
            queue.start()
            await log.wait { $0.filter { $0 == "started" }.count == 3 }
            try await scene.until { running.now == 3 }
            gate.open()
            try await queue.finish()
            await log.wait { $0.last == "queueFinished" }
            expectEqual(running.most, 3)
            let progress = queue.progress.current
            #expect(progress.count == 10 && progress.finished == 10 && progress.bytes.completed == 40)
            #expect(log.events.count { $0 == "queueFinished" } == 1 && log.events.count { $0 == "finished" } == 10)

            // A queue may be filled again; its progress begins anew.
            queue.perHost = 1
            try queue.add { $0.download("range/5", to: .file("\(scene.folder.path)/again")) }
            for await step in queue.progress { expectEqual(step.count, 1) }
            expectEqual(queue.progress.current.bytes.completed, 5)
            await log.wait { $0.count { $0 == "queueFinished" } == 2 }
        }
    }

    @Test("The events of ASINetworkQueue come in order, as a sequence and to observers")
    func events() async throws {
        try await QueueScene.with { scene in
            let (seen, told) = (QueueNames(), QueueNames())
            // The observers of the session, and its readers, receive what happens to its queues.
            let session = scene.session.with { $0.events.observers = [seen.observer] }
            let queue = TransferQueue(with: session) { options in
                options.observers = [told.observer]
                options.concurrency = 1
            }
            scene.server.route("GET", "/moved") { _ in ServerResponse(status: 302, headers: ["Location": "/range/9"]) }
            scene.server.route("POST", "/letters") { _ in ServerResponse(status: 201) }
            let log = QueueLog(queue)
            try queue.add { $0.download("moved", to: .file(scene.folder.path + "/a")) }
            try queue.add { $0.download("status/404", to: .file(scene.folder.path + "/b")) }
            try queue.add { $0.uploadTask(try .upload(Body.text("letter"), to: "letters")) }
            queue.start()
            try await queue.finish()
            let expected = [
                "started", "redirect 302 /range/9", "headers 200", "finished", "started", "headers 404", "failed 404",
                "started", "headers 201", "finished", "queue 2 1",
            ]
            try await scene.until { seen.names.count == expected.count && told.names.count == expected.count }
            #expect(seen.names == expected && told.names == expected)
            await log.wait { $0.count == expected.count }
            expectEqual(
                log.events,
                [
                    "started", "redirectFollowed", "headersReceived", "finished", "started", "headersReceived",
                    "failed",
                    "started", "headersReceived", "finished", "queueFinished",
                ])
            let progress = queue.progress.current
            #expect(
                progress.uploads.completed == 6 && progress.downloads.completed == 9 && progress.bytes.completed == 15)
        }
    }

    @Test("Suspending stops running transfers and lets none begin; starting resumes them")
    func suspension() async throws {
        try await QueueScene.with { scene in
            let queue = scene.queue { options in
                options.concurrency = 1
                options.bandwidth = BandwidthLimit(download: 2_000_000)
            }
            // The limit alone would let the download end before this test suspends it on a busy machine.
            let release = Gate()
            defer { release.open() }
            scene.server.holdBody(of: 5_000_000, until: release)
            let first = try queue.add { $0.download("held", to: .file(scene.folder.path + "/a")) }
            let second = try queue.add { $0.download("range/10", to: .file(scene.folder.path + "/b")) }
            queue.start()
            try await scene.until { first.progress.completed > 0 }
            queue.suspend()
            queue.suspend()
            #expect(first.task?.state == .suspended && queue.isSuspended)
            guard case .running = first.state, case .waiting = second.state else {
                Issue.record("\(first.state), \(second.state)")
                return
            }
            release.open()
            queue.bandwidth.download = nil
            queue.start()
            try await queue.finish()
            #expect(first.task?.state == .completed && second.task?.state == .completed)
            expectEqual(queue.progress.current.finished, 2)
        }
    }

    @Test("Cancelling one or all transfers fails them with `cancelled`; the queue remains usable")
    func cancelling() async throws {
        try await QueueScene.with { scene in
            let queue = scene.queue { $0.concurrency = 1 }
            let transfers = try (0..<4).map { number in
                try queue.add { $0.download("stall", to: .file("\(scene.folder.path)/\(number)")) }
            }
            scene.server.route("GET", "/stall") { _ in
                ServerResponse(body: .stream(length: 10) { _ in try await Task.sleep(for: .seconds(3_600)) })
            }
            queue.start()
            try await scene.until { if case .running = transfers[0].state { true } else { false } }
            transfers[2].cancel()
            try await transfers[2].end()
            #expect(transfers[2].error?.kind == .cancelled && transfers[1].error == nil)
            // The task of a waiting transfer is cancelled, not the transfer.
            transfers[3].task?.cancel()
            try await transfers[3].end()
            queue.cancelAll()
            try await queue.finish()
            for transfer in transfers { expectEqual(transfer.error?.kind, .cancelled) }
            expectEqual(queue.progress.current.failed, 4)
            let late = try queue.add { $0.download("range/3", to: .file(scene.folder.path + "/late")) }
            guard case .finished = try await late.end() else {
                Issue.record("\(late.state)")
                return
            }
        }
    }

    @Test("With cancelsAllOnFailure the first failure cancels all others")
    func failure() async throws {
        try await QueueScene.with { scene in
            for cancels in [false, true] {
                let queue = scene.queue { options in
                    options.concurrency = 1
                    options.cancelsAllOnFailure = cancels
                }
                let first = try queue.add { $0.dataTask(.get("status/404")) }
                let second = try queue.add { $0.dataTask(.get("range/3")) }
                queue.start()
                try await queue.finish()
                expectEqual(first.error?.status, 404)
                expectEqual((second.error?.kind == .cancelled), cancels)
                if cancels { expectEqual(second.error?.message.contains("number 1"), true) }
            }
        }
    }

    @Test("Transfers of one priority begin in the order of the options", arguments: QueueOrder.allCases)
    func order(_ order: QueueOrder) async throws {
        try await QueueScene.with { scene in
            let queue = scene.queue { ($0.concurrency, $0.order) = (1, order) }
            for number in 1...4 { try queue.add { $0.dataTask(.get("range/\(number)")) } }
            try queue.add(priority: .high) { $0.dataTask(.get("range/5")) }
            queue.start()
            try await queue.finish()
            let expected = order == .firstInFirstOut ? [5, 1, 2, 3, 4] : [5, 4, 3, 2, 1]
            expectEqual(scene.server.requests().map(\.target), expected.map { "/range/\($0)" })
        }
    }

    @Test("A transfer begins after its dependencies, and fails with them unless runsAfterFailure is set")
    func dependencies() async throws {
        try await QueueScene.with { scene in
            for runs in [false, true] {
                let queue = scene.queue { $0.runsAfterFailure = runs }
                let log = QueueLog(queue)
                let first = try queue.add { $0.dataTask(.get("status/404")) }
                let second = try queue.add(after: [first]) { $0.dataTask(.get("range/3")) }
                let third = try queue.add(priority: .high) { $0.dataTask(.get("range/4")) }
                try third.wait(for: second)
                #expect(throws: SternaError.self) { try first.wait(for: third) }
                let other = scene.queue()
                #expect(throws: SternaError.self) {
                    try other.add(after: [first]) { $0.dataTask(.get("range/3")) }
                }
                queue.start()
                try await queue.finish()
                #expect((second.error == nil) == runs && (third.error == nil) == runs)
                await log.wait { $0.last == "queueFinished" }
                expectEqual(log.events.count { $0 == "started" }, (runs ? 3 : 1))
                let fourth = try queue.add(after: [first]) { $0.dataTask(.get("range/3")) }
                try await fourth.end()
                expectEqual((fourth.error == nil), runs)
            }
        }
    }

    @Test("A failed task is retried with the same body")
    func retries() async throws {
        try await QueueScene.with { scene in
            let attempts = QueueNames()
            scene.server.route("POST", "/flaky") { request in
                attempts.add(String(decoding: try await request.body.collect(), as: UTF8.self))
                return ServerResponse(status: attempts.names.count < 3 ? 503 : 200)
            }
            scene.server.route("GET", "/gone") { _ in ServerResponse(status: 503) }
            let queue = scene.queue { options in
                options.retries = 2
                options.longestPause = .milliseconds(1)
            }
            let log = QueueLog(queue)
            let letter = try queue.add { $0.uploadTask(try .upload(Body.text("letter"), to: "flaky")) }
            letter.task?.tag = 7
            queue.start()
            try await queue.finish()
            #expect(letter.error == nil && attempts.names == ["letter", "letter", "letter"] && letter.task?.tag == 7)
            let gone = try queue.add { $0.download("gone", to: .file(scene.folder.path + "/gone")) }
            try await gone.end()
            expectEqual(gone.error?.status, 503)
            await log.wait { $0.count { $0 == "queueFinished" } == 2 }
            expectEqual(log.events.count { $0 == "retryScheduled" }, 4)
        }
    }

    @Test("Lengths are requested before transfers begin; unknown ones are estimated")
    func lengths() async throws {
        try await QueueScene.with { scene in
            scene.server.route("HEAD", "/secret") { _ in ServerResponse(status: 405) }
            scene.server.route("GET", "/secret") { _ in ServerResponse(body: .bytes(Array("secret".utf8))) }
            let queue = scene.queue { $0.asksForLengths = true }
            let gate = try queue.add { $0.dataTask(.get("range/1000")) }
            for path in ["range/3000", "secret"] { try queue.add(after: [gate]) { $0.dataTask(.get(path)) } }
            expectNil(queue.progress.current.bytes.total)
            queue.concurrency = 1
            queue.start()
            for await step in queue.progress {
                if step.isEstimated, step.bytes.total == 6_000 { break }
            }
            try await queue.finish()
            let progress = queue.progress.current
            #expect(progress.bytes.total == 4_006 && progress.bytes.completed == 4_006 && !progress.isEstimated)
            expectEqual(scene.server.requests().count { $0.method == "HEAD" }, 3)
        }
    }

    @Test("Invalid additions are refused and leave the queue unchanged")
    func misuse() async throws {
        try await QueueScene.with { scene in
            let queue = scene.queue()
            let task = queue.session.dataTask(.get("range/3"))
            try queue.add(task)
            for wrong in [task, scene.session.dataTask(.get("range/3")), queue.session.streamTask(.get("range/3"))] {
                #expect(throws: SternaError.self) { try queue.add(wrong) }
                #expect(throws: SternaError.self) { try scene.queue().add(wrong) }
            }
            #expect(queue.transfers.count == 1 && queue.progress.current.count == 1)
            queue.start()
            try await queue.finish()
            #expect(throws: SternaError.self) { try queue.add(task) }
            await queue.stop()
            await queue.stop()
            queue.start()
            let error = #expect(throws: SternaError.self) { try queue.add { $0.dataTask(.get("range/3")) } }
            expectEqual(error?.message.contains("stopped"), true)
        }
    }

    @Test("Stopping keeps the resume data of a download")
    func stopping() async throws {
        try await QueueScene.with { scene in
            let queue = scene.queue { $0.bandwidth = BandwidthLimit(download: 1_000_000) }
            let path = scene.folder.path + "/big"
            let release = Gate()
            defer { release.open() }
            scene.server.holdBody(of: 5_000_000, until: release)
            let transfer = try queue.add { $0.download("held", to: .file(path)) }
            let waiting = try queue.add(after: [transfer]) { $0.dataTask(.get("range/3")) }
            queue.start()
            try await scene.until { transfer.progress.completed > 100_000 }
            await queue.stop()
            #expect(transfer.error?.kind == .cancelled && waiting.error?.kind == .cancelled)
            let data = try #require((transfer.task as? DownloadTask)?.resumeData)
            #expect(data.receivedBytes > 0)
            #expect(FileManager.default.fileExists(atPath: data.partialPath))
        }
    }

    @Test("Releasing a queue ends its waiting transfers and its sequences")
    func released() async throws {
        try await QueueScene.with { scene in
            var queue: TransferQueue? = scene.queue()
            let transfer = try queue?.add { $0.dataTask(.get("range/3")) }
            let events = queue?.events
            queue = nil
            try await transfer?.end()
            expectEqual(transfer?.error?.kind, .cancelled)
            if let events { for await _ in events {} }
            // A running transfer retains its queue.
            let finished = QueueNames()
            func begin() throws {
                let queue = scene.queue { options in
                    options.concurrency = 1
                    options.observers = [finished.observer]
                }
                for _ in 0..<3 { try queue.add { $0.dataTask(.get("range/3")) } }
                queue.start()
            }
            try begin()
            try await scene.until { finished.names.last == "queue 3 0" }
        }
    }
}
