import Sterna
import SternaPlatform
import SternaTesting
import SternaTransfers
import Synchronization
import Testing

@testable import SternaS3
@testable import SternaTestSupport

@Suite("S3: uploads to faulty servers", .timeLimit(.minutes(5)))
struct S3UploadFaultTests {
    /// A transient fault: its step, the fault, and how many requests of the step follow.
    struct Passing: Sendable, CustomTestStringConvertible {
        let step: String
        let fault: S3Model.Fault
        var times = 1
        var creations = 1

        var testDescription: String { "\(step): \(fault)" }
    }

    static let passing: [Passing] = [
        Passing(step: "create", fault: .status(500, "InternalError"), creations: 2),
        Passing(step: "create", fault: .cutAnswer, creations: 2),
        Passing(step: "part 4", fault: .cut(after: 300)),
        Passing(step: "part 4", fault: .cutAnswer),
        Passing(step: "part 4", fault: .status(503, "SlowDown"), times: 3),
        Passing(step: "part 4", fault: .status(503, nil)),
        Passing(step: "part 4", fault: .status(400, "RequestTimeout")),
        Passing(step: "part 4", fault: .status(400, "BadDigest")),
        Passing(step: "part 4", fault: .status(429, nil)),
        Passing(step: "part 4", fault: .forget, creations: 2),
        Passing(step: "complete", fault: .carried("InternalError")),
        Passing(step: "complete", fault: .carried("SlowDown"), times: 2),
        Passing(step: "complete", fault: .status(502, nil)),
        Passing(step: "complete", fault: .cutAnswer),
        Passing(step: "complete", fault: .body("")),
        Passing(step: "complete", fault: .body("   ")),
        Passing(step: "complete", fault: .body("<html>")),
        Passing(step: "complete", fault: .forget, creations: 2),
    ]

    @Test("Transient faults are overcome in the first attempt", arguments: passing)
    func passes(fault: Passing) async throws {
        try await TestServer.withServer { server async throws in
            let model = S3Model { step, count in
                step == fault.step && count < fault.times ? fault.fault : nil
            }
            model.serve(on: server)
            let scene = try S3UploadScene(server)
            let transfer = try await scene.upload()
            expectEqual(transfer.status.state, .finished(path: scene.path, length: 10_500), "\(transfer.status)")
            expectEqual(model.objects["film.mov"].map { Data($0.bytes) }, S3UploadScene.content)
            #expect(transfer.attempts.count == 1 && model.creations == fault.creations, "\(model.log)")
        }
    }

    /// A permanent fault: its step, the fault, and words of the reason.
    struct Lasting: Sendable, CustomTestStringConvertible {
        let step: String
        let fault: S3Model.Fault
        let words: String
        /// Whether the server has an upload that has to be aborted.
        var isAborted = true
        /// Whether the transfer waits for other credentials, with what the server has.
        var isBlocked = false

        var testDescription: String { "\(step): \(fault)" }
    }

