import HTTPTypes
import NIOCore
import Testing

@testable import SternaCore
@testable import SternaTestSupport

/// The metrics of a call that ends before its attempts.
@Suite("Events: metrics recorder")
struct MetricsRecorderTests {
    private let request: Request

    init() throws { request = Request(.get, try HTTPURL("https://a.test/")) }

    private func recorder() -> MetricsRecorder {
        MetricsRecorder(ObservedCall(id: 7, request), events: EventSource([], capacity: 10))
    }

    @Test("The end of a call ends its attempts: with its error, but for those that had ended")
    func failed() {
        let recorder = recorder()
        let first = recorder.attemptBegan(request)
        first.update { $0.status = 302 }
        first.ended()
        let last = recorder.attemptBegan(request)
        last.update { $0.status = 200 }
        #expect(!last.metrics.isOver)
        recorder.requestEnded(SternaError(.limitExceeded, phase: .read, "The body is too large."))
        expectEqual(recorder.snapshot.attempts.map(\.isOver), [true, true])
        expectEqual(recorder.snapshot.attempts.map(\.failure), [nil, .limitExceeded])
        let whole = last.metrics.whole
        // The engine notes the end later.
        last.ended()
        last.failed(.cancelled(phase: .read))
        expectEqual(last.metrics.whole, whole)
        expectEqual(last.metrics.failure, .limitExceeded)
    }

    @Test(
        "An attempt whose body was cancelled because of the call's error has that error; one without a response keeps its own"
    )
    func cancelledBody() {
        for status in [200, nil] {
            let recorder = recorder()
            let attempt = recorder.attemptBegan(request)
            attempt.update { $0.status = status }
            attempt.failed(.cancelled(phase: .read))
            recorder.requestEnded(SternaError(.limitExceeded, phase: .read, "The body is too large."))
            expectEqual(attempt.metrics.failure, status == nil ? .cancelled : .limitExceeded)
        }
    }

    @Test("Of a call that succeeds only attempts without a response have failed")
    func succeeded() {
        let recorder = recorder()
        _ = recorder.attemptBegan(request)
        recorder.attemptBegan(request).update { $0.status = 200 }
        recorder.requestEnded()
        expectEqual(recorder.snapshot.attempts.map(\.isOver), [true, true])
        expectEqual(recorder.snapshot.attempts.map(\.failure), [.cancelled, nil])
    }

    @Test("Calls that share a recorder share the number of spans")
    func spans() throws {
        let call = Call(deadline: .distantFuture, observed: (request, nil))
        expectEqual(call.countSpans(), 0)
        for number in 1..<3 { expectEqual(Call(outlasting: call, scope: nil).countSpans(), number) }
        expectEqual(call.countSpans(), 3)
    }
}
