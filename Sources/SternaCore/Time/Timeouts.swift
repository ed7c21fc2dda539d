public import NIOCore

/// How long each part of a request may take; none is without end.
///
/// Every value is clamped to between one millisecond and a hundred years.
public struct Timeouts: Sendable, Hashable {
    private var connectAmount: TimeAmount = .seconds(30)
    private var tlsAmount: TimeAmount = .seconds(30)
    private var firstByteAmount: TimeAmount = .seconds(60)
    private var betweenBytesAmount: TimeAmount = .seconds(60)
    private var totalAmount: TimeAmount = .hours(7 * 24)

    /// The defaults: 30 s to connect, 30 s for TLS, 60 s to the first byte of the answer and between bytes, seven days in
    /// all.
    public init() {}

    /// Finding the host's address and connecting to it; 30 s by default.
    public var connect: Duration {
        get { Duration(connectAmount) }
        set { connectAmount = Self.clamp(newValue) }
    }

    /// The TLS handshake; 30 s by default.
    public var tls: Duration {
        get { Duration(tlsAmount) }
        set { tlsAmount = Self.clamp(newValue) }
    }

    /// From the last byte of the request to the first of the response; 60 s by default.
    public var firstByte: Duration {
        get { Duration(firstByteAmount) }
        set { firstByteAmount = Self.clamp(newValue) }
    }

    /// Between two arrivals of bytes, or between two times that the peer accepts some; 60 s by default.
    public var betweenBytes: Duration {
        get { Duration(betweenBytesAmount) }
        set { betweenBytesAmount = Self.clamp(newValue) }
    }

    /// From the call to the end of the response's body, redirects included; seven days by default.
    public var total: Duration {
        get { Duration(totalAmount) }
        set { totalAmount = Self.clamp(newValue) }
    }

    /// Sets what a caller means by "the time-out": connecting, TLS, the first byte and each pause between bytes may take
    /// this long.
    public mutating func setEach(_ duration: Duration) {
        connect = duration
        tls = duration
        firstByte = duration
        betweenBytes = duration
    }

    private static func clamp(_ duration: Duration) -> TimeAmount {
        max(.milliseconds(1), TimeAmount(clamping: duration))
    }
}

extension Timeouts {
    /// The values in SwiftNIO's unit, for transports.
    public var amounts:
        (connect: TimeAmount, tls: TimeAmount, firstByte: TimeAmount, betweenBytes: TimeAmount, total: TimeAmount)
    {
        (connectAmount, tlsAmount, firstByteAmount, betweenBytesAmount, totalAmount)
    }
}

extension Duration {
    /// The same length of time as SwiftNIO's type.
    public init(_ amount: TimeAmount) { self = .nanoseconds(amount.nanoseconds) }
}
