import NIOCore
import NIOPosix
import SternaCore

/// Connects to the first address that accepts a connection, by the rules of `HappyEyeballs`.
// Invariant: everything is touched on the event loop only.
final class Connecting: @unchecked Sendable {
    private var race: HappyEyeballs
    private let port: Int
    private let interface: UInt32
    private let loop: any EventLoop
    private let clock: NetworkClock
    private let promise: EventLoopPromise<any Channel>
    private let bootstrap: (@escaping @Sendable (any Channel) -> Void) -> ClientBootstrap
    private var channels: [(attempt: Int, channel: any Channel)] = []
    private var timer: ClockTimer?
    private var limit: ClockTimer?

    /// - Parameters:
    ///   - interface: the number of the network interface for IPv6 addresses; 0 for the system's choice.
    ///   - bootstrap: returns a bootstrap that reports each channel that it creates.
    init(
        to addresses: [IPAddress], port: Int, interface: UInt32 = 0, attemptDelay: Duration, on loop: any EventLoop,
        clock: NetworkClock,
        bootstrap: @escaping (@escaping @Sendable (any Channel) -> Void) -> ClientBootstrap
    ) {
        race = HappyEyeballs(addresses: addresses, attemptDelay: TimeAmount(clamping: attemptDelay).nanoseconds)
        self.port = port
        self.interface = interface
        self.loop = loop
        self.clock = clock
        self.bootstrap = bootstrap
        promise = loop.makePromise()
    }

    private var now: Int64 { Int64(clamping: clock.now.uptimeNanoseconds) }

    /// Starts connecting. Fails with a `NoAddressAnswered`, with `ChannelError.connectTimeout` when the timeout expires, or with
    /// `cancelled` after ``cancel()``.
    func start(timeout: TimeAmount) -> EventLoopFuture<any Channel> {
        loop.assertInEventLoop()
        limit = clock.schedule(in: timeout, on: loop) {
            self.stop(ChannelError.connectTimeout(timeout))
        }
        perform(race.start(now: now))
        return promise.futureResult
    }

    /// Cancels all attempts.
    func cancel() {
        loop.assertInEventLoop()
        stop(SternaError.cancelled(phase: .connect))
    }

    private func stop(_ error: any Error) {
        perform(race.cancel())
        finish(.failure(error))
    }

    private func finish(_ result: Result<any Channel, any Error>) {
        guard let limit else { return }
        limit.cancel()
        timer?.cancel()
        self.limit = nil
        channels = []
        promise.completeWith(result)
    }

    private func perform(_ actions: [HappyEyeballs.Action]) {
        for action in actions {
            switch action {
            case .connect(let attempt, let address): connect(attempt, to: address)
            case .setTimer(let moment):
                timer?.cancel()
                let deadline = NIODeadline.uptimeNanoseconds(UInt64(max(0, moment)))
                timer = clock.schedule(at: deadline, on: loop) {
                    self.perform(self.race.timerFired(now: self.now))
                }
            case .cancelTimer: timer?.cancel()
            case .abandon(let attempt): forget(attempt)?.close(promise: nil)
            case .won(let attempt): if let channel = forget(attempt) { finish(.success(channel)) }
            case .lost(let reasons): finish(.failure(NoAddressAnswered(reasons: reasons)))
            }
        }
    }

    private func connect(_ attempt: Int, to address: IPAddress) {
        let target: SocketAddress
        do {
            target = try SocketAddress(packedIPAddress: ByteBuffer(bytes: address.bytes), port: port)
                .through(interface)
        } catch {
            return perform(race.failed(attempt, error: error, now: now))
        }
        let opening = bootstrap { channel in self.opened(channel, by: attempt) }
        opening.connect(to: target).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let channel):
                self.keep(channel, of: attempt)
                self.perform(self.race.connected(attempt))
            case .failure(let error):
                self.forget(attempt)
                self.perform(self.race.failed(attempt, error: error, now: self.now))
            }
        }
    }

    private func keep(_ channel: any Channel, of attempt: Int) {
        forget(attempt)
        channels.append((attempt, channel))
    }

    /// Stops tracking the channel of an attempt and returns it.
    @discardableResult
    private func forget(_ attempt: Int) -> (any Channel)? {
        guard let index = channels.firstIndex(where: { $0.attempt == attempt }) else { return nil }
        return channels.remove(at: index).channel
    }

    private func opened(_ channel: any Channel, by attempt: Int) {
        if limit == nil { channel.close(promise: nil) } else { keep(channel, of: attempt) }
    }
}

/// The error for a host if no connection to any of its addresses could be opened.
struct NoAddressAnswered: Error, Sendable {
    let reasons: [(IPAddress, any Error)]
}
