import Dispatch
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Verbs with callbacks")
struct CallbackVerbTests {
    typealias JSONVerb = @Sendable (Session, CallbackLog<JSON>) -> DataTask?
    typealias TextVerb = @Sendable (Session, CallbackLog<String>) -> DataTask?

    static let purge = Request.Method("PURGE") ?? .get

    static let trees: [(String, JSONVerb)] = [
        (
            "GET",
            {
                $0.get(
                    "a", parameters: ["n": 1], headers: ["X-A": "b"], progress: $1.onProgress, success: $1.onSuccess,
                    failure: $1.onFailure)
            }
        ),
        (
            "HEAD",
            {
                $0.head(
                    "a", parameters: ["n": 1], headers: ["X-A": "b"], progress: $1.onProgress, success: $1.onSuccess,
                    failure: $1.onFailure)
            }
        ),
        (
            "POST",
            {
                $0.post(
                    "a", parameters: ["n": 1], headers: ["X-A": "b"], progress: $1.onProgress, success: $1.onSuccess,
                    failure: $1.onFailure)
            }
        ),
        (
            "PUT",
            {
                $0.put(
                    "a", parameters: ["n": 1], headers: ["X-A": "b"], progress: $1.onProgress, success: $1.onSuccess,
                    failure: $1.onFailure)
            }
        ),
        (
            "PATCH",
            {
                $0.patch(
                    "a", parameters: ["n": 1], headers: ["X-A": "b"], progress: $1.onProgress, success: $1.onSuccess,
                    failure: $1.onFailure)
            }
        ),
        (
            "DELETE",
            {
                $0.delete(
                    "a", parameters: ["n": 1], headers: ["X-A": "b"], progress: $1.onProgress, success: $1.onSuccess,
                    failure: $1.onFailure)
            }
        ),
        (
            "OPTIONS",
            {
                $0.options(
                    "a", parameters: ["n": 1], headers: ["X-A": "b"], progress: $1.onProgress, success: $1.onSuccess,
                    failure: $1.onFailure)
            }
        ),
        (
            "PURGE",
            {
                $0.request(
                    Self.purge, "a", parameters: ["n": 1], headers: ["X-A": "b"], progress: $1.onProgress,
                    success: $1.onSuccess, failure: $1.onFailure)
            }
        ),
    ]

    static let texts: [(String, TextVerb)] = [
        ("GET", { $0.get("a", parameters: ["n": 1], as: .text, success: $1.onSuccess, failure: $1.onFailure) }),
        ("HEAD", { $0.head("a", parameters: ["n": 1], as: .text, success: $1.onSuccess, failure: $1.onFailure) }),
        ("POST", { $0.post("a", parameters: ["n": 1], as: .text, success: $1.onSuccess, failure: $1.onFailure) }),
        ("PUT", { $0.put("a", parameters: ["n": 1], as: .text, success: $1.onSuccess, failure: $1.onFailure) }),
        ("PATCH", { $0.patch("a", parameters: ["n": 1], as: .text, success: $1.onSuccess, failure: $1.onFailure) }),
        ("DELETE", { $0.delete("a", parameters: ["n": 1], as: .text, success: $1.onSuccess, failure: $1.onFailure) }),
        ("OPTIONS", { $0.options("a", parameters: ["n": 1], as: .text, success: $1.onSuccess, failure: $1.onFailure) }),
        (
            "PURGE",
            {
                $0.request(
                    Self.purge, "a", parameters: ["n": 1], as: .text, success: $1.onSuccess, failure: $1.onFailure)
            }
        ),
    ]

    private func expect(_ request: Request?, of name: String, _ method: String) {
        let encodesInURL = ["GET", "HEAD", "DELETE"].contains(method)
        expectEqual(request?.method.rawValue, method)
        expectEqual(request?.url.requestTarget, (encodesInURL ? "/v1/a?n=1" : "/v1/a"))
        expectEqual(request?.givenText, (encodesInURL ? nil : "n=1"))
    }

