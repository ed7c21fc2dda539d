public import HTTPTypes
public import SternaCore
public import SternaSerialization
import Synchronization

/// A transport that answers without a network, and records its requests.
///
///     let mock = MockTransport { request in .json(["path": .string(request.url.path)]) }
///     let api = try Session(baseURL: "https://api.example.com") { $0.transport = mock }
public final class MockTransport: Transport {
    /// An answer of the mock.
    public struct Answer: Sendable {
        public var status: Int
        public var headers: HTTPFields
        public var body: ResponseBody

        public init(status: Int = 200, headers: HTTPFields = [:], body: ResponseBody = ResponseBody()) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// An answer with bytes of a media type.
        public static func bytes(_ bytes: Bytes, mediaType: String, status: Int = 200) -> Answer {
            Answer(status: status, headers: [.contentType: mediaType], body: ResponseBody(bytes))
        }

        /// An answer with a text.
        public static func text(_ text: String, mediaType: String = "text/plain; charset=utf-8", status: Int = 200)
            -> Answer
        {
            .bytes(Bytes(text: text), mediaType: mediaType, status: status)
        }

        /// An answer with JSON.
        public static func json(_ value: JSON, status: Int = 200) -> Answer {
            .text(value.description, mediaType: "application/json", status: status)
        }

        /// A redirect.
        public static func redirect(to location: String, status: Int = 302) -> Answer {
            Answer(status: status, headers: [.location: location])
        }
    }

    private let answer: @Sendable (Request) async throws -> Answer
    private let seen = Mutex<[Request]>([])

    /// Answers each request with a closure, which may throw as a transport would.
    public init(_ answer: @escaping @Sendable (Request) async throws -> Answer) {
        self.answer = answer
    }

    /// Answers from a list in order; throws `connectionClosed` after the last answer.
    public convenience init(answers: [Answer]) {
        let queue = AnswerQueue(answers)
        self.init { _ in
            guard let next = queue.next() else {
                throw SternaError(.connectionClosed, phase: .wait, "The mock has no response left.")
            }
            return next
        }
    }

    /// The requests so far, as they reached the transport.
    public var requests: [Request] { seen.withLock { $0 } }

    public func send(_ request: Request) async throws -> Response {
        seen.withLock { $0.append(request) }
        let answer = try await answer(request)
        return Response(
            status: .init(code: min(max(answer.status, 100), 999)), section: FieldSection(answer.headers),
            body: answer.body, url: request.url)
    }
}

private final class AnswerQueue: Sendable {
    private let rest: Mutex<ArraySlice<MockTransport.Answer>>

    init(_ answers: [MockTransport.Answer]) { rest = Mutex(answers[...]) }

    func next() -> MockTransport.Answer? { rest.withLock { $0.popFirst() } }
}
