/// The reason why a script could not continue.
struct PeerError: Error, CustomStringConvertible {
    enum Kind: Sendable {
        /// An expected frame or change did not arrive within the peer's patience.
        case timeout
        /// The client closed, or the connection was closed, before it arrived.
        case closed
        /// The client closed in place of a further request.
        case noFurtherRequest
        /// Something else arrived.
        case unexpected
    }

    let kind: Kind
    let message: String
    /// The frames received until then.
    let log: [WireFrame]

    init(_ kind: Kind, _ message: String, log: [WireFrame] = []) {
        self.kind = kind
        self.message = message
        self.log = log
    }

    var description: String {
        // The first frames tell how it began and the last how it ended.
        let shown = 60
        var lines = log.prefix(shown).map { "  \($0)" }
        if log.count > 2 * shown { lines.append("  and \(log.count - 2 * shown) more") }
        lines += log.dropFirst(shown).suffix(shown).map { "  \($0)" }
        return ([message, "frames received: \(log.count)"] + lines).joined(separator: "\n")
    }
}
