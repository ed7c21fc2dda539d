import Dispatch
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Tasks of a session", .timeLimit(.minutes(5)))
struct SessionRegisterTests {
    private func session(_ server: TestServer, _ configure: (inout SessionSettings) -> Void = { _ in }) throws
        -> Session
    {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.responseSerializer = .data
            $0.callbacks = .queue(DispatchQueue(label: "test"))
            configure(&$0)
        }
    }

    @Test("Tasks are listed by kind and by identifier, with those of derived sessions only")
    func kinds() async throws {
        try await TestServer.withServer { server in
            let api = try session(server) { $0.tasks.startsImmediately = false }
            let derived = api.with { $0.timeout = .seconds(5) }
            let data = api.dataTask(.get("get"))
            let upload = derived.uploadTask(try .upload(Body.text("x"), to: "post"))
            let stream = derived.streamTask(.get("get"))
            let download = api.download("get", to: .file("/nowhere/x"))
            let foreign = try session(server) { $0.tasks.startsImmediately = false }.dataTask(.get("get"))
            expectEqual(api.tasks.map(\.id), [data.id, upload.id, stream.id, download.id])
            expectEqual(derived.tasks.map(\.id), [upload.id, stream.id])
            expectEqual(api.dataTasks.map(\.id), [data.id])
            expectEqual(api.uploadTasks.map(\.id), [upload.id])
            expectEqual(api.streamTasks.map(\.id), [stream.id])
            expectEqual(api.downloadTasks.map(\.id), [download.id])
            #expect(api.task(id: upload.id) === upload)
            expectNil(api.task(id: foreign.id))
            await api.cancelAllTasks()
            #expect(api.tasks.isEmpty)
            expectEqual(foreign.state, .suspended)
        }
    }

    @Test("All tasks are suspended and resumed")
    func suspended() async throws {
        try await TestServer.withServer { server in
            let api = try session(server)
            let release = Gate()
            server.holdAnswer(until: release)
            let tasks = (0..<5).map { _ in api.dataTask(.get("wait")) }
            api.suspendAllTasks()
            release.open()
            #expect(tasks.allSatisfy { $0.state == .suspended })
            api.resumeAllTasks()
            for task in tasks {
                let status = try await task.value.status
                expectEqual(status, 200)
            }
        }
    }

    @Test("An invalidated session ends its tasks and those of derived sessions, not of its parent")
    func invalidated() async throws {
        try await TestServer.withServer { server in
            let ends = Mutex(0)
            let api = try session(server)
            let own = api.with { settings in
                settings.events.observers = [
                    EventObserver(.tasks) { event in
                        if case .sessionInvalidated = event.kind { ends.withLock { $0 += 1 } }
                    }
                ]
            }
            let below = own.with { $0.timeout = .seconds(9) }
            let above = api.dataTask(.get("delay/1"))
            let task = below.dataTask(.get("delay/60"))
            own.invalidateAndCancel()
            own.invalidateAndCancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            for session in [own, below] {
                let error = await #expect(throws: SternaError.self) { try await session.get("get") }
                expectEqual(error?.kind, .shutDown)
                let failed = await #expect(throws: SternaError.self) { try await session.dataTask(.get("get")).value }
                expectEqual(failed?.kind, .shutDown)
            }
            try await expectEqual(above.value.status, 200)
            try await expectEqual(api.get("get").status, 200)
            try await expectEqual(own.resetSession().get("get").status, 200)
            #expect(await eventually { ends.withLock { $0 } == 1 })
        }
    }

    @Test("Running tasks may finish first; the event follows them")
    func finishing() async throws {
        try await TestServer.withServer { server in
            let isOver = Mutex(false)
            let api = try session(server) { settings in
                settings.events.observers = [
                    EventObserver(.tasks) { event in
                        if case .sessionInvalidated = event.kind { isOver.withLock { $0 = true } }
                    }
                ]
            }
            let release = Gate()
            server.holdAnswer(until: release)
            let task = api.dataTask(.get("wait"))
            api.finishTasksAndInvalidate()
            #expect(isOver.withLock { !$0 })
            release.open()
            try await expectEqual(task.value.status, 200)
            #expect(await eventually { isOver.withLock { $0 } })
        }
    }

    @Test("The shared session cannot be invalidated")
    func shared() async throws {
        try await TestServer.withServer { server in
            Session.shared.finishTasksAndInvalidate()
            let reply = try await Session.shared.get("\(server.url)/get")
            expectEqual(reply.status, 200)
        }
    }
}
