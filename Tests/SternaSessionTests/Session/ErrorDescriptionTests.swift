import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Conversion of a call's errors")
struct ErrorDescriptionTests {
    private struct Broken: Error {}

    private func request() throws -> Request { Request(.delete, try HTTPURL("https://a.example/b?token=s3cret")) }

    private func point(_ outcome: CallTrace.Outcome?, attempts: Int = 0) throws -> CallTrace.Point {
        var point = CallTrace.Point()
        (point.method, point.url) = (.put, try HTTPURL("https://a.example/hop"))
        point.outcome = outcome
        point.attempts = attempts
        return point
    }

    private func response(_ status: Int) throws -> Response {
        Response(status: .init(code: status), url: try HTTPURL("https://a.example/hop"))
    }

    @Test("A foreign error gets the call's position in the chain")
    func foreign() throws {
        let failure = SternaError(.timedOut, phase: .tls, "Late.")
        let rows: [(CallTrace.Outcome?, SternaError.Phase, Int, Bool)] = [
            (nil, .prepare, 0, false), (.response(try response(201)), .read, 201, true),
            (.failure(failure), .tls, 0, false), (.transportFailure, .wait, 0, true),
        ]
        for (outcome, phase, status, isSent) in rows {
            let error = ErrorDescription.describe(Broken(), of: try request(), at: try point(outcome))
            expectEqual(error.kind, .interceptorFailed)
            expectEqual(error.phase, phase)
            expectEqual(error.status, status)
            expectEqual(error.requestSent, isSent)
            #expect(error.underlying is Broken)
            expectEqual(error.method, .put)
            #expect(error.url == "https://a.example/hop")
            let cancelled = ErrorDescription.describe(CancellationError(), of: try request(), at: try point(outcome))
            expectEqual(cancelled.kind, .cancelled)
            expectEqual(cancelled.phase, phase)
            expectNil(cancelled.underlying)
            expectEqual(cancelled.detail, SternaError.cancelled(phase: phase).detail)
        }
    }

    @Test("Without a position, an error gets the request's details and is attributed to the transport")
    func untraced() throws {
        let error = ErrorDescription.describe(Broken(), of: try request())
        expectEqual(error.phase, .wait)
        expectEqual(error.method, .delete)
        #expect(error.url == "https://a.example/b?token=***")
    }

    @Test("An attempt that the interceptor did not wait for counts as sent")
    func leftBehind() throws {
        let call = Call(deadline: .distantFuture)
        var request = try request()
        request.join(call)
        call.repeated()
        let first = ErrorDescription.describe(Broken(), of: request, at: try point(nil))
        expectEqual(first.phase, .wait)
        #expect(first.requestSent)
        let second = ErrorDescription.describe(Broken(), of: request, at: try point(nil, attempts: 1))
        expectEqual(second.phase, .prepare)
        #expect(!second.requestSent)
    }

    @Test("An error of a body has the phase read, and its response")
    func body() throws {
        let error = ErrorDescription.describe(Broken(), of: try request(), answeredBy: try response(200))
        expectEqual(error.kind, .interceptorFailed)
        expectEqual(error.phase, .read)
        expectEqual(error.status, 200)
        #expect(error.detail.hasPrefix("The body of the response failed"))
    }

    @Test("A SternaError keeps its details, and gets those that it lacks")
    func own() throws {
        var own = SternaError(.malformedResponse, phase: .read, "Odd.")
        let filled = ErrorDescription.describe(own, of: try request(), answeredBy: try response(200))
        expectEqual(filled.kind, .malformedResponse)
        expectEqual(filled.method, .delete)
        #expect(filled.url == "https://a.example/b?token=***")
        expectEqual(filled.status, 200)
        own.response = try response(500)
        own.url = "https://c.example/"
        let kept = ErrorDescription.describe(own, of: try request(), answeredBy: try response(200))
        expectEqual(kept.status, 500)
        #expect(kept.url == "https://c.example/")
    }
}
