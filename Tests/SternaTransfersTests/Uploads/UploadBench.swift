import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization

@testable import SternaTestSupport
@testable import SternaTransfers

/// A file to upload, a session, and the states that were recorded.
final class UploadBench: Sendable {
    let content: [UInt8]
    let path: String
    let session: Session
    let target: HTTPURL
    private let states = Mutex<[UploadState]>([])
    private let reports = Mutex<[TransferProgress]>([])

    init(
        _ server: TestServer, bytes: Int = 300_000, seed: UInt64 = 1,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws {
        content = noise(bytes, seed: seed)
        path =
            FileManager.default.temporaryDirectory.appending(path: "sterna-upload-\(UInt64.random(in: 0 ... .max))")
            .path
        try Data(content).write(to: URL(filePath: path))
        session = try Session(baseURL: server.url, configure)
        target = try HTTPURL(server.url("/files"))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func plan(_ choice: UploadPlan.Choice = .discovered, _ change: (inout UploadPlan) -> Void = { _ in }) -> UploadPlan
    {
        var plan = UploadPlan(target: target, length: Int64(content.count))
        plan.choice = choice
        change(&plan)
        return plan
    }

    func runner(
        _ plan: UploadPlan, record: @escaping @Sendable (UploadState) async throws -> Void = { _ in }
    ) -> UploadRunner {
        var runner = UploadRunner(session, plan, file: UploadSource(path: path)) { state in
            self.states.withLock { $0.append(state) }
            try await record(state)
        }
        runner.patience.firstWait = .milliseconds(1)
        runner.patience.limit = .milliseconds(4)
        runner.patience.settling = .milliseconds(1)
        runner.progress = { step in self.reports.withLock { $0.append(step) } }
        return runner
    }

    var recorded: [UploadState] { states.withLock { $0 } }
    var progress: [TransferProgress] { reports.withLock { $0 } }

    /// The last recorded state as another process reads it.
    func stored() throws -> UploadState? {
        try recorded.last.map { try JSONDecoder().decode(UploadState.self, from: JSONEncoder().encode($0)) }
    }
}

/// The seeds of random runs: `STERNA_LONG_TESTS=1` takes many, `STERNA_LONG_SEED` one.
enum UploadSeeds {
    static func some(_ few: UInt64) -> ClosedRange<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["STERNA_LONG_SEED"].flatMap({ UInt64($0) }) { return seed...seed }
        return 1...(environment["STERNA_LONG_TESTS"] == "1" ? 200 : few)
    }
}
