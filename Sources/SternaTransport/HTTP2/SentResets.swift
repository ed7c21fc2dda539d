/// Counts the streams that this side has reset and that the peer may not know of yet; a value without I/O.
///
/// Each is work for the peer, so many of them must not pile up. A peer processes frames in order (RFC 9113, 5): a response on a
/// stream that was opened after a reset shows that it has processed the reset, and so does the acknowledgement of a later PING.
/// Servers count frequent PINGs as an attack, so one is sent only if no such responses arrive.
struct SentResets {
    private var sent = 0
    private var processed = 0

    /// How many resets were sent before the PING that is not acknowledged yet.
    private var asked: Int?

    /// The number of resets sent before a stream was opened, for each stream that directly follows a reset.
    private var marks: [(stream: Int, sent: Int)] = []

    /// The number of resets that the peer may not have processed.
    var count: Int { sent - processed }

    /// Counts a reset.
    ///
    /// - Parameter next: the identifier of the stream that is opened next.
    mutating func add(before next: Int) {
        sent += 1
        if marks.last?.stream == next { marks.removeLast() }
        marks.append((next, sent))
    }

    /// Notes a response on a stream.
    mutating func answered(on stream: Int) {
        guard let index = marks.lastIndex(where: { $0.stream <= stream }) else { return }
        processed = max(processed, marks[index].sent)
        marks.removeFirst(index + 1)
    }

    /// Returns whether to send a PING, which then counts as sent.
    ///
    /// - Parameter limit: the number of unprocessed resets from which the connection takes fewer requests.
    mutating func asks(below limit: Int) -> Bool {
        guard asked == nil, count >= limit / 2 else { return false }
        asked = sent
        return true
    }

    /// Notes the acknowledgement of the PING.
    mutating func answeredPing() {
        guard let asked else { return }
        processed = max(processed, asked)
        self.asked = nil
        marks.removeAll { $0.sent <= processed }
    }
}
