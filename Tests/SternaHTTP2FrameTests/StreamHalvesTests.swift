import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("HTTP/2: the halves of a stream")
struct StreamHalvesTests {
    @Test("A request that was sent whole does not end again", arguments: [RequestHalf.open, .ending, .ended])
    func request(_ half: RequestHalf) {
        var changed = half
        changed.beginEnding()
        expectEqual(changed, (half == .ended ? .ended : .ending))
    }

    @Test("A stream that has left the table does not return", arguments: [ResponseHalf.open, .ended, .removed])
    func response(_ half: ResponseHalf) {
        var changed = half
        changed.end()
        expectEqual(changed, (half == .removed ? .removed : .ended))
    }
}
