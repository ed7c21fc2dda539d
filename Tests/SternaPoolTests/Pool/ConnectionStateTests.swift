import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// A permit is given back once, by a connection that held it.
@Suite("Stages of a connection's life")
struct ConnectionStateTests {
    enum Event: CaseIterable {
        case establish, retire, beginClosing, end
    }

    // Every order of up to five events.
    private static let orders: [[Event]] = {
        var all: [[Event]] = [[]]
        var longest = all
        for _ in 0..<5 {
            longest = longest.flatMap { order in Event.allCases.map { order + [$0] } }
            all += longest
        }
        return all
    }()

    @Test("Any events in any order")
    func orders() {
        for order in Self.orders {
            var state = ConnectionState.dialling
            var (isOpen, isRetired, isClosing, isGone, returned) = (false, false, false, false, 0)
            for event in order {
                switch event {
                case .establish:
                    let succeeded = state.establish()
                    expectEqual(succeeded, !isGone, "\(order)")
                    if succeeded { isOpen = true }
                case .retire:
                    state.retire()
                    isRetired = true
                case .beginClosing:
                    state.beginClosing()
                    isClosing = true
                case .end:
                    if state.end() { returned += 1 }
                    (isClosing, isGone) = (true, true)
                }
                expectEqual(state.isClosing, isClosing, "\(order)")
                expectEqual(state.isRetired, (isRetired && !isClosing), "\(order)")
            }
            expectEqual(returned, (isOpen && isGone ? 1 : 0), "\(order)")
        }
    }
}