    static let lasting: [Lasting] = [
        Lasting(
            step: "create", fault: .status(403, "AccessDenied"), words: "s3:PutObject", isAborted: false,
            isBlocked: true),
        Lasting(step: "create", fault: .status(404, "NoSuchBucket"), words: "correct its name", isAborted: false),
        Lasting(step: "create", fault: .status(301, "PermanentRedirect"), words: "another region", isAborted: false),
        Lasting(step: "create", fault: .body("<a/>"), words: "no UploadId", isAborted: false),
        Lasting(
            step: "create", fault: .body(#"<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>"#),
            words: "XML", isAborted: false),
        Lasting(
            step: "create", fault: .body(String(repeating: "<a>", count: 10_000)), words: "", isAborted: false),
        Lasting(
            step: "create",
            fault: .body(
                "<InitiateMultipartUploadResult><UploadId>a\nb</UploadId></InitiateMultipartUploadResult>"),
            words: "no UploadId", isAborted: false),
        Lasting(
            step: "part 4", fault: .status(403, "AccessDenied"), words: "The server's words", isAborted: false,
            isBlocked: true),
        Lasting(step: "part 4", fault: .withoutTag, words: "without an ETag"),
        Lasting(step: "complete", fault: .status(400, "EntityTooSmall"), words: "partBytes"),
        Lasting(
            step: "complete", fault: .carried("AccessDenied"), words: "s3:PutObject", isAborted: false,
            isBlocked: true),
        Lasting(step: "complete", fault: .status(412, "PreconditionFailed"), words: "stays as it is"),
        Lasting(step: "complete", fault: .status(400, "InvalidPart"), words: "does not have the parts"),
        Lasting(step: "part 4", fault: .forget, words: "forgotten the upload", isAborted: false),
    ]

    @Test(
        "Permanent faults end the transfer with advice, and abort the upload; refused credentials block it",
        arguments: lasting)
    func lasts(fault: Lasting) async throws {
        try await TestServer.withServer { server async throws in
            let model = S3Model { step, _ in step == fault.step ? fault.fault : nil }
            model.serve(on: server)
            let scene = try S3UploadScene(server)
            let transfer = try await scene.upload()
            let reason = try #require(transfer.status.state.failureReason, "\(transfer.status)")
            #expect(reason.contains(fault.words), "\(reason)")
            #expect(!reason.contains("uploadId") && !reason.contains("upload/1"), "\(reason)")
            #expect(transfer.attempts.count == 1 && model.objects.isEmpty)
            expectEqual(transfer.status.state.isBlocked, fault.isBlocked)
            if fault.isBlocked { #expect(!model.log.contains("abort"), "\(model.log)") }
            if fault.isAborted { #expect(model.uploadCount == 0 && model.log.contains("abort"), "\(model.log)") }
            // Forgotten uploads are created again three times.
            #expect(model.creations <= 4 && model.log.count < 120)
        }
    }

    @Test("A fault that outlasts an attempt is left to the store, which retries later")
    func pauses() async throws {
        try await TestServer.withServer { server async throws in
            let model = S3Model { step, count in step == "part 4" && count < 3 ? .status(503, "SlowDown") : nil }
            model.serve(on: server)
            let scene = try S3UploadScene(server)
            let transfer = try await scene.upload(S3UploadScene.method(concurrency: 2, failures: 2))
            #expect(transfer.status.state.isFinished, "\(transfer.status)")
            #expect(transfer.attempts.count == 2 && model.creations == 1)
            // The parts that were under way count.
            #expect(model.received == 10_500 && transfer.attempts.last.map { $0.keptBytes > 0 } == true)
            expectEqual(transfer.attempts.first?.failure?.reason.contains("SlowDown"), true)
        }
    }

    @Test("A list of parts that does not end ends the transfer")
    func endless() async throws {
        try await TestServer.withServer { server async throws in
            let model = S3Model(pageSize: 3) { step, count in
                if step == "list" { return .endless }
                return step == "part 4" && count < 3 ? .status(503, nil) : nil
            }
            model.serve(on: server)
            let scene = try S3UploadScene(server)
            let transfer = try await scene.upload(S3UploadScene.method(failures: 2))
            expectEqual(transfer.status.state.failureReason?.contains("does not end"), true, "\(transfer.status)")
            expectEqual(model.uploadCount, 0)
        }
    }

    @Test("A URL that is not an object's, and impossible limits, are refused before anything is sent")
    func refused() async throws {
        try await TestServer.withServer { server async throws in
            let model = S3Model()
            model.serve(on: server)
            let scene = try S3UploadScene(server)
            let store = try scene.store()
            for reference in ["/", "/bucket/a?versionId=1"] {
                let transfer = try await store.upload(
                    file: scene.path, to: server.url(reference), with: scene.session, UploadOptions(.method("s3")))
                _ = try await transfer.end()
                expectEqual(transfer.status.state.failureReason?.contains("object's key"), true)
            }
            let small = try await scene.upload { $0.maxRequestBytes = 999 }
            expectEqual(small.status.state.failureReason?.contains("maxRequestBytes"), true)
            #expect(model.log.isEmpty)
        }
    }
}
