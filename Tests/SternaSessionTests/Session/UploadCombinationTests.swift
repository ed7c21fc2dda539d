import Dispatch
import HTTPTypes
import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Uploads take the labels of the verbs, awaited, with callbacks and as drafts.
@Suite("Uploads: every form with every combination of labels")
struct UploadCombinationTests {
    private let numbers: Parameters = ["p": 1]
    private let queries = Parameters(["q": 2])
    private let fields = Headers(["X-H": "h"])

    private func expectAll(
        _ requests: [Request], _ count: Int, location: SourceLocation = #_sourceLocation
    ) {
        expectEqual(requests.count, count, sourceLocation: location)
        for request in requests {
            expectEqual(request.method, .put, sourceLocation: location)
            expectEqual(request.url.requestTarget, "/v1/a?q=2", sourceLocation: location)
            expectEqual(request.headers["X-H"], "h", sourceLocation: location)
            expectEqual(request.priority, .high, sourceLocation: location)
            #expect(request.body != nil, sourceLocation: location)
        }
    }

    private func withFile(_ work: (String) async throws -> Void) async throws {
        let folder = try TestFolder()
        try await work(try folder.write(Array("content".utf8), to: "a.csv"))
    }

    private func form() -> FormBuilder {
        var form = FormBuilder()
        form.add("1", for: "a")
        return form
    }

    @Test("Awaited")
    func awaited() async throws {
        let (api, mock) = try mocked()
        let taken: Session.UploadProgress = { _ in }
        try await withFile { path in
            let url = URL(filePath: path)
            try await api.upload(.text("b"), to: "a", method: .put, query: ["q": 2], headers: ["X-H": "h"]) {
                $0.priority = .high
            }
            try await api.upload(
                .text("b"), to: "a", method: .put, query: queries, headers: fields, { $0.priority = .high },
                progress: taken)
            try await api.upload(
                .data(Data([1]), mediaType: "a/b"), to: "a", method: .put, query: ["q": 2], headers: fields
            ) {
                $0.priority = .high
            } progress: { _ in
            }
            try await api.upload(
                .data(Data([1])), to: "a", method: .put, query: ["q": 2], headers: ["X-H": "h"],
                { $0.priority = .high }, progress: taken)
            try await api.upload(file: path, to: "a", method: .put, query: ["q": 2], headers: ["X-H": "h"]) {
                $0.priority = .high
            }
            try await api.upload(
                file: url, to: "a", method: .put, mediaType: "a/b", query: queries, headers: fields,
                { $0.priority = .high }, progress: taken)
            try await api.upload(
                "a", method: .put, parameters: ["p": 1], query: ["q": 2], headers: ["X-H": "h"], multipart: { _ in }
            ) { $0.priority = .high }
            try await api.upload(
                "a", method: .put, parameters: numbers, query: queries, headers: fields, multipart: { _ in },
                { $0.priority = .high }, progress: taken)
            try await api.submit(form(), to: "a", method: .put, query: ["q": 2], headers: ["X-H": "h"]) {
                $0.priority = .high
            }
            try await api.submit(
                form(), to: "a", method: .put, query: queries, headers: fields, { $0.priority = .high }, progress: taken
            )
        }
        let sent = mock.requests
        expectAll(sent, 10)
        expectEqual(
            sent.map { $0.uploadProgress != nil }, [false, true, true, true, false, true, false, true, false, true])
        expectEqual(sent[2].headers[.contentType], "a/b")
        expectEqual(sent[3].headers[.contentType], "application/octet-stream")
        expectEqual(sent[4].headers[.contentType], "text/csv")
        expectEqual(sent[5].headers[.contentType], "a/b")
    }

