import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Queue: a store's transfers with dependencies", .timeLimit(.minutes(5)))
struct DurableQueueEndTests {
    /// Adds a download of the store that has not begun.
    private static func download(
        _ name: String, _ store: TransferStore, _ scene: QueueScene
    ) async throws -> Transfer {
        try await store.download(
            "range/100", to: "\(scene.folder.path)/\(name)", with: scene.session, startsAtOnce: false)
    }

    @Test("A stopped queue returns all transfers to their store, whatever they wait for", arguments: 0..<8)
    func stopping(round: Int) async throws {
        try await QueueScene.with { scene in
            let store = try TransferStore(folder: scene.folder.path + "/store")
            let queue = scene.queue { $0.cancelsAllOnFailure = true }
            var transfers: [Transfer] = []
            var added = [try queue.add { $0.dataTask(.get("range/3")) }]
            for number in 0..<6 {
                let transfer = try await Self.download("\(number)", store, scene)
                added.append(try await queue.add(transfer, after: [added[added.count - 1]]))
                transfers.append(transfer)
            }
            await queue.stop()
            #expect(added.allSatisfy { $0.error?.kind == .cancelled } && queue.transfers.isEmpty)
            for transfer in transfers {
                try await transfer.resume()
                let end = try await transfer.end()
                expectEqual(end, .finished(path: transfer.details.path, length: 100))
            }
        }
    }

    @Test("Transfers that depend on a blocked one return to the store, also across tasks; no other is cancelled")
    func blocked() async throws {
        try await QueueScene.with { scene in
            scene.server.route("GET", "/private") { _ in
                ServerResponse(status: 401, headers: ["WWW-Authenticate": "Bearer"])
            }
            let store = try TransferStore(folder: scene.folder.path + "/store")
            let queue = scene.queue { options in
                options.cancelsAllOnFailure = true
                options.concurrency = 1
            }
            let locked = try await store.download(
                "private", to: scene.folder.path + "/private", with: scene.session, startsAtOnce: false)
            let first = try await queue.add(locked)
            let direct = try await Self.download("direct", store, scene)
            let second = try await queue.add(direct, after: [first])
            let task = try queue.add(after: [first]) { $0.dataTask(.get("range/3")) }
            let behind = try await Self.download("behind", store, scene)
            let third = try await queue.add(behind, after: [task])
            let other = try await queue.add(try await Self.download("other", store, scene))
            queue.start()
            try await queue.finish()
            #expect(locked.status.state.isBlocked && first.error?.kind == .unacceptableStatus)
            expectNil(other.error)
            for queued in [second, task, third] {
                expectEqual(queued.error?.kind, .cancelled)
                expectEqual(queued.error?.message.contains("has not ended"), true, "\(queued.state)")
            }
            // A blocked transfer is not over: a transfer that is added after it returns to the store, too.
            let late = try await Self.download("late", store, scene)
            let fourth = try await queue.add(late, after: [third])
            try await fourth.end()
            for transfer in [direct, behind, late] {
                #expect(!transfer.status.state.isOver)
                try await transfer.resume()
                try await expectEqual(transfer.end(), .finished(path: transfer.details.path, length: 100))
            }
        }
    }

    @Test(
        "A blocked transfer that the program resumes at once continues, in the queue or in its store", arguments: 0..<10
    )
    func resumed(round: Int) async throws {
        try await QueueScene.with { scene in
            let isOpen = Mutex(false)
            scene.server.route("GET", "/private") { _ in
                isOpen.withLock { $0 } ? ServerResponse(body: .bytes([0x61])) : ServerResponse(status: 403)
            }
            let store = try TransferStore(folder: scene.folder.path + "/store")
            let queue = scene.queue()
            queue.start()
            let path = scene.folder.path + "/private"
            let transfer = try await store.download("private", to: path, with: scene.session, startsAtOnce: false)
            let queued = try await queue.add(transfer)
            for await state in transfer.stateUpdates where state.isBlocked { break }
            isOpen.withLock { $0 = true }
            try await transfer.resume()
            try await expectEqual(transfer.end(), .finished(path: path, length: 1))
            // If the transfer ends before it is returned, the queue knows of its end.
            try await queued.end()
            #expect(queued.error == nil || queued.isLeft)
        }
    }

