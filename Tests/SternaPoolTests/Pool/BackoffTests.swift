import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite struct BackoffTests {
    @Test func theFirstFailuresCostNothing() {
        var backoff = Backoff()
        backoff.failed(at: 0, began: 0)
        backoff.failed(at: 0, began: 0)
        expectEqual(backoff.allowed(of: 16, at: 0), 16)
    }

    @Test(arguments: [(3, 50), (4, 100), (5, 200), (7, 800), (8, 1_000), (900, 1_000)])
    func pausesGrowToASecond(failures: Int, milliseconds: Int64) {
        var backoff = Backoff()
        for _ in 0..<failures { backoff.failed(at: 7, began: 7) }
        expectEqual(backoff.notBefore, 7 + milliseconds * 1_000_000)
        expectEqual(backoff.allowed(of: 16, at: backoff.notBefore - 1), 0)
        expectEqual(backoff.allowed(of: 16, at: backoff.notBefore), 1)
        backoff.succeeded()
        expectEqual(backoff.allowed(of: 16, at: 0), 16)
    }

    @Test func dialsThatFailTogetherCountOnce() {
        var backoff = Backoff()
        for now in Int64(1)...16 { backoff.failed(at: 100 + now, began: now) }
        expectEqual(backoff.failures, 1)
        backoff.failed(at: 200, began: 150)
        expectEqual(backoff.failures, 2)
    }
}
