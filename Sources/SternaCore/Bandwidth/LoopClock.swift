package import NIOCore

/// A clock, and an event loop that runs its timers.
package struct LoopClock: Sendable {
    package let clock: NetworkClock
    package let loop: any EventLoop

    package init(_ clock: NetworkClock, on loop: any EventLoop) {
        self.clock = clock
        self.loop = loop
    }
}
