import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("SternaError")
struct SternaErrorTests {
    private struct Cause: Error {}

    private func request() throws -> Request {
        Request(.post, try HTTPURL("https://user:pa55@example.com/a?token=s3cret&x=1#f"))
    }

    @Test("The description is the detail, the place and the phase")
    func description() throws {
        var error = SternaError(.timedOut, phase: .wait, "Nothing came.").at(try request())
        let place = "POST https://example.com/a?token=***&x=1"
        #expect(error.description == "Nothing came. Give it more time, or send it later. [\(place), phase: wait]")
        error.attempt = 2
        #expect(
            error.description
                == "Nothing came. Give it more time, or send it later. [\(place), attempt 2, phase: wait]")
        expectEqual(SternaError(.invalidURL, phase: .prepare, "No URL.").description, "No URL.")
        expectEqual(SternaError(.tlsFailed, phase: .tls, "No.").description, "No. [phase: TLS]")
    }

    @Test("A URL that a server chose is cut in the description")
    func longURL() throws {
        let path = String(repeating: "y", count: 60_000)
        let error = SternaError(.timedOut, phase: .wait, "Nothing came.").at(
            Request(.get, try HTTPURL("http://a.test/\(path)")))
        #expect(
            error.description.hasPrefix("Nothing came. Give it more time, or send it later. [GET http://a.test/yyy"))
        #expect(error.description.hasSuffix("yyy…, phase: wait]"))
        #expect(error.description.count < 600)
        expectEqual(error.url?.count, 60_014)
    }

    @Test("The server's message comes first for people, and is on one line and short in the description")
    func serverMessage() {
        var error = SternaError(.unacceptableStatus, phase: .prepare, "The server answered 400 Bad Request.")
        expectEqual(error.message, "The server answered 400 Bad Request.")
        error.serverMessage = "first\r\nsecond\u{2028}third " + String(repeating: "x", count: 500)
        #expect(error.message.hasPrefix("first"))
        expectEqual(error.description.contains { $0.isNewline }, false)
        #expect(error.description.count < 200)
    }

    @Test("A copy is a value of its own")
    func copies() {
        let first = SternaError(.timedOut, phase: .wait, "Nothing came.")
        var second = first
        second.kind = .cancelled
        second.attempt = 3
        second.serverMessage = "No."
        expectEqual(first.kind, .timedOut)
        expectEqual(first.attempt, 1)
        expectNil(first.serverMessage)
        expectEqual(second.kind, .cancelled)
        expectEqual(second.detail, first.detail)
        second.serverMessage = "\r\n"
        expectNil(second.serverMessage)
    }

    @Test("The first place that is filled in stays")
    func place() throws {
        let first = SternaError(.timedOut, phase: .wait, "x").at(try request())
        let second = first.at(Request(.get, try HTTPURL("https://other.example/")))
        expectEqual(second.url, first.url)
        expectEqual(second.method, .post)
    }

    @Test("Nothing shows the URL's secrets")
    func secrets() throws {
        let error = SternaError(.timedOut, phase: .wait, "x").at(try request())
        var dumped = ""
        dump(error, to: &dumped)
        for text in [dumped, "\(error)", String(reflecting: error), error.url ?? ""] {
            #expect(!text.contains("s3cret"))
            #expect(!text.contains("pa55"))
        }
    }

    @Test("Wrapping keeps the library's errors and cancellation")
    func wrap() {
        let known = SternaError(.truncated, phase: .read, "x")
        expectEqual(SternaError.wrap(known, as: .invalidRequest, phase: .prepare, "y").kind, .truncated)
        let cancelled = SternaError.wrap(CancellationError(), as: .invalidRequest, phase: .wait, "y")
        expectEqual(cancelled.kind, .cancelled)
        expectEqual(cancelled.phase, .wait)
        let other = SternaError.wrap(Cause(), as: .encodingFailed, phase: .prepare, "y")
        expectEqual(other.kind, .encodingFailed)
        #expect(other.underlying is Cause)
        expectEqual(other.detail, "y")
    }

    @Test("The status is the response's")
    func status() throws {
        var error = SternaError(.unacceptableStatus, phase: .read, "x")
        expectEqual(error.status, 0)
        error.response = Response(status: .notFound, url: try HTTPURL("https://example.com"))
        expectEqual(error.status, 404)
    }
}