    @Test("With callbacks")
    func callbacks() async throws {
        let (api, mock) = try mocked { $0.callbacks = .queue(DispatchQueue(label: "test")) }
        let log = CallbackLog<JSON>()
        let (success, failure, progress) = (log.onSuccess, log.onFailure, log.onProgress)
        try await withFile { path in
            let url = URL(filePath: path)
            api.upload(
                .text("b"), to: "a", method: .put, query: ["q": 2], headers: ["X-H": "h"], progress: progress,
                success: success, failure: failure
            ) { $0.priority = .high }
            api.upload(
                .text("b"), to: "a", method: .put, query: queries, headers: fields, success: success, failure: failure
            ) { $0.priority = .high }
            api.upload(
                .data(Data([1]), mediaType: "a/b"), to: "a", method: .put, query: ["q": 2], headers: ["X-H": "h"],
                as: JSONResponseSerializer(), success: success, failure: failure
            ) { $0.priority = .high }
            api.upload(
                .data(Data([1])), to: "a", method: .put, query: queries, headers: fields, success: success,
                failure: failure
            ) { $0.priority = .high }
            api.upload(
                file: path, to: "a", method: .put, query: ["q": 2], headers: ["X-H": "h"], success: success,
                failure: failure
            ) { $0.priority = .high }
            api.upload(
                file: url, to: "a", method: .put, mediaType: "a/b", query: queries, headers: fields, progress: progress,
                success: success, failure: failure
            ) { $0.priority = .high }
            api.upload(
                "a", method: .put, parameters: ["p": 1], query: ["q": 2], headers: ["X-H": "h"], multipart: { _ in },
                success: success, failure: failure
            ) { $0.priority = .high }
            api.upload(
                "a", method: .put, parameters: numbers, query: queries, headers: fields, multipart: { _ in },
                as: JSONResponseSerializer(), progress: progress, success: success, failure: failure
            ) { $0.priority = .high }
            api.submit(
                form(), to: "a", method: .put, query: ["q": 2], headers: ["X-H": "h"], success: success,
                failure: failure
            ) { $0.priority = .high }
            api.submit(
                form(), to: "a", method: .put, query: queries, headers: fields, success: success, failure: failure
            ) { $0.priority = .high }
            await log.wait(ends: 10)
        }
        #expect(log.errors.isEmpty)
        expectAll(mock.requests, 10)
    }

    @Test("Drafts")
    func drafts() async throws {
        let (api, mock) = try mocked()
        let taken: Session.UploadProgress = { _ in }
        try await withFile { path in
            let url = URL(filePath: path)
            var drafts: [RequestDraft] = []
            drafts.append(
                try .upload(.text("b"), to: "a", method: .put, query: ["q": 2], headers: ["X-H": "h"]) {
                    $0.priority = .high
                })
            drafts.append(
                try .upload(
                    .text("b"), to: "a", method: .put, query: queries, headers: fields, { $0.priority = .high },
                    progress: taken))
            drafts.append(
                try .upload(
                    .data(Data([1]), mediaType: "a/b"), to: "a", method: .put, query: ["q": 2], headers: ["X-H": "h"]
                ) { $0.priority = .high })
            drafts.append(
                try .upload(.data(Data([1])), to: "a", method: .put, query: queries, headers: fields) {
                    $0.priority = .high
                })
            drafts.append(
                try .upload(file: path, to: "a", method: .put, query: ["q": 2], headers: ["X-H": "h"]) {
                    $0.priority = .high
                })
            drafts.append(
                try .upload(file: url, to: "a", method: .put, mediaType: "a/b", query: queries, headers: fields) {
                    $0.priority = .high
                })
            drafts.append(
                try .upload(
                    "a", method: .put, parameters: ["p": 1], query: ["q": 2], headers: ["X-H": "h"],
                    multipart: { _ in }
                ) { $0.priority = .high })
            drafts.append(
                try .upload(
                    "a", method: .put, parameters: numbers, query: queries, headers: fields, multipart: { _ in },
                    { $0.priority = .high }, progress: taken))
            drafts.append(
                try .submit(form(), to: "a", method: .put, query: ["q": 2], headers: ["X-H": "h"]) {
                    $0.priority = .high
                })
            drafts.append(
                try .submit(form(), to: "a", method: .put, query: queries, headers: fields) { $0.priority = .high })
            for draft in drafts { try await api.send(draft) }
        }
        expectAll(mock.requests, 10)
        expectEqual(mock.requests.count { $0.uploadProgress != nil }, 2)
    }

    @Test("A URL that is not a file URL is an error")
    func files() async throws {
        let (api, mock) = try mocked { $0.callbacks = .queue(DispatchQueue(label: "test")) }
        let url = try #require(URL(string: "https://example.com/a"))
        let log = CallbackLog<JSON>()
        expectNil(api.upload(file: url, to: "a", success: log.onSuccess, failure: log.onFailure))
        await log.wait()
        let draft = #expect(throws: SternaError.self) { try RequestDraft.upload(file: url, to: "a") }
        for error in [draft, log.errors.first] {
            #expect(error?.underlying as? BodyFault == .notAFileURL(scheme: "https"))
        }
        #expect(mock.requests.isEmpty)
    }

    @Test("The settings may replace the progress closure")
    func order() async throws {
        let (api, mock) = try mocked()
        try await api.upload(.text("b"), to: "a") {
            $0.uploadProgress = nil
        } progress: { _ in
        }
        expectNil(mock.requests.first?.uploadProgress)
    }
}
