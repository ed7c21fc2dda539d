import Sterna
import SternaCore
import SternaPlatform
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

/// A file, and its upload to a server of others.
final class UploadInterop: Sendable {
    let content: [UInt8]
    let file: String
    /// A name of hexadecimal digits that no other upload has.
    let name = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
    let session: Session
    /// Sends 10 MB a second, so that a request can be ended in the middle of its content.
    private let slowSession: Session
    let program: UploadProgram
    private let states = Mutex<[UploadState]>([])

    init(bytes: Int) throws {
        content = Array(Self.noise[..<bytes])
        file = FileManager.default.temporaryDirectory.appending(path: "sterna-upload-\(name)").path
        try Data(content).write(to: URL(filePath: file))
        session = try Session { $0.network.engine = Engine() }
        slowSession = try Session {
            ($0.network.engine, $0.limits.bandwidth) = (Engine(), BandwidthLimit(upload: 10_000_000))
        }
        program = try #require(UploadProgram.current)
    }

    deinit { unlink(file) }

    /// 6,000,000 bytes.
    private static let noise = ServerProgram.noise + ServerProgram.noise.reversed()

    func plan(_ choice: UploadPlan.Choice = .discovered, _ change: (inout UploadPlan) -> Void = { _ in }) throws
        -> UploadPlan
    {
        let path = program.url + program.kind.path + (program.kind == .nio ? name : "")
        var plan = UploadPlan(target: try HTTPURL(path), length: Int64(content.count))
        (plan.choice, plan.fileName) = (choice, name)
        change(&plan)
        return plan
    }

    func runner(_ plan: UploadPlan, isSlow: Bool = false) -> UploadRunner {
        UploadRunner(isSlow ? slowSession : session, plan, file: UploadSource(path: file)) { state in
            self.record(state)
        }
    }

    func record(_ state: UploadState) { states.withLock { $0.append(state) } }

    /// The last recorded state as another process reads it.
    func stored() throws -> UploadState? {
        try states.withLock { $0.last }.map {
            try JSONDecoder().decode(UploadState.self, from: JSONEncoder().encode($0))
        }
    }

    /// Uploads, ended at random bytes of the first three quarters again and again, each time going on from the state that is stored.
    func upload(_ plan: UploadPlan, cuts: Int = 0) async throws -> UploadState {
        let places = (0..<cuts).map { _ in Int64.random(in: 1...max(1, plan.length / 4 * 3)) }.sorted()
        var ended = 0
        defer { #expect(cuts == 0 || ended > 0) }
        for place in places {
            let runner = runner(plan, isSlow: true)
            let from = try stored()
            do {
                return try await Self.run(runner, from: from, until: place)
            } catch let error as SternaError where error.kind == .cancelled {
                ended += 1
            }
        }
        return try await runner(plan).run(from: try stored()).state
    }

    private static func run(
        _ runner: UploadRunner, from state: UploadState?, until place: Int64
    ) async throws -> UploadState {
        let (reports, end) = AsyncStream.makeStream(of: Int64.self)
        var runner = runner
        runner.progress = { end.yield($0.completed) }
        let task = Task { [runner] in
            defer { end.finish() }
            return try await runner.run(from: state).state
        }
        for await completed in reports where completed >= place { task.cancel() }
        return try await task.value
    }

    /// Checks that a file of the server has the content.
    func expect(in path: String, _ comment: Comment? = nil) throws {
        let found = FileManager.default.contents(atPath: path)
        #expect(found?.count == content.count, comment)
        #expect(found == Data(content), comment)
    }

    /// The last part of an upload's URL.
    static func id(_ state: UploadState) throws -> String {
        String(try #require(state.url?.href.split(separator: "/").last))
    }
}
