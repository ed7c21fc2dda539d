import NIOCore
import Sterna
import SternaCore
import SternaTesting
import SternaTransport
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Uploads: hostile servers")
struct HostileUploadTests {
    private static func failure(
        _ model: UploadModel, _ change: (inout UploadPlan) -> Void = { _ in },
        check: (UploadBench) throws -> Void = { _ in }
    ) async throws -> SternaError {
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server)
            let error = await #expect(throws: SternaError.self) {
                try await bench.runner(bench.plan(.discovered, change)).run()
            }
            try check(bench)
            return try #require(error)
        }
    }

    @Test("Endless 409s fail the attempt, and the upload is kept", arguments: [[8], []] as [Set<Int>])
    func mismatches(versions: Set<Int>) async throws {
        let model = UploadModel(versions: versions) { _, method in method == "PATCH" ? .status(409, [:]) : nil }
        let error = try await Self.failure(
            model,
            check: { bench in
                // The upload can still be resumed.
                #expect(bench.recorded.last?.url != nil)
                #expect(bench.recorded.last?.stage != .begun)
            })
        expectEqual(error.kind, .unacceptableStatus)
        expectEqual(error.status, 409)
        #expect(error.detail.contains("409"))
        expectEqual(model.log.count { $0 == "PATCH" }, 9)
        expectEqual(model.log.count { $0 == "HEAD" }, 8)
    }

    @Test("An upload that stays locked fails after some requests")
    func locked() async throws {
        let model = UploadModel { number, method in
            method == "HEAD" ? .status(423, [:]) : method == "PATCH" ? .cut(after: 10) : nil
        }
        let error = try await Self.failure(model)
        #expect(error.detail.contains("423"))
        #expect(model.log.count < 20)
    }

    @Test("A wait of days is refused, and the upload is kept")
    func longWait() async throws {
        let model = UploadModel(versions: [8]) { _, method in
            method == "PATCH" ? .status(503, ["Retry-After": "86400"]) : nil
        }
        let error = try await Self.failure(model, check: { #expect($0.recorded.last?.url != nil) })
        expectEqual(error.kind, .limitExceeded)
        #expect(error.detail.contains("86400 s"))
    }

    @Test("An offset beyond the end is an error")
    func beyondEnd() async throws {
        let model = UploadModel { _, method in
            method == "PATCH" ? .cut(after: 10) : method == "HEAD" ? .offset(300_001) : nil
        }
        let error = try await Self.failure(model)
        expectEqual(error.kind, .unacceptableResponse)
        #expect(error.detail.contains("300001"))
    }

    @Test("An offset beyond what was sent is accepted, and content begins there")
    func beyondSent() async throws {
        let model = UploadModel(versions: [8]) { number, method in
            number == 2 ? .cut(after: 10) : method == "HEAD" ? .offset(200_000) : nil
        }
        let error = try await Self.failure(model)
        // The server lacks these bytes, and repeats its offset.
        #expect(error.detail.contains("409"))
        expectEqual(model.received, 10)
    }

    @Test("A decreasing offset is followed, but not for ever")
    func back() async throws {
        let model = UploadModel { number, method in
            switch method {
            case "PATCH" where number == 2: .cut(after: 100_000)
            case "HEAD" where number == 3: nil
            case "HEAD": .offset(max(0, 90_000 - number * 1_000))
            case "PATCH": .status(409, [:])
            default: nil
            }
        }
        let error = try await Self.failure(model)
        #expect(error.detail.contains("claims to have only"))
    }

    @Test("Endless interim responses fail the upload")
    func endless() async throws {
        let model = UploadModel(versions: [8]) { _, method in method == "PATCH" ? .endless : nil }
        let error = try await Self.failure(model, check: { #expect($0.recorded.last?.url != nil) })
        expectEqual(error.kind, .limitExceeded)
        expectEqual(model.log.count { $0 == "PATCH" }, 9)
    }

    @Test("An upload that the server forgets each time is created three times")
    func forgetful() async throws {
        let model = UploadModel { _, method in
            method == "PATCH" ? .cut(after: 1_000) : method == "HEAD" ? .forget : nil
        }
        let error = try await Self.failure(model) { plan in plan.largestAppend = 50_000 }
        #expect(error.detail.contains("no longer has the upload"))
        expectEqual(model.creations, 3)
    }

    @Test("An upload that is gone after its last byte is not restarted")
    func unknownOutcome() async throws {
        let model = UploadModel(versions: [8]) { number, method in
            number == 2 ? .cutAnswer : method == "HEAD" ? .forget : nil
        }
        let error = try await Self.failure(model)
        #expect(error.detail.contains("may be complete"))
        expectEqual(model.creations, 1)
    }

    @Test("A creation with all content is not repeated if its response is lost")
    func cutCreation() async throws {
        let model = UploadModel(versions: [8]) { _, method in method == "POST" ? .cutAnswer : nil }
        let error = try await Self.failure(model) { plan in
            plan.creation = .withContent
        } check: { bench in
            expectEqual(bench.recorded.last?.stage, .creating)
        }
        #expect(error.detail.contains("may have it"))
        expectEqual(model.creations, 1)
    }

    @Test("A missing protocol, URL or extension is an error")
    func noSupport() async throws {
        let none = UploadModel { _, _ in .status(405, [:]) }
        #expect(try await Self.failure(none).detail.contains("OPTIONS (405)"))
        let bare = UploadModel(versions: [8]) { _, method in method == "POST" ? .status(200, [:]) : nil }
        #expect(try await Self.failure(bare).detail.contains("named no URL"))
        let few = UploadModel(extensions: "creation")
        try await expectEqual(Self.failure(few) { $0.checksum = .sha1 }.kind, .invalidRequest)
    }

    @Test(
        "Limits that rule out an upload fail it", arguments: ["max-size=10", "max-append-size=0", "max-append-size=1"])
    func limits(limit: String) async throws {
        let error = try await Self.failure(UploadModel(versions: [8], limit: limit))
        expectEqual(error.kind, .limitExceeded)
    }

    @Test("Endless redirects fail after five requests", arguments: ["OPTIONS", "POST", "PATCH"])
    func redirects(method: String) async throws {
        let model = UploadModel(versions: [8]) { _, found in
            found == method ? .status(308, ["Location": method == "PATCH" ? "/files/u1" : "/files"]) : nil
        }
        let error = try await Self.failure(model)
        expectEqual(error.kind, .tooManyRedirects)
        #expect(error.detail.contains("308"))
        expectEqual(model.log.count { $0 == method }, 5)
    }

    @Test("A temporary redirect applies to one request, and the content continues", arguments: ["POST", "PATCH"])
    func detours(method: String) async throws {
        let found = Mutex(0)
        let model = UploadModel(versions: [8]) { _, sent in
            guard sent == method else { return nil }
            found.withLock { $0 += 1 }
            guard found.withLock({ $0 }) == 1 else { return nil }
            return .status(307, ["Location": method == "POST" ? "/files?by=2" : "/files/u1?by=2"])
        }
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server, bytes: 300_000)
            _ = try await bench.runner(bench.plan(.discovered) { $0.largestAppend = 100_000 }).run()
            expectEqual(model.uploads.map(\.bytes), [bench.content])
            let targets = server.requests().filter { $0.method == "POST" || $0.method == "PATCH" }.map(\.target)
            let own = ["/files/u1", "/files/u1", "/files/u1"]
            let expected =
                method == "POST"
                ? ["/files", "/files?by=2"] + own : ["/files", own[0], "/files/u1?by=2"] + own.dropFirst()
            expectEqual(targets, expected)
            #expect(bench.recorded.allSatisfy { $0.url == nil || $0.url?.href.hasSuffix("/files/u1") == true })
            #expect(bench.recorded.allSatisfy { $0.target.href.hasSuffix("/files") })
        }
    }

    @Test("Limits that change are followed, until the upload is impossible")
    func changingLimits() throws {
        var state = try UploadScene.state(.ietf(.preferred), offset: 100)
        let plan = try UploadScene.plan()
        for (limit, expected) in [
            ("max-append-size=50", UploadStep.append(100..<150, completes: false)),
            ("max-append-size=70, min-append-size=60", .append(100..<170, completes: false)),
            ("min-append-size=2000", .append(100..<1_000, completes: true)),
            ("max-append-size=5, min-append-size=6", .fail(.appendLimits(most: 5))),
            ("max-size=999", .fail(.tooLarge(length: 1_000, most: 999))),
        ] {
            let response = try UploadScene.response(204, [("Upload-Offset", "100"), ("Upload-Limit", limit)])
            guard case .proceed(let next) = UploadRule.decide(response, to: .ask, state) else {
                Issue.record("\(limit) is no reason to stop asking")
                continue
            }
            expectEqual(UploadRule.next(next, plan), expected)
            state = next
        }
    }

    @Test("At another origin an upload continues without credentials")
    func otherOrigin() async throws {
        try await TestServer.withServer { other in
            let model = UploadModel(versions: [8])
            model.serve(on: other)
            // The other server has the upload, under the number that its first creation gets.
            let seeder = try UploadBench(other, bytes: 0)
            _ = try await seeder.session.withResponse(
                to: RequestDraft(
                    .post, other.url("/files"), body: .bytes([UInt8]()),
                    headers: ["Upload-Draft-Interop-Version": "8", "Upload-Complete": "?0"])
            ) { $0.status.code }
            let front = UploadModel(versions: [8]) { _, method in
                method == "POST" ? .location(other.url("/files/u1").replacing("//", with: "//user:pw@")) : nil
            }
            try await TestServer.withServer { server in
                front.serve(on: server)
                let bench = try UploadBench(server) { $0.auth.header = .bearer("secret") }
                let plan = bench.plan { $0.headers = ["X-Key": "secret"] }
                _ = try await bench.runner(plan).run()
                expectEqual(model.uploads.map(\.bytes), [bench.content])
                for request in server.requests() {
                    expectEqual(request.headers["Authorization"], "Bearer secret")
                    expectEqual(request.headers["X-Key"], "secret")
                }
                let there = other.requests().filter { $0.method == "PATCH" }
                expectEqual(there.count, 1)
                for request in there {
                    expectNil(request.headers["Authorization"])
                    expectNil(request.headers["X-Key"])
                }
            }
        }
    }

    @Test("A session without a base URL keeps its credentials at the creation's origin, too")
    func otherOriginWithoutBase() async throws {
        try await TestServer.withServer { other in
            other.route(nil, "/files/u1") { _ in ServerResponse(status: 403) }
            let front = UploadModel(versions: [8]) { _, method in
                method == "POST" ? .location(other.url("/files/u1")) : nil
            }
            try await TestServer.withServer { server in
                front.serve(on: server)
                let bench = try UploadBench(server)
                let session = try Session { $0.auth.header = .bearer("secret") }
                let runner = UploadRunner(session, bench.plan(), file: UploadSource(path: bench.path)) { _ in }
                await #expect(throws: SternaError.self) { try await runner.run() }
                #expect(server.requests().allSatisfy { $0.headers["Authorization"] == "Bearer secret" })
                expectEqual(other.requests().map { $0.headers["Authorization"] }, [nil])
            }
        }
    }

    @Test("Waits use the engine's clock, and end with the task")
    func waits() async throws {
        try await TestServer.withServer { server in
            let model = UploadModel(versions: [8]) { number, method in
                method == "PATCH" ? .status(503, ["Retry-After": number == 2 ? "60" : "90"]) : nil
            }
            model.serve(on: server)
            let time = TestClock()
            var options = EngineOptions()
            options.clock = time.clock
            // No timer but those of waits is due within minutes.
            options.idleTimeout = .seconds(3_600)
            let engine = Engine(options: options)
            let bench = try UploadBench(server) { settings in
                settings.network.engine = engine
                settings.timeouts.setEach(.seconds(3_600))
            }
            let runner = bench.runner(bench.plan())
            let task = Task { try await runner.run() }
            try await server.waitForRequests(3, within: 60)
            await time.waitForTimer(within: .seconds(60))
            expectEqual(server.requestCount, 3)
            await time.advance(by: .seconds(60))
            try await server.waitForRequests(5, within: 60)
            expectEqual(server.requests().map(\.method), ["OPTIONS", "POST", "PATCH", "HEAD", "PATCH"])
            await time.waitForTimer(within: .seconds(90))
            task.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            #expect(bench.recorded.last?.url != nil)
        }
    }

    @Test("The upload does not wait for an endless body")
    func slowBody() async throws {
        try await TestServer.withServer { server in
            let model = UploadModel(versions: [8]) { number, _ in number == 2 ? .drip : nil }
            model.serve(on: server)
            let time = TestClock()
            var options = EngineOptions()
            options.clock = time.clock
            options.idleTimeout = .seconds(3_600)
            let engine = Engine(options: options)
            let bench = try UploadBench(server) { settings in
                settings.network.engine = engine
                settings.timeouts.setEach(.seconds(3_600))
            }
            var runner = bench.runner(bench.plan())
            runner.patience.firstWait = .zero
            let task = Task { [runner] in try await runner.run() }
            try await server.waitForRequests(3, within: 60)
            await time.waitForTimer(within: .seconds(15))
            await time.advance(by: .seconds(15))
            try await expectEqual(task.value.state.stage, .complete)
            expectEqual(model.uploads.map(\.bytes), [bench.content])
        }
    }

    @Test("Cancelling deletes the upload at the server")
    func cancelled() async throws {
        let model = UploadModel { _, method in method == "PATCH" ? .status(403, [:]) : nil }
        try await TestServer.withServer { server in
            model.serve(on: server)
            let bench = try UploadBench(server)
            let runner = bench.runner(bench.plan())
            await #expect(throws: SternaError.self) { try await runner.run() }
            expectEqual(model.uploads.count, 1)
            let stored = try #require(try bench.stored())
            try await expectEqual(runner.cancel(stored).stage, .begun)
            #expect(model.uploads.isEmpty)
            try await expectNil(runner.cancel(stored).url)
        }
    }
}
