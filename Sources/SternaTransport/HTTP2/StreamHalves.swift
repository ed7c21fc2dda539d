/// The request's half of a stream (RFC 9113, 5.1).
enum RequestHalf {
    /// The body, if any, continues.
    case open

    /// The body ends with the pending pieces.
    case ending

    /// END_STREAM was sent.
    case ended

    /// Records that the body ends with the pending pieces.
    mutating func beginEnding() {
        if self == .open { self = .ending }
    }
}

/// The response's half of a stream (RFC 9113, 5.1), and whether the stream is in the connection's table.
enum ResponseHalf {
    /// The response is under way.
    case open

    /// END_STREAM was received; the stream leaves the table next.
    case ended

    /// The stream has left the table, with its response or without.
    case removed

    /// Records that END_STREAM was received.
    mutating func end() {
        if self == .open { self = .ended }
    }
}
