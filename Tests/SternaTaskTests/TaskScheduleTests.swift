import MutationKit
import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Many tasks on few connections, half of them suspended, resumed and cancelled at moments that follow from a seed.
@Suite("Tasks: many tasks with random interruptions", .timeLimit(.minutes(20)))
struct TaskScheduleTests {
    private static let contentLength = 1 << 20

    @Test("Every task ends exactly once with the right outcome, and nothing is left")
    func all() async throws {
        let (count, connections) = LongTests.choose((500, 16), inFull: (10_000, 64))
        let seed = LongTests.seed
        let schedule = TaskSchedule(count, contentLength: Self.contentLength, seed: seed)
        let content = RangedFile.content(Self.contentLength, seed: seed)
        try await TestServer.withServer { server in
            Self.serve(content, on: server)
            try await Downloading.withFolder { folder in
                let ends = TaskEnds()
                var options = EngineOptions()
                options.maximumConnectionsPerOrigin = connections
                let engine = Engine(options: options)
                let api = try Session(baseURL: server.url) {
                    $0.network.engine = engine
                    $0.responseSerializer = .data
                    $0.tasks.startsImmediately = false
                    $0.events.observers = [
                        EventObserver(.tasks) { event in
                            if case .taskCompleted = event.kind, let task = event.task { ends.add(task.id) }
                        }
                    ]
                    // A busy machine is no fault of the tasks.
                    $0.timeouts.firstByte = .seconds(600)
                    $0.timeouts.betweenBytes = .seconds(600)
                    $0.timeouts.connect = .seconds(600)
                }
                let run = ScheduleRun(schedule, content: content, folder: folder, seed: seed)
                let weak = try await run.perform(api, ends)
                #expect(api.tasks.isEmpty, "seed \(seed)")
                #expect(server.totalConnections >= 1)
                let isReleased = await eventually { weak.allSatisfy { $0.task == nil } }
                #expect(isReleased, "\(weak.count { $0.task != nil }) tasks are left, seed \(seed)")
                let areFew = await eventually { OpenDescriptors.connections(to: server.port) <= connections }
                #expect(areFew, "seed \(seed)")
                let areClosed = await eventually {
                    engine.closeIdleConnections()
                    return OpenDescriptors.connections(to: server.port) == 0 && server.openConnections == 0
                }
                #expect(areClosed, "\(server.openConnections) connections are left, seed \(seed)")
                #expect(OpenDescriptors.files(in: folder).isEmpty, "seed \(seed)")
            }
        }
    }

    private static func serve(_ content: [UInt8], on server: TestServer) {
        server.route("GET", "/piece/{start}/{count}/{pace}") { request in
            guard let start = request.parameters["start"].flatMap({ Int($0) }),
                let count = request.parameters["count"].flatMap({ Int($0) }), start + count <= content.count
            else { return ServerResponse(status: 404) }
            let file = RangedFile(Array(content[start..<start + count]), tag: "\"\(start)-\(count)\"")
            guard request.parameters["pace"] == "slow" else { return file.answer(request) }
            return file.answer(request, piece: max(1, count / 16), pause: .milliseconds(1))
        }
        server.route("POST", "/take/{pace}") { request in
            var count = 0
            for try await piece in request.body {
                count += piece.count
                if request.parameters["pace"] == "slow" { try await Task.sleep(for: .milliseconds(1)) }
            }
            return .text("\(count)")
        }
    }

    @Test("A schedule follows from its seed, has every kind of task and step, and ends all tasks")
    func schedule() {
        for seed: UInt64 in 1...5 {
            let schedule = TaskSchedule(500, contentLength: 1 << 20, seed: seed)
            let again = TaskSchedule(500, contentLength: 1 << 20, seed: seed)
            expectEqual(schedule.events.map(\.task), again.events.map(\.task))
            expectEqual(Set(schedule.plans.map(\.kind)), Set(TaskSchedule.Kind.allCases))
            expectEqual(Set(schedule.plans.flatMap(\.steps)).count, 5)
            #expect(schedule.plans.count { $0.cancellation != nil } > 50)
            expectEqual(schedule.events.count, schedule.plans.reduce(0) { $0 + $1.steps.count })
            for plan in schedule.plans {
                #expect(plan.cancellation != nil || plan.steps.last == .resume)
                #expect(plan.start + plan.count <= 1 << 20)
            }
        }
    }
}

/// How often each task has completed.
private final class TaskEnds: Sendable {
    private let counts = Mutex<[UInt64: Int]>([:])

    func add(_ id: UInt64) { counts.withLock { $0[id, default: 0] += 1 } }

    subscript(id: UInt64) -> Int { counts.withLock { $0[id] ?? 0 } }
}

/// A task that may be gone.
private struct WeakTask: Sendable {
    weak let task: SessionTask?
}

private struct ScheduleRun {
    private let schedule: TaskSchedule
    private let content: [UInt8]
    private let folder: String
    private let seed: UInt64

    /// The end of a task.
    private enum Outcome: Sendable {
        /// The number of bytes, and whether they are right.
        case bytes(Int, isRight: Bool)
        case failed(SternaError.Kind?)
    }

    init(_ schedule: TaskSchedule, content: [UInt8], folder: String, seed: UInt64) {
        self.schedule = schedule
        self.content = content
        self.folder = folder
        self.seed = seed
    }

