import Sterna
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

/// Against SwiftNIO's resumable uploads, which `.ci/NIOUploadServer` serves. Skipped where it has not been built by
/// `.ci/extensions --build .ci/NIOUploadServer`; CI builds it.
@Suite(
    "Interop: uploads to SwiftNIO",
    .enabled(if: UploadProgram.Kind.nio.mayRun, ".ci/NIOUploadServer is not built"),
    .uploads(to: .nio), .timeLimit(.minutes(5)))
struct NIOUploadInteropTests {
    private static func check(_ upload: UploadInterop, _ state: UploadState) throws {
        expectEqual(state.stage, .complete)
        try upload.expect(in: "\(upload.program.folder)/\(upload.name)")
    }

    private static func version(_ number: Int) throws -> UploadPlan.Choice {
        .named(.ietf(try #require(IETFVersion(number))))
    }

    @Test("Files of any size by each version", arguments: [3, 5, 6], [0, 1, 5 << 20])
    func sizes(version: Int, bytes: Int) async throws {
        let upload = try UploadInterop(bytes: bytes)
        let state = try await upload.upload(upload.plan(Self.version(version)))
        try Self.check(upload, state)
        expectEqual(state.dialect, .ietf(try #require(IETFVersion(version))))
    }

    @Test("The version is found, also if another one is named", arguments: [false, true])
    func discovery(isNamed: Bool) async throws {
        let upload = try UploadInterop(bytes: 100_000)
        let state = try await upload.upload(upload.plan(isNamed ? Self.version(8) : .discovered))
        try Self.check(upload, state)
        expectEqual(state.dialect, .ietf(try #require(IETFVersion(6))))
    }

    /// A row of docs/Servers.md. What is incomplete has the name of its version.
    @Test("The final response says completeness by the name of another version", arguments: [3, 5, 6])
    func swappedNames(version: Int) async throws {
        let upload = try UploadInterop(bytes: 100_000)
        let (own, other) =
            version == 3 ? ("Upload-Incomplete", "Upload-Complete") : ("Upload-Complete", "Upload-Incomplete")
        for isComplete in [false, true] {
            let value = isComplete == (version == 3) ? "?0" : "?1"
            let reply = try await upload.session.post(
                "\(upload.program.url)/store/\(upload.name)", body: .text("tern"),
                headers: ["Upload-Draft-Interop-Version": "\(version)", own: value])
            expectEqual(reply.status, isComplete ? 200 : 201)
            expectEqual(reply.fields(own), isComplete ? [] : [value])
            expectEqual(reply.fields(other), isComplete ? [version == 3 ? "?1" : "?0"] : [])
        }
        try await Self.check(upload, upload.upload(upload.plan(Self.version(version)) { $0.largestAppend = 30_000 }))
    }

    @Test("Ended at random bytes, going on from what was stored", arguments: [3, 5, 6], 0..<3)
    func cuts(version: Int, round: Int) async throws {
        let upload = try UploadInterop(bytes: 5 << 20)
        do {
            let state = try await upload.upload(upload.plan(Self.version(version)), cuts: 5)
            try Self.check(upload, state)
        } catch let error as SternaError where error.detail.contains("may be complete") {
            // The last byte overtook the end of a run. The server forgets an upload that is complete, and the client must not guess.
            try upload.expect(in: "\(upload.program.folder)/\(upload.name)")
        }
    }

    @Test("Limited content, and content in the creation", arguments: [3, 5, 6])
    func options(version: Int) async throws {
        let changes: [@Sendable (inout UploadPlan) -> Void] = [
            { $0.largestAppend = 300_000 }, { $0.creation = .withContent },
            { ($0.creation, $0.largestAppend) = (.withContent, 300_000) },
        ]
        for change in changes {
            let upload = try UploadInterop(bytes: 1 << 20)
            try Self.check(upload, try await upload.upload(upload.plan(Self.version(version), change)))
        }
    }

    @Test("Cancelled, an upload is gone", arguments: [3, 5, 6])
    func cancellation(version: Int) async throws {
        let upload = try UploadInterop(bytes: 1 << 20)
        let plan = try upload.plan(Self.version(version)) { $0.largestAppend = 300_000 }
        struct Stopped: Error {}
        // Ended once the first content is confirmed.
        let runner = UploadRunner(upload.session, plan, file: UploadSource(path: upload.file)) { state in
            upload.record(state)
            if state.offset > 0 { throw Stopped() }
        }
        await #expect(throws: Stopped.self) { _ = try await runner.run() }
        let open = try #require(try upload.stored())
        expectEqual(open.offset, 300_000)
        try await expectNil(upload.runner(plan).cancel(open).url)
        let next = try await upload.runner(plan).run(from: open).state
        #expect(next.url != open.url)
        try Self.check(upload, next)
    }
}
