public import SternaCore

/// The time limits of one request that differ from its session's.
///
///     try await api.get("report") { $0.timeouts.total = .seconds(1) }
///
/// Each limit is nil by default, which keeps the session's. ``SternaCore/Timeouts`` describes each limit.
public struct TimeoutOverrides: Sendable, Hashable {
    private struct Values: Sendable, Hashable {
        var queue: Duration?
        var resolve: Duration?
        var connect: Duration?
        var proxy: Duration?
        var tls: Duration?
        var write: Duration?
        var firstByte: Duration?
        var betweenBytes: Duration?
        var total: Duration?
        var minimumThroughput: Timeouts.Throughput?
    }

    private final class Box: Sendable {
        let values: Values

        init(_ values: Values) { self.values = values }
    }

    // Nil while no limit is set, so that copies of requests without their own limits copy one word.
    private var box: Box?

    private var values: Values {
        get { box?.values ?? Values() }
        set { box = Box(newValue) }
    }

    /// Keeps all of the session's limits.
    public init() {}

    /// Replaces all of the session's limits.
    public init(_ timeouts: Timeouts) {
        box = Box(
            Values(
                queue: timeouts.queue, resolve: timeouts.resolve, connect: timeouts.connect, proxy: timeouts.proxy,
                tls: timeouts.tls, write: timeouts.write, firstByte: timeouts.firstByte,
                betweenBytes: timeouts.betweenBytes, total: timeouts.total,
                minimumThroughput: timeouts.minimumThroughput ?? Timeouts.Throughput(bytesPerSecond: 0)))
    }

    /// Waiting for a connection while the connection limit is reached.
    public var queue: Duration? {
        get { values.queue }
        set { values.queue = newValue }
    }

    /// Resolving the host's addresses.
    public var resolve: Duration? {
        get { values.resolve }
        set { values.resolve = newValue }
    }

    /// Connecting to one of the host's addresses.
    public var connect: Duration? {
        get { values.connect }
        set { values.connect = newValue }
    }

    /// A proxy's connection to the server.
    public var proxy: Duration? {
        get { values.proxy }
        set { values.proxy = newValue }
    }

    /// The TLS handshake.
    public var tls: Duration? {
        get { values.tls }
        set { values.tls = newValue }
    }

    /// A pause while sending the request.
    public var write: Duration? {
        get { values.write }
        set { values.write = newValue }
    }

    /// Waiting for the first byte of the response.
    public var firstByte: Duration? {
        get { values.firstByte }
        set { values.firstByte = newValue }
    }

    /// A pause while receiving the response.
    public var betweenBytes: Duration? {
        get { values.betweenBytes }
        set { values.betweenBytes = newValue }
    }

    /// The whole request, from the call to the end of the response's body.
    public var total: Duration? {
        get { values.total }
        set { values.total = newValue }
    }

    /// The minimum throughput of a body; `Timeouts.Throughput(bytesPerSecond: 0)` switches the session's off.
    public var minimumThroughput: Timeouts.Throughput? {
        get { values.minimumThroughput }
        set { values.minimumThroughput = newValue }
    }

    /// Sets the limits of each step, as ``SternaCore/Timeouts/setEach(_:)`` does; nil keeps the session's.
    public mutating func setEach(_ duration: Duration?) {
        var values = values
        values.resolve = duration
        values.connect = duration
        values.proxy = duration
        values.tls = duration
        values.write = duration
        values.firstByte = duration
        values.betweenBytes = duration
        self.values = values
    }

    /// Copies the limits that are set into a request's timeouts.
    func apply(to timeouts: inout Timeouts) {
        guard let values = box?.values else { return }
        if let queue = values.queue { timeouts.queue = queue }
        if let resolve = values.resolve { timeouts.resolve = resolve }
        if let connect = values.connect { timeouts.connect = connect }
        if let proxy = values.proxy { timeouts.proxy = proxy }
        if let tls = values.tls { timeouts.tls = tls }
        if let write = values.write { timeouts.write = write }
        if let firstByte = values.firstByte { timeouts.firstByte = firstByte }
        if let betweenBytes = values.betweenBytes { timeouts.betweenBytes = betweenBytes }
        if let total = values.total { timeouts.total = total }
        if let least = values.minimumThroughput {
            timeouts.minimumThroughput = least.bytesPerSecond > 0 ? least : nil
        }
    }

    // Compares values: an override that was set and reset equals none.
    public static func == (left: TimeoutOverrides, right: TimeoutOverrides) -> Bool { left.values == right.values }

    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension TimeoutOverrides: CustomStringConvertible {
    /// The limits that are set, for instance `total: 1.0 seconds`.
    public var description: String {
        let values = values
        let limits: [(String, Duration?)] = [
            ("queue", values.queue), ("resolve", values.resolve), ("connect", values.connect), ("proxy", values.proxy),
            ("tls", values.tls), ("write", values.write), ("firstByte", values.firstByte),
            ("betweenBytes", values.betweenBytes), ("total", values.total),
        ]
        var texts = limits.compactMap { name, limit in limit.map { "\(name): \($0)" } }
        if let least = values.minimumThroughput { texts.append("minimumThroughput: \(least)") }
        return texts.joined(separator: ", ")
    }
}