    @Test("A queue that is stopped while transfers are added returns all of them", arguments: 0..<10)
    func adding(round: Int) async throws {
        try await QueueScene.with { scene in
            let store = try TransferStore(folder: scene.folder.path + "/store")
            let queue = scene.queue()
            queue.start()
            var transfers: [Transfer] = []
            for number in 0..<5 { transfers.append(try await Self.download("\(number)", store, scene)) }
            let adding = Task { [transfers] in
                for transfer in transfers {
                    _ = try? queue.add { $0.dataTask(.get("range/3")) }
                    _ = try? await queue.add(transfer)
                }
            }
            for _ in 0..<round { await Task.yield() }
            await queue.stop()
            await adding.value
            try await queue.finish()
            for transfer in transfers where !transfer.status.state.isOver {
                try await transfer.resume()
                try await expectEqual(transfer.end(), .finished(path: transfer.details.path, length: 100))
            }
        }
    }

    @Test("A started queue lives until its transfers are over; one that was not started returns them")
    func released() async throws {
        try await QueueScene.with { scene in
            let isAllowed = Mutex(false)
            let store = try TransferStore(folder: scene.folder.path + "/store") { settings in
                settings.mayBegin = { _ in isAllowed.withLock { $0 } }
                settings.constraintInterval = .milliseconds(10)
            }
            let (started, waiting) = (
                try await Self.download("started", store, scene), try await Self.download("waiting", store, scene)
            )
            do {
                let queue = scene.queue()
                try await queue.add(started)
                queue.start()
                try await scene.queue().add(waiting)
            }
            isAllowed.withLock { $0 = true }
            try await expectEqual(started.end(), .finished(path: started.details.path, length: 100))
            try await waiting.resume()
            try await expectEqual(waiting.end(), .finished(path: waiting.details.path, length: 100))
        }
    }

    @Test("A transfer that depends on a failed one is cancelled")
    func failed() async throws {
        try await QueueScene.with { scene in
            scene.server.route("GET", "/gone") { _ in ServerResponse(status: 410) }
            let store = try TransferStore(folder: scene.folder.path + "/store")
            let queue = scene.queue()
            let first = try await queue.add(
                try await store.download(
                    "gone", to: scene.folder.path + "/gone", with: scene.session, startsAtOnce: false))
            let transfer = try await Self.download("after", store, scene)
            let second = try await queue.add(transfer, after: [first])
            queue.start()
            try await queue.finish()
            #expect(first.error?.status == 410 || first.error?.kind == .unacceptableStatus)
            #expect(second.error?.message.contains("has failed") == true && transfer.status.state == .cancelled)
        }
    }

    @Test("Requests for lengths have the secret fields")
    func lengths() async throws {
        try await QueueScene.with { scene in
            scene.server.route(nil, "/keyed") { request in
                guard request.headers["X-API-Key"] == "sesame" else { return ServerResponse(status: 404) }
                return ServerResponse(body: .bytes(Array(repeating: 0x61, count: 1_234)))
            }
            let store = try TransferStore(folder: scene.folder.path + "/store") { settings in
                settings.secret = { $0 == "shop" ? "sesame" : nil }
            }
            let queue = scene.queue { options in
                options.asksForLengths = true
                options.concurrency = 1
            }
            let keyed = try await store.download(
                "keyed", to: scene.folder.path + "/keyed", with: scene.session, secrets: ["X-API-Key": "shop"],
                startsAtOnce: false)
            try await queue.add(keyed)
            queue.start()
            try await queue.finish()
            let methods = scene.server.requests().filter { $0.target == "/keyed" }
                .map { ($0.method, $0.headers["X-API-Key"]) }
            expectEqual(methods.map(\.0), ["HEAD", "GET"])
            #expect(methods.allSatisfy { $0.1 == "sesame" })
        }
    }
}
