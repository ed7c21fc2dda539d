import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

/// The client against the server of `tern serve`.
@Suite("Uploads: to the test server", .timeLimit(.minutes(5)))
struct UploadServerRunTests {
    private static func run(
        _ target: String, _ dialect: UploadPlan.Choice = .discovered, bytes: Int = 300_000,
        http2: Bool = false, _ change: (inout UploadPlan) -> Void = { _ in }
    ) async throws -> (UploadState, UploadStatus) {
        let uploads = try UploadServer()
        return try await TestServer.withServer(http2 ? .init(http2: .byPriorKnowledge) : .init()) { server in
            uploads.serve(on: server)
            let bench = try UploadBench(server, bytes: bytes) { if http2 { $0.network.http2 = .priorKnowledge } }
            var plan = bench.plan(dialect, change)
            plan.target = try HTTPURL(server.url(target))
            let state = try await bench.runner(plan).run().state
            let status = try #require(uploads.statuses.first { state.url?.href.hasSuffix($0.id) == true })
            let digest = try await bench.session.get("/uploads/\(status.id)/status").json()["sha256"].string
            let expected = try await UploadSource(path: bench.path).digest(0..<Int64(bytes), by: .sha256)
            expectEqual(digest, expected.bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined())
            #expect(status.isComplete)
            return (state, status)
        }
    }

    @Test("Every interop version is supported", arguments: 3...8)
    func versions(version: Int) async throws {
        let (state, status) = try await Self.run("/uploads/ietf", .named(try UploadScene.ietf(version)))
        expectEqual(state.stage, .complete)
        expectEqual(status.received, 300_000)
    }

    @Test(
        "Uploads survive transient faults",
        arguments: [
            "cut=100000&times=2", "cut=0", "lost", "status=409&times=3", "status=423", "status=503&times=2",
            "status=503&on=HEAD&cut=50000", "status=500&on=POST&times=2", "interim=10", "offset=back&cut=90000",
            "max-append=70000",
        ], ["ietf", "tus"])
    func faults(query: String, path: String) async throws {
        let (_, status) = try await Self.run("/uploads/\(path)?\(query)") { plan in
            if query.hasPrefix("max"), path == "tus" { plan.largestAppend = 70_000 }
        }
        // Stored bytes are not sent again. A piece within which the cut falls counts as a whole.
        #expect(status.received < 300_000 + 2 * 270_000)
    }

    @Test("An upload uses the server's version", arguments: ["interop=6", "interop=5&unnamed", "interop=3"])
    func otherVersion(query: String) async throws {
        let (state, _) = try await Self.run("/uploads/ietf?\(query)", .named(.ietf(.preferred)))
        #expect(state.dialect != .ietf(.preferred))
    }

    @Test("Tus supports a deferred length, content in the creation, checksums and their trailers")
    func tusOptions() async throws {
        _ = try await Self.run("/uploads/tus") { $0.defersLength = true }
        _ = try await Self.run("/uploads/tus") { $0.creation = .withContent }
        for algorithm in UploadDigest.Algorithm.allCases {
            _ = try await Self.run("/uploads/tus") { ($0.checksum, $0.largestAppend) = (algorithm, 120_000) }
        }
        for http2 in [false, true] {
            _ = try await Self.run("/uploads/tus", http2: http2) { plan in
                (plan.checksum, plan.sendsDigestInTrailer) = (.sha256, true)
            }
        }
    }

    @Test("An empty file is uploaded", arguments: ["ietf", "tus"])
    func empty(path: String) async throws { _ = try await Self.run("/uploads/\(path)", bytes: 0) }

    @Test("More 104s than the limit are accepted as long as their offsets grow", arguments: [false, true])
    func confirmed(http2: Bool) async throws {
        let uploads = try UploadServer()
        try await TestServer.withServer(http2 ? .init(http2: .byPriorKnowledge) : .init()) { server in
            uploads.serve(on: server)
            let bench = try UploadBench(server, bytes: 0) { if http2 { $0.network.http2 = .priorKnowledge } }
            let length = 24 << 20
            try Data(count: length).write(to: URL(filePath: bench.path))
            var plan = UploadPlan(target: try HTTPURL(server.url("/uploads/ietf")), length: Int64(length))
            plan.choice = .named(.ietf(.preferred))
            var runner = bench.runner(plan)
            runner.patience.failures = 0
            let state = try await runner.run().state
            expectEqual(state.stage, .complete)
            // The offsets of 104s were recorded.
            #expect(bench.recorded.count { $0.offset > 0 && $0.offset < Int64(length) } > 16)
            expectEqual(uploads.statuses.first?.received, Int64(length))
        }
    }

    @Test(
        "Endless 104s fail the upload",
        arguments: [("endless", SternaError.Kind.limitExceeded), ("growing", .unacceptableResponse)],
        [false, true])
    func endless(fault: (String, SternaError.Kind), http2: Bool) async throws {
        let uploads = try UploadServer()
        try await TestServer.withServer(http2 ? .init(http2: .byPriorKnowledge) : .init()) { server in
            uploads.serve(on: server)
            let bench = try UploadBench(server, bytes: 1_000) { if http2 { $0.network.http2 = .priorKnowledge } }
            var plan = bench.plan(.named(.ietf(.preferred)))
            plan.target = try HTTPURL(server.url("/uploads/ietf?interim=\(fault.0)"))
            var runner = bench.runner(plan)
            runner.patience.failures = 0
            do {
                _ = try await runner.run()
                Issue.record("the upload went on")
            } catch let error as SternaError {
                expectEqual(error.kind, fault.1)
            }
        }
    }

    @Test("Offsets beyond the end, and unreachable URLs of another origin, are errors")
    func lies() async throws {
        for (query, kind) in [
            ("offset=beyond&cut=9&times=9", SternaError.Kind.unacceptableResponse),
            ("location=http%3A%2F%2F127.0.0.1%3A1", .connectionFailed),
        ] {
            let error = await #expect(throws: SternaError.self) { _ = try await Self.run("/uploads/tus?\(query)") }
            expectEqual(error?.kind, kind)
        }
    }
}
