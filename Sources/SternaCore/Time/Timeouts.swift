package import NIOCore

/// Time limits for each part of a request; every part has one.
///
/// Values are clamped to between one millisecond and a hundred years: zero and negative durations count as one millisecond. The
/// exception is ``total``: if it is zero or negative, the request fails with `timedOut` and nothing is sent.
public struct Timeouts: Sendable, Hashable {
    // In a box, so that requests pass one word and copies share one allocation.
    private var box = Self.defaults
    private static let defaults = Box(Amounts(), nil, Edits())

    private final class Box: Sendable, Hashable {
        let amounts: Amounts
        let throughput: Throughput?
        let edits: Edits

        init(_ amounts: Amounts, _ throughput: Throughput?, _ edits: Edits) {
            self.amounts = amounts
            self.throughput = throughput
            self.edits = edits
        }

        // Which values were set is no part of what they are.
        static func == (left: Box, right: Box) -> Bool {
            left === right || left.amounts == right.amounts && left.throughput == right.throughput
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(amounts)
            hasher.combine(throughput)
        }
    }

    private enum Property: Int {
        case queue, resolve, connect, proxy, tls, write, firstByte, betweenBytes, total, minimumThroughput
        /// A change of a throughput that was nil, which left it nil: `minimumThroughput?.bytesPerSecond *= 2`.
        case missingThroughput
    }

    private var storage: Amounts { box.amounts }

