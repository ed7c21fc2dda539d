import Dispatch
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Callbacks: requests that cannot be built")
struct CallbackFailureTests {
    typealias Attempt = @Sendable (Session, CallbackLog<JSON>) -> DataTask?

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind: SternaError.Kind
        var hasURL: Bool
        var attempt: Attempt

        init(_ name: String, _ kind: SternaError.Kind, hasURL: Bool = true, _ attempt: @escaping Attempt) {
            testDescription = name
            self.kind = kind
            self.hasURL = hasURL
            self.attempt = attempt
        }
    }

    static let rows = [
        Row("a bad URL", .invalidURL, hasURL: false) {
            $0.post("http://[::1", success: $1.onSuccess, failure: $1.onFailure)
        },
        Row("another origin", .originRefused, hasURL: false) {
            $0.post("https://other.example/", success: $1.onSuccess, failure: $1.onFailure)
        },
        Row("a bad header field", .invalidHeader) {
            $0.post("a", headers: ["X-A": "b\r\nc: d"], success: $1.onSuccess, failure: $1.onFailure)
        },
        Row("a bad name of a header field", .invalidHeader) {
            $0.post("a", headers: ["X A": "b"], success: $1.onSuccess, failure: $1.onFailure)
        },
        Row("NaN in JSON", .encodingFailed) {
            $0.post("a", parameters: ["list": [1, Double.nan]], success: $1.onSuccess, failure: $1.onFailure) {
                $0.requestSerializer = JSONRequestSerializer()
            }
        },
        Row("a serializer that throws", .encodingFailed) {
            struct Thrower: RequestSerializer {
                struct Odd: Error {}
                func serialize(_ parameters: Parameters?, into request: inout Request) throws { throw Odd() }
                func appendQuery(_ parameters: Parameters, to request: inout Request) throws { throw Odd() }
            }
            return $0.post("a", parameters: ["a": 1], success: $1.onSuccess, failure: $1.onFailure) {
                $0.requestSerializer = Thrower()
            }
        },
    ]

    @Test("failure is called later, without a task, and none is returned", arguments: rows)
    func failure(row: Row) async throws {
        let queue = DispatchQueue(label: "test")
        let (api, mock) = try mocked { $0.callbacks = .queue(queue) }
        let log = CallbackLog<JSON>()
        // On the callbacks' own queue, so that one that came at once would have come before.
        queue.sync {
            expectNil(row.attempt(api, log))
            #expect(log.events.isEmpty)
        }
        await log.wait()
        await queue.drained()
        expectEqual(log.events.count, 1)
        guard case .failure(let error, let hasTask) = log.events[0] else {
            Issue.record("\(log.events)")
            return
        }
        #expect(!hasTask)
        expectEqual(error.kind, row.kind)
        expectEqual(error.phase, .prepare)
        #expect(!error.requestSent)
        expectEqual(error.method, .post)
        if row.hasURL { #expect(error.url == "https://api.example.com/v1/a") }
        #expect(mock.requests.isEmpty)
    }

    @Test("failure is called also with a response serializer")
    func typed() async throws {
        let queue = DispatchQueue(label: "test")
        let (api, _) = try mocked { $0.callbacks = .queue(queue) }
        let log = CallbackLog<String>()
        let task = api.get("a", headers: ["": "b"], as: .text, success: log.onSuccess, failure: log.onFailure)
        expectNil(task)
        await log.wait()
        expectEqual(log.errors.first?.kind, .invalidHeader)
    }

    @Test("A session with a setting that cannot be used fails each request")
    func session() async throws {
        let (api, mock) = try mocked { $0.callbacks = .queue(.global()) }
        let broken = api.with { $0.headers["X-A"] = "b\n" }
        let log = CallbackLog<JSON>()
        expectNil(broken.get("a", success: log.onSuccess, failure: log.onFailure))
        await log.wait()
        expectEqual(log.errors.first?.kind, .invalidHeader)
        #expect(mock.requests.isEmpty)
    }

    @Test("failure is called later on the main queue, too")
    @MainActor
    func main() async throws {
        let (api, _) = try mocked()
        let log = CallbackLog<JSON>()
        #expect(api.get("http://[", success: log.onSuccess, failure: log.onFailure) == nil)
        #expect(log.events.isEmpty)
        await log.wait()
        expectEqual(log.errors.first?.kind, .invalidURL)
    }
}
