import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The body of a task that is read while it arrives, where it has arrived whole.
@Suite("Tasks: a body that has arrived whole")
struct ObservedBodyTests {
    @Test("A body that is cancelled before its end throws, and does not look complete", arguments: ["abc", ""])
    func cancelled(text: String) async {
        let body = ObservedBody(ResponseBody(Bytes(text: text))) { _ in }
        body.cancel()
        let error = await #expect(throws: SternaError.self) { _ = try await body.next() }
        expectEqual(error?.kind, .cancelled)
    }

    @Test("A body throws if it is cancelled after its piece, but not after its end") func read() async throws {
        let half = ObservedBody(ResponseBody(Bytes(text: "abc"))) { _ in }
        try await expectEqual(half.next()?.readableBytes, 3)
        half.cancel()
        await #expect(throws: SternaError.self) { _ = try await half.next() }
        let whole = ObservedBody(ResponseBody(Bytes(text: "abc"))) { _ in }
        while try await whole.next() != nil {}
        whole.cancel()
        try await expectNil(whole.next()?.readableBytes)
    }
}
