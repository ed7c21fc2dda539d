import ArgumentParser
import HTTPTypes
import NIOCore
import Sterna
import Synchronization

/// The facts of one transfer, recorded while it runs, for `--write-out`.
final class TransferRecord: Sendable {
    /// The facts so far.
    struct Facts: Sendable {
        /// The URL as the user typed it.
        var typedURL: String
        /// The place of the URL among those of the command line, from 0.
        var number: Int
        /// The last request on the network.
        var request: Request?
        /// The head of the last response, before its content was decoded.
        var head: Response?
        /// The bytes of all heads that arrived.
        var headBytes: Int64 = 0
        /// The bytes of the last response's content, before it was decoded.
        var downloaded: Int64 = 0
        /// The bytes of the request's content that were sent.
        var uploaded: Int64 = 0
        /// The file that the body was saved to.
        var file: String?
        /// The number of redirects that were followed.
        var redirects = 0
        /// The timings of all attempts.
        var metrics: RequestMetrics?
        /// The time from the beginning to the end.
        var duration = Duration.zero
        /// The exit status.
        var status = ExitStatus.success
        /// The error as a sentence.
        var error: String?
    }

    private let state: Mutex<Facts>
    private let began = ContinuousClock.now

    /// - Parameter file: the name of the file that the body goes to, as the user or the URL gives it.
    init(url: String, number: Int = 0, file: String? = nil) {
        state = Mutex(Facts(typedURL: url, number: number, file: file))
    }

    var facts: Facts { state.withLock { $0 } }

    /// Records a request on its way to the network, and forgets the response before it.
    func sent(_ request: Request) {
        state.withLock { facts in
            facts.request = request
            (facts.head, facts.downloaded, facts.uploaded) = (nil, 0, 0)
        }
    }

    /// Records the head of a response, and returns the response with a body that is counted.
    func received(_ response: Response) -> Response {
        var head = response
        head.body = ResponseBody()
        let length = Self.length(of: head)
        state.withLock { facts in
            facts.head = head
            facts.headBytes += length
        }
        var counted = response
        if let whole = response.body.whole {
            state.withLock { $0.downloaded = Int64(whole.readableBytes) }
        } else {
            counted.body = ResponseBody(
                CountedBody(response.body) { [self] bytes in state.withLock { $0.downloaded += Int64(bytes) } })
        }
        return counted
    }

    /// Records the name of the file that the body goes to.
    func saves(to file: String?) {
        state.withLock { $0.file = $0.file ?? file }
    }

    /// Records that the response's body is left out: what was read of it is for an error's message.
    func leavesOutBody() { state.withLock { $0.downloaded = 0 } }

    /// Records the response that the command shows, which may come from the cache.
    func shows(_ response: Response) {
        state.withLock { facts in
            if facts.head == nil || response.source == .cache {
                facts.head = response
                facts.head?.body = ResponseBody()
            }
            facts.redirects = response.redirects.count
        }
    }

    /// Records how much of the request's content was sent.
    func uploaded(_ bytes: Int64) { state.withLock { $0.uploaded = bytes } }

    /// Records the timings.
    func measured(_ metrics: RequestMetrics?) {
        guard let metrics else { return }
        state.withLock { $0.metrics = metrics }
    }

    /// Records the end.
    func ended(_ error: (any Error)?) {
        let duration = ContinuousClock.now - began
        state.withLock { facts in
            facts.duration = duration
            guard let error else { return }
            facts.status = (error as? ExitCode)?.rawValue ?? ExitStatus.code(for: error)
            facts.error = ErrorLine.text(for: error).flatMap { $0.isEmpty ? nil : $0 }
            let cause = (error as? AdvisedError)?.error ?? error as? SternaError
            if let cause { facts.redirects = max(facts.redirects, cause.redirects.count) }
            if let metrics = cause?.metrics { facts.metrics = metrics }
        }
    }

    /// Returns the length of a head in the form of HTTP/1: the status line, the fields, and the empty line.
    static func length(of response: Response) -> Int64 {
        // A version, blanks around the code, and two line ends.
        var length = response.version.description.utf8.count + 1 + 3 + 1 + response.reasonPhrase.utf8.count + 4
        for field in response.headers { length += field.name.rawName.utf8.count + 2 + field.value.utf8.count + 2 }
        return Int64(length)
    }
}

/// A response body whose bytes are counted as they arrive.
private final class CountedBody: BodyStream {
    private let source: ClaimedBody
    private let count: @Sendable (Int) -> Void

    init(_ body: ResponseBody, count: @escaping @Sendable (Int) -> Void) {
        source = ClaimedBody(body)
        self.count = count
    }

    func next() async throws -> Bytes? {
        guard let chunk = try await source.next() else { return nil }
        count(chunk.readableBytes)
        return chunk
    }

    func cancel() { source.cancel() }

    var length: Int64? { source.length }

    var trailers: HTTPFields? { source.trailers }
}