    private mutating func set(_ property: Property, _ change: (inout Amounts) -> Void) {
        var (amounts, edits) = (box.amounts, box.edits)
        change(&amounts)
        edits.insert(property)
        box = Box(amounts, box.throughput, edits)
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

    /// The minimum throughput of a body in either direction.
    public struct Throughput: Sendable, Hashable {
        /// Bytes per second.
        public var bytesPerSecond: Int

        /// The measuring window; clamped to between a second and an hour.
        public var window: Duration {
            get { Duration(amount) }
            set { amount = min(max(.seconds(1), TimeAmount(clamping: newValue)), .hours(1)) }
        }

        package private(set) var amount: TimeAmount = .seconds(30)

        /// Makes a minimum throughput in bytes per second, averaged over a window of 30 s by default.
        public init(bytesPerSecond: Int, over window: Duration = .seconds(30)) {
            self.bytesPerSecond = bytesPerSecond
            self.window = window
        }
    }

    /// Makes the default limits: 30 s each to resolve the host, to connect, for a proxy and for TLS; 60 s to the first byte of the
    /// response, between bytes, and for each write; seven days in the queue and in total.
    public init() {}

    /// Waiting for a connection while the maximum number is open; seven days by default.
    public var queue: Duration {
        get { Duration(storage.queue) }
        set { set(.queue) { $0.queue = Self.clamp(newValue) } }
    }

    /// Resolving the host's addresses; 30 s by default.
    public var resolve: Duration {
        get { Duration(storage.resolve) }
        set { set(.resolve) { $0.resolve = Self.clamp(newValue) } }
    }

    /// Connecting to any of the host's addresses; 30 s by default.
    public var connect: Duration {
        get { Duration(storage.connect) }
        set { set(.connect) { $0.connect = Self.clamp(newValue) } }
    }

    /// The proxy's time to reach the server after connecting, including the TLS handshake with the proxy; 30 s by default. The time
    /// that an authenticator needs for credentials does not count.
    public var proxy: Duration {
        get { Duration(storage.proxy) }
        set { set(.proxy) { $0.proxy = Self.clamp(newValue) } }
    }

    /// The TLS handshake; 30 s by default.
    public var tls: Duration {
        get { Duration(storage.tls) }
        set { set(.tls) { $0.tls = Self.clamp(newValue) } }
    }

    /// The maximum time in which the peer accepts no bytes of the request, checked eight times in that time; 60 s by default.
    public var write: Duration {
        get { Duration(storage.write) }
        set { set(.write) { $0.write = Self.clamp(newValue) } }
    }

    /// From the last byte of the request to the first of the response, and to the end of the response's head; 60 s by default.
    ///
    /// Each interim response restarts it, as often as the engine's limits allow. For a head that begins before the request is
    /// sent, it starts with the head's first byte.
    public var firstByte: Duration {
        get { Duration(storage.firstByte) }
        set { set(.firstByte) { $0.firstByte = Self.clamp(newValue) } }
    }

    /// Between two arrivals of response bytes; 60 s by default.
    public var betweenBytes: Duration {
        get { Duration(storage.betweenBytes) }
        set { set(.betweenBytes) { $0.betweenBytes = Self.clamp(newValue) } }
    }

    /// From the call to the end of the response's body, including redirects; seven days by default.
    ///
    /// Zero or less means that no time is left: the request fails with `timedOut` before anything is sent.
    public var total: Duration {
        get { Duration(storage.total) }
        set { set(.total) { $0.total = newValue > .zero ? Self.clamp(newValue) : .nanoseconds(0) } }
    }

    /// The minimum throughput of a body in either direction; none by default.
    public var minimumThroughput: Throughput? {
        get { box.throughput }
        _modify {
            let former = box.throughput
            var throughput = former
            defer {
                let isMissing = former == nil && throughput == nil && !box.edits.contains(Property.minimumThroughput)
                replace(throughput, isMissing ? .missingThroughput : .minimumThroughput)
            }
            yield &throughput
        }
        set { replace(newValue, .minimumThroughput) }
    }

    private mutating func replace(_ throughput: Throughput?, _ property: Property) {
        var edits = box.edits
        edits.insert(property)
        box = Box(box.amounts, throughput, edits)
    }

    /// Whether the minimum throughput of other limits was to be changed, of which these, recorded without them, knew nothing.
    package func missesThroughput(of other: Timeouts) -> Bool {
        box.edits.isRecording && box.edits.contains(Property.missingThroughput)
            && !box.edits.contains(Property.minimumThroughput) && other.minimumThroughput != nil
    }

    /// Returns whether all limits except the total one are the same.
    package func isSameButForTotal(as other: Timeouts) -> Bool {
        if box === other.box { return true }
        var amounts = box.amounts
        amounts.total = other.box.amounts.total
        return amounts == other.box.amounts && box.throughput == other.box.throughput
    }

    /// Sets a conventional time-out: the same limit for resolving, connecting, the proxy, TLS, the first byte, and each pause
    /// between bytes that are written or read.
    package mutating func setEach(_ duration: Duration) {
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

    private static func clamp(_ duration: Duration) -> TimeAmount {
        max(.milliseconds(1), TimeAmount(clamping: duration))
    }
}

extension Timeouts: EditedValue {
    package var edits: Edits {
        get { box.edits }
        set { box = Box(box.amounts, box.throughput, newValue) }
    }

    package func apply(to other: inout Timeouts) {
        let (edits, own) = (box.edits, box.amounts)
        var amounts = other.box.amounts
        if edits.contains(Property.queue) { amounts.queue = own.queue }
        if edits.contains(Property.resolve) { amounts.resolve = own.resolve }
        if edits.contains(Property.connect) { amounts.connect = own.connect }
        if edits.contains(Property.proxy) { amounts.proxy = own.proxy }
        if edits.contains(Property.tls) { amounts.tls = own.tls }
        if edits.contains(Property.write) { amounts.write = own.write }
        if edits.contains(Property.firstByte) { amounts.firstByte = own.firstByte }
        if edits.contains(Property.betweenBytes) { amounts.betweenBytes = own.betweenBytes }
        if edits.contains(Property.total) { amounts.total = own.total }
        let throughput = edits.contains(Property.minimumThroughput) ? box.throughput : other.box.throughput
        var all = other.box.edits
        all.formUnion(edits)
        other.box = Box(amounts, throughput, all)
    }
}

extension Duration {
    /// The same length of time as SwiftNIO's type.
    package init(_ amount: TimeAmount) { self = .nanoseconds(amount.nanoseconds) }
}

extension Timeouts: CustomStringConvertible {
    /// The limits, for instance `queue: 604800.0 seconds, resolve: 30.0 seconds, …, total: 604800.0 seconds`.
    public var description: String {
        let limits: [(String, Duration)] = [
            ("queue", queue), ("resolve", resolve), ("connect", connect), ("proxy", proxy), ("tls", tls),
            ("write", write), ("firstByte", firstByte), ("betweenBytes", betweenBytes), ("total", total),
        ]
        var texts = limits.map { name, limit in "\(name): \(limit)" }
        if let minimumThroughput { texts.append("minimumThroughput: \(minimumThroughput)") }
        return texts.joined(separator: ", ")
    }
}

extension Timeouts.Throughput: CustomStringConvertible {
    /// The minimum, for instance `1000 bytes per second over 30.0 seconds`.
    public var description: String { "\(bytesPerSecond) bytes per second over \(window)" }
}
