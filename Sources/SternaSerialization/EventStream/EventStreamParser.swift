public import NIOCore
public import SternaCore
import SternaPlatform

/// Reads events from the bytes of an event stream (WHATWG HTML, section 9.2.6), however they are split.
///
///     var parser = EventStreamParser()
///     for try await bytes in response.body {
///         parser.append(bytes)
///         while let event = try parser.next() { print(event.type, event.data) }
///     }
///
/// Invalid UTF-8 is replaced by U+FFFD. An event that no blank line ends before the end of the stream is dropped, with its id.
public struct EventStreamParser: Sendable {
    /// The limits on what a stream makes its reader hold; beyond them ``next()`` throws `limitExceeded`.
    public struct Limits: Sendable, Hashable {
        /// The maximum length of a line in bytes, comments included; 16 MiB by default.
        public var line = 16 << 20
        /// The maximum length of an event's data in bytes; 16 MiB by default.
        public var event = 16 << 20
        /// The maximum length of an id in bytes, which requests send in `Last-Event-ID`; 4 KiB by default.
        public var id = 4 << 10
    }

    /// The id that the next connection sends as `Last-Event-ID`: that of the last event that was complete, even one without data.
    public var lastEventID: String { event.lastID }

    /// The field `retry` that the stream sent last: how long a client waits before it reconnects. Times above a year count as a
    /// year.
    public var reconnectionTime: Duration? { event.reconnectionTime }

    /// The limits, which hold from the next bytes on.
    public var limits: Limits {
        get { event.limits }
        set {
            event.limits = newValue
            lines.limit = max(0, newValue.line)
        }
    }

    private var lines = LineSplitter(limit: Limits().line, ends: .all)
    private var event: PartialEvent

    /// Makes a parser for the bytes of one response.
    ///
    /// - Parameter lastEventID: the id that the request sent; events have it until the stream sends another.
    public init(lastEventID: String = "") { event = PartialEvent(id: lastEventID) }

    /// Appends bytes of the stream.
    public mutating func append(_ bytes: Bytes) { lines.add(bytes) }

    /// Returns the next event that is complete; nil if more bytes are needed.
    ///
    /// Throws `limitExceeded` for a line, an event or an id above its limit. The stream cannot be read further then.
    public mutating func next() throws(SternaError) -> ServerSentEvent? {
        switch try Self.read(&lines, &event) {
        case .incomplete: return nil
        case .complete(let event): return event
        case .failed(let error): throw error
        }
    }

    private static func read(
        _ lines: inout LineSplitter, _ event: inout PartialEvent
    ) throws(SternaError) -> PartialEvent.Outcome {
        var outcome = PartialEvent.Outcome.incomplete
        try lines.readLines { line in
            outcome = event.read(line)
            guard case .incomplete = outcome else { return false }
            return true
        }
        return outcome
    }
}

/// The event that is being read, line by line.
private struct PartialEvent: Sendable {
    /// What a line has brought.
    enum Outcome {
        case incomplete
        case complete(ServerSentEvent)
        case failed(SternaError)
    }

    var limits = EventStreamParser.Limits()
    private(set) var lastID: String
    private(set) var reconnectionTime: Duration?
    private var isAtStart = true
    private var type = ""
    private var id: String
    private var data = ""
    /// The bytes of the lines of data, each with a line end.
    private var dataBytes = 0

    init(id: String) { (lastID, self.id) = (id, id) }

    /// Reads a line of the stream, without its end.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        var line = bytes
        if isAtStart {
            isAtStart = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = UnsafeRawBufferPointer(rebasing: line[3...]) }
        }
        guard let base = line.baseAddress, line.count > 0 else { return finish() }
        // The pointers that are made here stay within the line.
        let name = memchr(base, 0x3A, line.count).map { UnsafeRawPointer($0) - base } ?? line.count
        var start = min(name + 1, line.count)
        if start < line.count, line[start] == UInt8(ascii: " ") { start += 1 }
        let value = UnsafeRawBufferPointer(rebasing: line[start...])
        switch name {
        case 4 where memcmp(base, "data", 4) == 0:
            guard dataBytes + value.count <= limits.event else {
                return Self.tooLong("The data of an event is", limits.event)
            }
            if dataBytes > 0 { data += "\n" }
            data += String(decoding: value, as: UTF8.self)
            dataBytes += value.count + 1
        case 5 where memcmp(base, "event", 5) == 0:
            type = String(decoding: value, as: UTF8.self)
        case 2 where memcmp(base, "id", 2) == 0 && !value.contains(0):
            guard value.count <= limits.id else { return Self.tooLong("The id of an event is", limits.id) }
            id = String(decoding: value, as: UTF8.self)
        case 5 where memcmp(base, "retry", 5) == 0:
            if let milliseconds = Self.milliseconds(value) { reconnectionTime = .milliseconds(milliseconds) }
        default: break
        }
        return .incomplete
    }

    private mutating func finish() -> Outcome {
        lastID = id
        let hasData = dataBytes > 0
        let event = ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, id: id)
        (type, data, dataBytes) = ("", "", 0)
        return hasData ? .complete(event) : .incomplete
    }

    /// Returns a number of ASCII digits, at most a year in milliseconds; nil for anything else.
    private static func milliseconds(_ digits: UnsafeRawBufferPointer) -> Int64? {
        guard !digits.isEmpty else { return nil }
        let year: Int64 = 365 * 24 * 3_600_000
        var number: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            number = min(year, number * 10 + Int64(digit & 0x0F))
        }
        return number
    }

    private static func tooLong(_ what: String, _ limit: Int) -> Outcome {
        .failed(
            SternaError(
                .limitExceeded, phase: .read,
                "\(what) longer than \(ByteSize(Int64(limit))), the limit of the event stream."))
    }
}