    /// Runs all tasks to their ends, and checks their outcomes and files. Returns the tasks, which nothing should retain.
    func perform(_ api: Session, _ ends: TaskEnds) async throws -> [WeakTask] {
        let tasks = try schedule.plans.indices.map { try make($0, api) }
        expectEqual(api.tasks.count, tasks.count)
        let outcomes = await withTaskGroup(of: (Int, Outcome).self) { group in
            for (index, task) in tasks.enumerated() { group.addTask { (index, await outcome(of: task, index)) } }
            await drive(tasks)
            var outcomes = [Outcome](repeating: .failed(nil), count: tasks.count)
            for await (index, outcome) in group { outcomes[index] = outcome }
            return outcomes
        }
        var left: Set<String> = []
        var interrupted: [(Int, ResumeData)] = []
        for (index, task) in tasks.enumerated() {
            let isRight = await check(outcomes[index], of: task, schedule.plans[index], ends)
            #expect(isRight, "task \(index), \(schedule.plans[index]): \(outcomes[index]), seed \(seed)")
            if case .bytes = outcomes[index], schedule.plans[index].kind == .download { left.insert("\(index)") }
            guard let data = (task as? DownloadTask)?.resumeData else { continue }
            expectEqual(schedule.plans[index].cancellation, .interrupt)
            interrupted.append((index, data))
            left.formUnion(["\(index).sterna-part", "\(index).sterna-resume"])
        }
        expectEqual(Set(try Downloading.names(in: folder)), left, "seed \(seed)")
        try await finish(interrupted, api)
        return tasks.map { WeakTask(task: $0) }
    }

    private func make(_ index: Int, _ api: Session) throws -> SessionTask {
        let plan = schedule.plans[index]
        let path = "piece/\(plan.start)/\(plan.count)/\(plan.isSlow ? "slow" : "quick")"
        switch plan.kind {
        case .data: return api.dataTask(.get(path))
        case .stream: return api.streamTask(.get(path))
        case .upload:
            let bytes = Bytes(bytes: content[plan.start..<plan.start + plan.count])
            return api.uploadTask(try .upload(.bytes(bytes), to: "take/\(plan.isSlow ? "slow" : "quick")"))
        case .download:
            var options = DownloadOptions()
            options.suspensionGrace = .milliseconds(plan.grace)
            return api.download(path, to: .file("\(folder)/\(index)"), options: options)
        }
    }

    /// Carries out the steps of all tasks, each at its moment.
    private func drive(_ tasks: [SessionTask]) async {
        let time = Duration.milliseconds(2) * tasks.count
        let start = ContinuousClock.now
        var done = [Int](repeating: 0, count: tasks.count)
        await withDiscardingTaskGroup { group in
            for event in schedule.events {
                let moment = start + time * event.moment
                if ContinuousClock.now + .milliseconds(1) < moment { try? await Task.sleep(until: moment) }
                let task = tasks[event.task]
                switch schedule.plans[event.task].steps[done[event.task]] {
                case .resume: task.resume()
                case .suspend: task.suspend()
                case .cancel: task.cancel()
                case .cancelSilently: task.cancel(silently: true)
                case .interrupt:
                    guard let download = task as? DownloadTask else { break }
                    // It cancels at once, and waits for the end.
                    group.addTask { await download.cancelProducingResumeData() }
                }
                done[event.task] += 1
            }
        }
    }

    private func outcome(of task: SessionTask, _ index: Int) async -> Outcome {
        let plan = schedule.plans[index]
        let expected = content[plan.start..<plan.start + plan.count]
        do {
            switch task {
            case let task as UploadTask:
                let text = String(decoding: try await task.value.body.readableBytesView, as: UTF8.self)
                return .bytes(Int(text) ?? -1, isRight: text == "\(plan.count)")
            case let task as DataTask:
                let body = try await task.value.body
                return .bytes(body.readableBytes, isRight: body == Bytes(bytes: expected))
            case let task as DataStreamTask:
                var body = Bytes()
                for try await piece in task.bytes { body.writeImmutableBuffer(piece) }
                return .bytes(body.readableBytes, isRight: body == Bytes(bytes: expected))
            case let task as DownloadTask:
                let file = try await task.value
                return .bytes(Int(file.length), isRight: try Data(contentsOf: file.url) == Data(expected))
            default: return .failed(nil)
            }
        } catch {
            return .failed((error as? SternaError)?.kind)
        }
    }

    /// Whether a task ended as its plan allows, once.
    private func check(
        _ outcome: Outcome, of task: SessionTask, _ plan: TaskSchedule.Plan, _ ends: TaskEnds
    ) async -> Bool {
        let isSilent = plan.cancellation == .cancelSilently
        // The event comes behind the value.
        let hasEnded = await eventually { (isSilent || ends[task.id] >= 1) && task.state == .completed }
        let count = ends[task.id]
        guard hasEnded, isSilent ? count <= 1 : count == 1 else { return false }
        switch outcome {
        case .bytes(_, let isRight): return isRight && !plan.isCancelledFirst && task.error == nil
        case .failed(let kind):
            return kind == .cancelled && plan.cancellation != nil && task.error?.kind == .cancelled
                && !(isSilent && count > 0)
        }
    }

    /// Continues the downloads that were interrupted.
    private func finish(_ interrupted: [(Int, ResumeData)], _ api: Session) async throws {
        for (index, data) in interrupted {
            let task = api.downloadTask(resuming: data)
            task.resume()
            let file = try await task.value
            let plan = schedule.plans[index]
            #expect(file.resumedAt > 0 || plan.count == 1, "task \(index), seed \(seed)")
            try expectEqual(Data(contentsOf: file.url), Data(content[plan.start..<plan.start + plan.count]))
        }
        let leftovers = try Downloading.names(in: folder).filter { $0.contains("sterna-") }
        #expect(leftovers.isEmpty, "seed \(seed)")
    }
}
