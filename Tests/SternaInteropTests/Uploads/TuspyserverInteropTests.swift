import Sterna
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

/// Against tuspyserver of PyPI. Skipped where `.ci/interop-servers` has not run; CI runs it.
@Suite(
    "Interop: uploads to tuspyserver",
    .enabled(if: UploadProgram.Kind.tuspyserver.mayRun, "tuspyserver is not there: .ci/interop-servers installs it"),
    .uploads(to: .tuspyserver), .timeLimit(.minutes(5)))
struct TuspyserverInteropTests {
    private static func check(_ upload: UploadInterop, _ state: UploadState) throws {
        expectEqual(state.stage, .complete)
        expectEqual(state.dialect, .tus)
        try upload.expect(in: "\(upload.program.folder)/\(UploadInterop.id(state))")
    }

    @Test("Files of any size", arguments: [0, 1, 5 << 20])
    func sizes(bytes: Int) async throws {
        let upload = try UploadInterop(bytes: bytes)
        try Self.check(upload, try await upload.upload(upload.plan()))
    }

    @Test("Ended at random bytes, going on from what was stored", arguments: 0..<3)
    func cuts(round: Int) async throws {
        let upload = try UploadInterop(bytes: 5 << 20)
        try Self.check(upload, try await upload.upload(upload.plan(), cuts: 5))
    }

    @Test("Limited content, a deferred length, content in the creation, and POST alone")
    func options() async throws {
        let changes: [@Sendable (inout UploadPlan) -> Void] = [
            { $0.largestAppend = 700_000 }, { $0.defersLength = true }, { $0.creation = .withContent },
            { $0.overridesMethods = true },
        ]
        for change in changes {
            let upload = try UploadInterop(bytes: 2 << 20)
            try Self.check(upload, try await upload.upload(upload.plan(.discovered, change)))
        }
    }

    @Test("Terminated, an upload is gone")
    func termination() async throws {
        let upload = try UploadInterop(bytes: 1_000)
        let state = try await upload.upload(upload.plan())
        let runner = upload.runner(try upload.plan())
        try await expectNil(runner.cancel(state).url)
        // It is created again.
        var gone = state
        (gone.stage, gone.offset) = (.open, 500)
        let next = try await runner.run(from: gone).state
        #expect(next.url != state.url)
        try Self.check(upload, next)
    }

    @Test("Parts are joined")
    func concatenation() async throws {
        let upload = try UploadInterop(bytes: 3 << 20)
        let whole = ConcatenatedUpload(
            upload.session, try upload.plan(.named(.tus)), file: UploadSource(path: upload.file), parts: 3
        ) { _ in }
        try Self.check(upload, try await whole.run().state)
    }

    @Test("A checksum is refused, as the server has none")
    func checksum() async throws {
        let upload = try UploadInterop(bytes: 1_000)
        let plan = try upload.plan { $0.checksum = .sha1 }
        let error = await #expect(throws: SternaError.self) { try await upload.upload(plan) }
        expectEqual(error?.detail.contains("checksum"), true)
    }
}
