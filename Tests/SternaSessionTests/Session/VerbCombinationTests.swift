import Dispatch
import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Every way to ask takes the same labels in the same order, and sends the same for them.
@Suite("Verbs: every form with every combination of labels")
struct VerbCombinationTests {
    private struct Value: Encodable { var p = 1 }

    private let numbers: Parameters = ["p": 1]
    private let queries = Parameters(["q": 2])
    private let fields = Headers(["X-H": "h"])

    /// What was asked for, and how it is shown by the request that comes of it.
    private struct Shown: Equatable {
        var target: String
        var body: String?
        var field: String?
        var isUrgent: Bool

        init(_ request: Request) {
            target = request.url.requestTarget
            body = request.givenText
            field = request.headers["X-H"]
            isUrgent = request.priority == .high
        }

        init(_ labels: String, _ method: Request.Method) {
            let encodesInURL = [.get, .head, .delete].contains(method)
            let hasParameters = labels.contains("p")
            let given = ["b": "b", "j": #"{"p":1}"#, "f": "p=1"].first { labels.contains($0.key) }?.value
            var query: [String] = labels.contains("q") ? ["q=2"] : []
            if hasParameters, given != nil || encodesInURL { query.append("p=1") }
            target = "/v1/a" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
            // Without parameters, an empty form: AFNetworking's.
            let isForm = [.post, .put, .patch].contains(method)
            body = given ?? (encodesInURL ? nil : hasParameters ? "p=1" : isForm ? "" : nil)
            field = labels.contains("h") ? "h" : nil
            isUrgent = labels.contains("s")
        }
    }

    /// The labels of each call below: parameters, query, body, headers, settings; JSON and form.
    private static let labels = ["", "p", "q", "b", "h", "s", "pqbhs", "pqhs", "p", "q", "h", "pqbhs"]
    private static let contents = ["j", "j", "f", "f", "jqhs", "jqhs", "fqhs", "fqhs"]

    static let methods: [Request.Method] = [.get, .head, .post, .put, .patch, .delete, .options]

    private static func expected(_ method: Request.Method, _ labels: [String] = labels + contents) -> [Shown] {
        labels.map { Shown($0, method) }
    }

    private func verb(_ method: Request.Method, of api: Session) -> Session.Verb {
        switch method {
        case .head: api.head
        case .post: api.post
        case .put: api.put
        case .patch: api.patch
        case .delete: api.delete
        case .options: api.options
        default: api.get
        }
    }

    private func draft(_ method: Request.Method) -> RequestDraft.Verb {
        switch method {
        case .head: RequestDraft.head
        case .post: RequestDraft.post
        case .put: RequestDraft.put
        case .patch: RequestDraft.patch
        case .delete: RequestDraft.delete
        case .options: RequestDraft.options
        default: RequestDraft.get
        }
    }

    @Test("Awaited", arguments: methods)
    func awaited(method: Request.Method) async throws {
        let (api, mock) = try mocked()
        let verb = verb(method, of: api)
        try await verb("a")
        try await verb("a", parameters: ["p": 1])
        try await verb("a", query: ["q": 2])
        try await verb("a", body: .text("b"))
        try await verb("a", headers: ["X-H": "h"])
        try await verb("a") { $0.priority = .high }
        try await verb("a", parameters: ["p": 1], query: ["q": 2], body: .text("b"), headers: ["X-H": "h"]) {
            $0.priority = .high
        }
        try await verb("a", parameters: ["p": 1], query: ["q": 2], headers: ["X-H": "h"]) { $0.priority = .high }
        try await verb("a", parameters: numbers)
        try await verb("a", query: queries)
        try await verb("a", headers: fields)
        try await verb("a", parameters: numbers, query: queries, body: .text("b"), headers: fields) {
            $0.priority = .high
        }
        try await verb("a", json: ["p": 1])
        try await verb("a", json: Value())
        try await verb("a", form: ["p": 1])
        try await verb("a", form: Value())
        try await verb("a", json: ["p": 1], query: ["q": 2], headers: ["X-H": "h"]) { $0.priority = .high }
        try await verb("a", json: Value(), query: ["q": 2], headers: ["X-H": "h"]) { $0.priority = .high }
        try await verb("a", form: ["p": 1], query: ["q": 2], headers: ["X-H": "h"]) { $0.priority = .high }
        try await verb("a", form: Value(), query: ["q": 2], headers: ["X-H": "h"]) { $0.priority = .high }
        let sent = mock.requests
        #expect(sent.allSatisfy { $0.method == method })
        expectEqual(sent.map { Shown($0) }, Self.expected(method))
    }

