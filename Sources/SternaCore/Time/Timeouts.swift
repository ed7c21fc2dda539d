package import NIOCore

/// How long each part of a request may take; none is without end.
///
/// Values are clamped to between one millisecond and a hundred years: zero and negative durations count as one millisecond. The
/// exception is ``total``: where it is zero or negative, the request fails with `timedOut` and nothing is sent.
public struct Timeouts: Sendable, Hashable {
    // In a box, so that requests are handed on with one word; all that have the same values share it.
    private var box = Self.defaults
    private static let defaults = Box(Amounts(), nil)

    private final class Box: Sendable {
        let amounts: Amounts
        let throughput: Throughput?

        init(_ amounts: Amounts, _ throughput: Throughput?) {
            self.amounts = amounts
            self.throughput = throughput
        }
    }

    private var storage: Amounts {
        get { box.amounts }
        set { box = Box(newValue, box.throughput) }
    }

    /// The values in SwiftNIO's unit.
    package struct Amounts: Sendable, Hashable {
        package fileprivate(set) var queue = TimeAmount.hours(7 * 24)
        package fileprivate(set) var resolve = TimeAmount.seconds(30)
        package fileprivate(set) var connect = TimeAmount.seconds(30)
        package fileprivate(set) var proxy = TimeAmount.seconds(30)
        package fileprivate(set) var tls = TimeAmount.seconds(30)
        package fileprivate(set) var write = TimeAmount.seconds(60)
        package fileprivate(set) var firstByte = TimeAmount.seconds(60)
        package fileprivate(set) var betweenBytes = TimeAmount.seconds(60)
        package fileprivate(set) var total = TimeAmount.hours(7 * 24)
    }

    /// The least that must arrive or leave while a body is on its way.
    public struct Throughput: Sendable, Hashable {
        /// Bytes a second.
        public var bytesPerSecond: Int

        /// Over how long it is measured; clamped to between a second and an hour.
        public var window: Duration {
            get { Duration(amount) }
            set { amount = min(max(.seconds(1), TimeAmount(clamping: newValue)), .hours(1)) }
        }

        package private(set) var amount: TimeAmount = .seconds(30)

        /// A number of bytes a second, on average over a time; 30 s by default.
        public init(bytesPerSecond: Int, over window: Duration = .seconds(30)) {
            self.bytesPerSecond = bytesPerSecond
            self.window = window
        }
    }

    /// The defaults: 30 s each to find the address, to connect, for a proxy and for TLS; 60 s to the first byte of the answer,
    /// between bytes, and between two times that the peer takes some; seven days in the queue and in all.
    public init() {}

    /// Waiting for a connection because as many are open as may be; seven days by default.
    public var queue: Duration {
        get { Duration(storage.queue) }
        set { storage.queue = Self.clamp(newValue) }
    }

    /// Finding the host's addresses; 30 s by default.
    public var resolve: Duration {
        get { Duration(storage.resolve) }
        set { storage.resolve = Self.clamp(newValue) }
    }

    /// Connecting, to whichever of the host's addresses answers; 30 s by default.
    public var connect: Duration {
        get { Duration(storage.connect) }
        set { storage.connect = Self.clamp(newValue) }
    }

    /// What a proxy needs to reach the server, from the connection on, its own TLS handshake included; 30 s by default. The time
    /// that an authenticator takes for credentials does not count.
    public var proxy: Duration {
        get { Duration(storage.proxy) }
        set { storage.proxy = Self.clamp(newValue) }
    }

    /// The TLS handshake; 30 s by default.
    public var tls: Duration {
        get { Duration(storage.tls) }
        set { storage.tls = Self.clamp(newValue) }
    }

    /// Between two times that the peer takes some of the request, looked at eight times as often; 60 s by default.
    public var write: Duration {
        get { Duration(storage.write) }
        set { storage.write = Self.clamp(newValue) }
    }

    /// From the last byte of the request to the first of the response, and to the end of the response's head; 60 s by default.
    ///
    /// Each interim response begins it anew, as often as the engine's limits allow. A head that begins before the request is
    /// sent has this time from its first byte on.
    public var firstByte: Duration {
        get { Duration(storage.firstByte) }
        set { storage.firstByte = Self.clamp(newValue) }
    }

    /// Between two arrivals of bytes of the response; 60 s by default.
    public var betweenBytes: Duration {
        get { Duration(storage.betweenBytes) }
        set { storage.betweenBytes = Self.clamp(newValue) }
    }

    /// From the call to the end of the response's body, redirects included; seven days by default.
    ///
    /// Zero or less means that the time is over: the request fails with `timedOut` before anything is sent.
    public var total: Duration {
        get { Duration(storage.total) }
        set { storage.total = newValue > .zero ? Self.clamp(newValue) : .nanoseconds(0) }
    }

    /// The least speed of a body, in either direction; none by default.
    public var minimumThroughput: Throughput? {
        get { box.throughput }
        set { box = Box(box.amounts, newValue) }
    }

    /// Sets what a caller means by "the time-out": finding the address, connecting, proxy, TLS, the first byte and each pause
    /// between bytes may take this long.
    public mutating func setEach(_ duration: Duration) {
        resolve = duration
        connect = duration
        proxy = duration
        tls = duration
        write = duration
        firstByte = duration
        betweenBytes = duration
    }

    /// The values in SwiftNIO's unit, for transports.
    package var amounts: Amounts { storage }

    public static func == (left: Timeouts, right: Timeouts) -> Bool {
        left.box === right.box || left.storage == right.storage && left.minimumThroughput == right.minimumThroughput
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage)
        hasher.combine(minimumThroughput)
    }

    private static func clamp(_ duration: Duration) -> TimeAmount {
        max(.milliseconds(1), TimeAmount(clamping: duration))
    }
}

extension Duration {
    /// The same length of time as SwiftNIO's type.
    package init(_ amount: TimeAmount) { self = .nanoseconds(amount.nanoseconds) }
}