    @Test("A callback without a serializer receives a JSON tree", arguments: trees)
    func tree(method: String, verb: JSONVerb) async throws {
        let (api, mock) = try mocked(by: MockTransport { _ in .json(["answer": 1]) }) {
            $0.callbacks = .queue(.global())
        }
        let log = CallbackLog<JSON>()
        let task = try #require(verb(api, log))
        await log.wait()
        expectEqual(log.values, [["answer": 1]])
        #expect(log.errors.isEmpty)
        expect(mock.requests.first, of: "tree", method)
        expectEqual(mock.requests.first?.headers[.init("X-A")!], "b")
        expectEqual(task.originalRequest?.method.rawValue, method)
        #expect(task.isFinished)
        guard case .success = log.events.last else {
            Issue.record("The end is not the last: \(log.events)")
            return
        }
    }

    @Test("A callback with a serializer receives its value", arguments: texts)
    func text(method: String, verb: TextVerb) async throws {
        let (api, mock) = try mocked(by: MockTransport { _ in .text("plain") }) { $0.callbacks = .queue(.global()) }
        let log = CallbackLog<String>()
        _ = try #require(verb(api, log))
        await log.wait()
        expectEqual(log.values, ["plain"])
        expect(mock.requests.first, of: "text", method)
    }

    static let failures: [(ServerResponse, SternaError.Kind)] = [
        (.json(["message": "no"], status: 404), .unacceptableStatus),
        (.text("<p>", mediaType: "text/html"), .unacceptableMediaType),
        (.text("{", mediaType: "application/json"), .decodingFailed),
    ]

    @Test(
        "A rejected response reaches only failure, with the task, method, URL and response",
        arguments: failures)
    func failure(answer: ServerResponse, kind: SternaError.Kind) async throws {
        let queue = DispatchQueue(label: "test")
        let (api, _) = try mocked(by: MockTransport { _ in answer }) { $0.callbacks = .queue(queue) }
        let log = CallbackLog<JSON>()
        let task = api.delete("a?token=s3cret", success: log.onSuccess, failure: log.onFailure)
        await log.wait()
        await queue.drained()
        #expect(task != nil)
        expectEqual(log.events.count, 1)
        guard case .failure(let error, let hasTask) = log.events[0] else {
            Issue.record("\(log.events)")
            return
        }
        #expect(hasTask)
        expectEqual(error.kind, kind)
        expectEqual(error.method, .delete)
        #expect(error.url == "https://api.example.com/v1/a?token=***")
        #expect(error.response != nil)
        #expect(error.body != nil)
    }

    @Test("An error of the transport or an interceptor reaches failure")
    func thrown() async throws {
        struct Odd: Error {}
        let (api, _) = try mocked(by: MockTransport { _ in throw Odd() }) { $0.callbacks = .queue(.global()) }
        let log = CallbackLog<JSON>()
        api.put("a", success: log.onSuccess, failure: log.onFailure)
        await log.wait()
        #expect(log.errors.first?.underlying is Odd)
        expectEqual(log.errors.first?.method, .put)
        #expect(log.errors.first?.url == "https://api.example.com/v1/a")
    }

    @Test("A validating closure of the serializer is called once for each response")
    func askedOnce() async throws {
        let (api, _) = try mocked { $0.callbacks = .queue(.global()) }
        let asked = Atomic<Int>(0)
        let serializer = JSONResponseSerializer().validating { _, _ in asked.add(1, ordering: .relaxed) }
        let log = CallbackLog<JSON>()
        api.get("a", as: serializer, success: log.onSuccess, failure: log.onFailure)
        await log.wait()
        expectEqual(log.values, [[:]])
        expectEqual(asked.load(ordering: .relaxed), 1)
    }

    @Test("HEAD, 204 and 205 give null, or nil for an optional", arguments: [204, 205, 200])
    func empty(status: Int) async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .init(status: status) }) { $0.callbacks = .queue(.global()) }
        let trees = CallbackLog<JSON>()
        api.head("a", success: trees.onSuccess, failure: trees.onFailure)
        await trees.wait()
        expectEqual(trees.values, [.null])
        let values = CallbackLog<Int?>()
        api.post("a", as: .decodable(Int?.self), success: values.onSuccess, failure: values.onFailure)
        await values.wait()
        expectEqual(values.values, [nil])
        let numbers = CallbackLog<Int>()
        api.post("a", as: .decodable(Int.self), success: numbers.onSuccess, failure: numbers.onFailure)
        await numbers.wait()
        expectEqual(numbers.errors.first?.kind, .decodingFailed)
        expectEqual(numbers.errors.first?.method, .post)
    }
}