    @Test("Awaited, of any method", arguments: methods)
    func request(method: Request.Method) async throws {
        let (api, mock) = try mocked()
        try await api.request(method, "a")
        try await api.request(method, "a", parameters: ["p": 1])
        try await api.request(method, "a", query: ["q": 2])
        try await api.request(method, "a", body: .text("b"))
        try await api.request(method, "a", headers: ["X-H": "h"])
        try await api.request(method, "a") { $0.priority = .high }
        try await api.request(
            method, "a", parameters: ["p": 1], query: ["q": 2], body: .text("b"), headers: ["X-H": "h"]
        ) { $0.priority = .high }
        try await api.request(method, "a", parameters: ["p": 1], query: ["q": 2], headers: ["X-H": "h"]) {
            $0.priority = .high
        }
        try await api.request(method, "a", parameters: numbers)
        try await api.request(method, "a", query: queries)
        try await api.request(method, "a", headers: fields)
        try await api.request(method, "a", parameters: numbers, query: queries, body: .text("b"), headers: fields) {
            $0.priority = .high
        }
        let sent = mock.requests
        #expect(sent.allSatisfy { $0.method == method })
        expectEqual(sent.map { Shown($0) }, Self.expected(method, Self.labels))
    }

    @Test("With callbacks", arguments: methods)
    func callbacks(method: Request.Method) async throws {
        let (api, mock) = try mocked { $0.callbacks = .queue(DispatchQueue(label: "test")) }
        let verb = verb(method, of: api)
        let log = CallbackLog<JSON>()
        var tasks: [DataTask?] = []
        tasks.append(verb("a", success: log.onSuccess, failure: log.onFailure))
        tasks.append(verb("a", parameters: ["p": 1], success: log.onSuccess, failure: log.onFailure))
        tasks.append(verb("a", query: ["q": 2], success: log.onSuccess, failure: log.onFailure))
        tasks.append(verb("a", body: .text("b"), success: log.onSuccess, failure: log.onFailure))
        tasks.append(verb("a", headers: ["X-H": "h"], success: log.onSuccess, failure: log.onFailure))
        tasks.append(verb("a", success: log.onSuccess, failure: log.onFailure) { $0.priority = .high })
        tasks.append(
            verb(
                "a", parameters: ["p": 1], query: ["q": 2], body: .text("b"), headers: ["X-H": "h"],
                success: log.onSuccess, failure: log.onFailure
            ) { $0.priority = .high })
        tasks.append(
            verb(
                "a", parameters: ["p": 1], query: ["q": 2], headers: ["X-H": "h"], success: log.onSuccess,
                failure: log.onFailure
            ) { $0.priority = .high })
        tasks.append(verb("a", parameters: numbers, success: log.onSuccess, failure: log.onFailure))
        tasks.append(verb("a", query: queries, success: log.onSuccess, failure: log.onFailure))
        tasks.append(verb("a", headers: fields, success: log.onSuccess, failure: log.onFailure))
        tasks.append(
            verb(
                "a", parameters: numbers, query: queries, body: .text("b"), headers: fields, success: log.onSuccess,
                failure: log.onFailure
            ) { $0.priority = .high })
        tasks.append(verb("a", json: ["p": 1], success: log.onSuccess, failure: log.onFailure))
        tasks.append(verb("a", json: Value(), success: log.onSuccess, failure: log.onFailure))
        tasks.append(verb("a", form: ["p": 1], success: log.onSuccess, failure: log.onFailure))
        tasks.append(verb("a", form: Value(), success: log.onSuccess, failure: log.onFailure))
        tasks.append(
            verb(
                "a", json: ["p": 1], query: ["q": 2], headers: ["X-H": "h"], success: log.onSuccess,
                failure: log.onFailure
            ) {
                $0.priority = .high
            })
        tasks.append(
            verb(
                "a", json: Value(), query: ["q": 2], headers: ["X-H": "h"], success: log.onSuccess,
                failure: log.onFailure
            ) {
                $0.priority = .high
            })
        tasks.append(
            verb(
                "a", form: ["p": 1], query: ["q": 2], headers: ["X-H": "h"], success: log.onSuccess,
                failure: log.onFailure
            ) {
                $0.priority = .high
            })
        tasks.append(
            verb(
                "a", form: Value(), query: ["q": 2], headers: ["X-H": "h"], success: log.onSuccess,
                failure: log.onFailure
            ) {
                $0.priority = .high
            })
        await log.wait(ends: tasks.count)
        expectEqual(log.values.count, tasks.count)
        expectEqual(mock.requests.count, tasks.count)
        expectEqual(tasks.compactMap { $0?.originalRequest.map { Shown($0) } }, Self.expected(method))
    }

