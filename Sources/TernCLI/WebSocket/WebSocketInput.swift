import NIOCore
import Sterna
import SternaPlatform

/// Standard input as the messages of a WebSocket: a line each, or pieces of bytes.
///
/// It waits without a thread of the pool, since messages of the server arrive at the same time.
struct WebSocketInput {
    /// The longest line, in bytes.
    private static let lineLimit = 16 << 20
    private static let pieceBytes = 64 << 10
    /// How often a silent input is looked at.
    private static let interval = Duration.milliseconds(20)

    /// Whether pieces of bytes are messages.
    let isBinary: Bool
    private var lines = InputLines()
    private var hasEnded = false

    init(isBinary: Bool) { self.isBinary = isBinary }

    /// Returns the next message, nil at the end. Throws `fileUnreadable` for a line that is not UTF-8 or is too long, and
    /// `CancellationError`.
    mutating func next() async throws -> WebSocket.Message? {
        while true {
            if let line = lines.next(atEnd: hasEnded) { return .text(try text(line)) }
            guard !hasEnded else { return nil }
            guard let bytes = try await Self.read() else {
                hasEnded = true
                continue
            }
            if isBinary { return .binary(bytes) }
            lines.append(bytes)
            guard lines.bytes <= Self.lineLimit else { throw Self.unreadable("Line \(lines.count + 1) is too long") }
        }
    }

    private func text(_ line: [UInt8]) throws -> String {
        guard let text = String(validating: line, as: UTF8.self) else {
            throw Self.unreadable("Line \(lines.count) is not UTF-8")
        }
        return text
    }

    private static func unreadable(_ reason: String) -> SternaError {
        SternaError(
            .fileUnreadable, phase: .prepare,
            "\(reason), so it is no text message; send standard input as it is with --binary.")
    }

    private static func read() async throws -> Bytes? {
        var wish = pollfd(fd: StandardInput.number, events: Int16(POLLIN), revents: 0)
        while poll(&wish, 1, 0) <= 0 { try await Task.sleep(for: interval) }
        try Task.checkCancellation()
        return try StandardInput.piece(upTo: pieceBytes)
    }
}

/// Splits bytes into lines that end with LF or CRLF.
struct InputLines {
    private var rest: [UInt8] = []
    /// The bytes of `rest` before which there is no LF.
    private var searched = 0
    private var start = 0
    /// The number of lines returned.
    private(set) var count = 0

    /// The bytes that are not part of a returned line.
    var bytes: Int { rest.count - start }

    mutating func append(_ bytes: Bytes) {
        if start > 0 {
            rest.removeFirst(start)
            searched -= start
            start = 0
        }
        rest.append(contentsOf: bytes.readableBytesView)
    }

    /// Returns the next line without its end; nil if there is none.
    ///
    /// - Parameter atEnd: whether the bytes after the last LF are a line, if there are any.
    mutating func next(atEnd: Bool) -> [UInt8]? {
        guard let end = rest[max(start, searched)...].firstIndex(of: 0x0A) else {
            searched = rest.count
            guard atEnd, start < rest.count else { return nil }
            let line = Array(rest[start...])
            start = rest.count
            count += 1
            return line
        }
        var line = rest[start..<end]
        if line.last == 0x0D { line.removeLast() }
        start = end + 1
        searched = start
        count += 1
        return Array(line)
    }
}
