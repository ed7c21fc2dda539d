import Sterna
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

/// Against drf-tus of PyPI, which stores a request's content only once all of it is there. Skipped where `.ci/interop-servers` has
/// not run; CI runs it.
@Suite(
    "Interop: uploads to drf-tus",
    .enabled(if: UploadProgram.Kind.drfTus.mayRun, "drf-tus is not there: .ci/interop-servers installs it"),
    .uploads(to: .drfTus), .timeLimit(.minutes(5)))
struct DRFTusInteropTests {
    private static func check(_ upload: UploadInterop, _ state: UploadState) throws {
        expectEqual(state.stage, .complete)
        expectEqual(state.dialect, .tus)
        try upload.expect(in: "\(upload.program.folder)/uploaded/\(upload.name)")
    }

    @Test("Files of any size", arguments: [1, 5 << 20])
    func sizes(bytes: Int) async throws {
        let upload = try UploadInterop(bytes: bytes)
        let state = try await upload.upload(upload.plan())
        try Self.check(upload, state)
        #expect(state.expires != nil)
    }

    @Test("An empty file is refused with the server's status")
    func empty() async throws {
        let upload = try UploadInterop(bytes: 0)
        let error = await #expect(throws: SternaError.self) { try await upload.upload(upload.plan()) }
        expectEqual(error?.status, 400)
    }

    @Test("Ended at random bytes, going on from what was stored", arguments: 0..<3)
    func cuts(round: Int) async throws {
        let upload = try UploadInterop(bytes: 5 << 20)
        let plan = try upload.plan { $0.largestAppend = 500_000 }
        try Self.check(upload, try await upload.upload(plan, cuts: 5))
    }

    @Test("Checksums", arguments: UploadDigest.Algorithm.allCases)
    func checksums(algorithm: UploadDigest.Algorithm) async throws {
        let upload = try UploadInterop(bytes: 1 << 20)
        let plan = try upload.plan { ($0.checksum, $0.largestAppend) = (algorithm, 400_000) }
        try Self.check(upload, try await upload.upload(plan))
    }

    @Test("Terminated, an upload is gone")
    func termination() async throws {
        let upload = try UploadInterop(bytes: 1_000)
        let plan = try upload.plan()
        let state = try await upload.upload(plan)
        try await expectNil(upload.runner(plan).cancel(state).url)
        var gone = state
        (gone.stage, gone.offset) = (.open, 500)
        let next = try await upload.runner(plan).run(from: gone).state
        #expect(next.url != state.url)
        expectEqual(next.stage, .complete)
    }
}