    @Test("With callbacks, of any method", arguments: methods)
    func requestCallbacks(method: Request.Method) async throws {
        let (api, mock) = try mocked { $0.callbacks = .queue(DispatchQueue(label: "test")) }
        let log = CallbackLog<JSON>()
        var tasks: [DataTask?] = []
        tasks.append(api.request(method, "a", success: log.onSuccess, failure: log.onFailure))
        tasks.append(api.request(method, "a", parameters: ["p": 1], success: log.onSuccess, failure: log.onFailure))
        tasks.append(api.request(method, "a", query: ["q": 2], success: log.onSuccess, failure: log.onFailure))
        tasks.append(api.request(method, "a", body: .text("b"), success: log.onSuccess, failure: log.onFailure))
        tasks.append(api.request(method, "a", headers: ["X-H": "h"], success: log.onSuccess, failure: log.onFailure))
        tasks.append(api.request(method, "a", success: log.onSuccess, failure: log.onFailure) { $0.priority = .high })
        tasks.append(
            api.request(
                method, "a", parameters: ["p": 1], query: ["q": 2], body: .text("b"), headers: ["X-H": "h"],
                success: log.onSuccess, failure: log.onFailure
            ) { $0.priority = .high })
        tasks.append(
            api.request(
                method, "a", parameters: ["p": 1], query: ["q": 2], headers: ["X-H": "h"], success: log.onSuccess,
                failure: log.onFailure
            ) { $0.priority = .high })
        tasks.append(api.request(method, "a", parameters: numbers, success: log.onSuccess, failure: log.onFailure))
        tasks.append(api.request(method, "a", query: queries, success: log.onSuccess, failure: log.onFailure))
        tasks.append(api.request(method, "a", headers: fields, success: log.onSuccess, failure: log.onFailure))
        tasks.append(
            api.request(
                method, "a", parameters: numbers, query: queries, body: .text("b"), headers: fields,
                success: log.onSuccess, failure: log.onFailure
            ) { $0.priority = .high })
        await log.wait(ends: tasks.count)
        expectEqual(log.values.count, tasks.count)
        expectEqual(mock.requests.count, tasks.count)
        expectEqual(tasks.compactMap { $0?.originalRequest.map { Shown($0) } }, Self.expected(method, Self.labels))
    }

    @Test("Drafts", arguments: methods)
    func drafts(method: Request.Method) async throws {
        let verb = draft(method)
        var drafts: [RequestDraft] = []
        drafts.append(verb("a"))
        drafts.append(verb("a", parameters: ["p": 1]))
        drafts.append(verb("a", query: ["q": 2]))
        drafts.append(verb("a", body: .text("b")))
        drafts.append(verb("a", headers: ["X-H": "h"]))
        drafts.append(verb("a") { $0.priority = .high })
        drafts.append(
            verb("a", parameters: ["p": 1], query: ["q": 2], body: .text("b"), headers: ["X-H": "h"]) {
                $0.priority = .high
            })
        drafts.append(verb("a", parameters: ["p": 1], query: ["q": 2], headers: ["X-H": "h"]) { $0.priority = .high })
        drafts.append(verb("a", parameters: numbers))
        drafts.append(verb("a", query: queries))
        drafts.append(verb("a", headers: fields))
        drafts.append(
            verb("a", parameters: numbers, query: queries, body: .text("b"), headers: fields) { $0.priority = .high })
        drafts.append(verb("a", json: ["p": 1]))
        drafts.append(verb("a", json: Value()))
        drafts.append(verb("a", form: ["p": 1]))
        drafts.append(verb("a", form: Value()))
        drafts.append(verb("a", json: ["p": 1], query: ["q": 2], headers: ["X-H": "h"]) { $0.priority = .high })
        drafts.append(verb("a", json: Value(), query: ["q": 2], headers: ["X-H": "h"]) { $0.priority = .high })
        drafts.append(verb("a", form: ["p": 1], query: ["q": 2], headers: ["X-H": "h"]) { $0.priority = .high })
        drafts.append(verb("a", form: Value(), query: ["q": 2], headers: ["X-H": "h"]) { $0.priority = .high })
        try await expectSent(drafts, method)
    }

