import Synchronization

/// What a TLS handshake has agreed on, for all attempts on its connection.
package final class TLSDetails: Sendable {
    /// The application protocol that the server chose (ALPN); nil if it chose none.
    package let applicationProtocol: String?

    /// The certificates that the server presented, in DER, its own first: the first 10, up to 64 KiB.
    package let chain: [[UInt8]]

    /// The policy's pins that match one of these certificates, as text.
    package let pins: [String]

    /// What an observer has read from the certificates.
    private let kept = Mutex<(any Sendable)?>(nil)

    package init(applicationProtocol: String?, chain: [[UInt8]], pins: [String]) {
        self.applicationProtocol = applicationProtocol
        self.pins = pins
        var room = 64 << 10
        self.chain = Array(
            chain.prefix(10).prefix { certificate in
                room -= certificate.count
                return room >= 0
            })
    }

    /// Returns what an observer reads from the certificates, which it does once for a connection.
    package func reading<Reading: Sendable>(_ read: ([[UInt8]]) -> Reading) -> Reading {
        kept.withLock { kept in
            if let known = kept as? Reading { return known }
            let made = read(chain)
            kept = made
            return made
        }
    }

    /// The approximate size in bytes.
    package var size: Int { chain.reduce(0) { $0 + $1.count } + pins.reduce(0) { $0 + $1.utf8.count } }
}

extension TLSDetails: Hashable {
    package static func == (one: TLSDetails, other: TLSDetails) -> Bool {
        one === other
            || one.applicationProtocol == other.applicationProtocol && one.chain == other.chain
                && one.pins == other.pins
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(applicationProtocol)
        hasher.combine(chain)
    }
}