    @Test("Drafts of any method", arguments: methods)
    func anyDrafts(method: Request.Method) async throws {
        var drafts: [RequestDraft] = []
        drafts.append(RequestDraft(method, "a"))
        drafts.append(RequestDraft(method, "a", parameters: ["p": 1]))
        drafts.append(RequestDraft(method, "a", query: ["q": 2]))
        drafts.append(RequestDraft(method, "a", body: .text("b")))
        drafts.append(RequestDraft(method, "a", headers: ["X-H": "h"]))
        drafts.append(RequestDraft(method, "a") { $0.priority = .high })
        drafts.append(
            RequestDraft(method, "a", parameters: ["p": 1], query: ["q": 2], body: .text("b"), headers: ["X-H": "h"]) {
                $0.priority = .high
            })
        drafts.append(
            RequestDraft(method, "a", parameters: ["p": 1], query: ["q": 2], headers: ["X-H": "h"]) {
                $0.priority = .high
            })
        drafts.append(RequestDraft(method, "a", parameters: numbers))
        drafts.append(RequestDraft(method, "a", query: queries))
        drafts.append(RequestDraft(method, "a", headers: fields))
        drafts.append(
            RequestDraft(method, "a", parameters: numbers, query: queries, body: .text("b"), headers: fields) {
                $0.priority = .high
            })
        drafts.append(RequestDraft(method, "a", json: ["p": 1]))
        drafts.append(RequestDraft(method, "a", json: Value()))
        drafts.append(RequestDraft(method, "a", form: ["p": 1]))
        drafts.append(RequestDraft(method, "a", form: Value()))
        drafts.append(
            RequestDraft(method, "a", json: ["p": 1], query: ["q": 2], headers: ["X-H": "h"]) { $0.priority = .high })
        drafts.append(
            RequestDraft(method, "a", json: Value(), query: ["q": 2], headers: ["X-H": "h"]) { $0.priority = .high })
        drafts.append(
            RequestDraft(method, "a", form: ["p": 1], query: ["q": 2], headers: ["X-H": "h"]) { $0.priority = .high })
        drafts.append(
            RequestDraft(method, "a", form: Value(), query: ["q": 2], headers: ["X-H": "h"]) { $0.priority = .high })
        try await expectSent(drafts, method)
    }

    /// Sends drafts in each of the ways that there are.
    private func expectSent(_ drafts: [RequestDraft], _ method: Request.Method) async throws {
        let (api, mock) = try mocked { $0.callbacks = .queue(DispatchQueue(label: "test")) }
        let log = CallbackLog<JSON>()
        let expected = Self.expected(method)
        expectEqual(drafts.count, expected.count)
        for (draft, expected) in zip(drafts, expected) {
            expectEqual(draft.method, method)
            try expectEqual(Shown(api.request(for: draft)), expected)
            try await api.send(draft)
            try await api.withResponse(to: draft) { _ in }
            api.send(draft, success: log.onSuccess, failure: log.onFailure)
            #expect(try api.curl(for: draft).contains("https://api.example.com\(expected.target)"))
        }
        await log.wait(ends: drafts.count)
        expectEqual(mock.requests.count, 3 * drafts.count)
        for (index, request) in mock.requests.enumerated() where index % 3 < 2 {
            #expect(expected.contains(Shown(request)))
        }
    }

    @Test("as: goes with all other labels of requests with callbacks")
    func serializers() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .text("plain") }) {
            $0.callbacks = .queue(DispatchQueue(label: "test"))
        }
        let log = CallbackLog<String>()
        api.get("a", as: .text, success: log.onSuccess, failure: log.onFailure)
        api.get("a", parameters: numbers, as: .text, success: log.onSuccess, failure: log.onFailure)
        api.get("a", json: Value(), as: .text, success: log.onSuccess, failure: log.onFailure)
        api.get("a", form: Value(), headers: fields, as: .text, success: log.onSuccess, failure: log.onFailure)
        api.request(.put, "a", as: .text, success: log.onSuccess, failure: log.onFailure)
        api.send(.get("a"), as: .text, success: log.onSuccess, failure: log.onFailure)
        api.upload(.text("b"), to: "a", as: .text, success: log.onSuccess, failure: log.onFailure)
        await log.wait(ends: 7)
        expectEqual(log.values, Array(repeating: "plain", count: 7))
    }

    @Test("Callbacks and settings can be trailing closures")
    func trailing() async throws {
        let (api, mock) = try mocked { $0.callbacks = .queue(DispatchQueue(label: "test")) }
        let log = CallbackLog<JSON>()
        api.get("a") { task, value in
            log.onSuccess(task, value)
        } failure: { task, error in
            log.onFailure(task, error)
        }
        api.get("a", success: log.onSuccess) { task, error in log.onFailure(task, error) }
        api.get("a", success: log.onSuccess, failure: log.onFailure) { $0.priority = .high }
        await log.wait(ends: 3)
        expectEqual(log.values.count, 3)
        expectEqual(mock.requests.count { $0.priority == .high }, 1)
    }
}
