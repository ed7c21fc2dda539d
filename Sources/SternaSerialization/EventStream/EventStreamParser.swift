public import NIOCore
public import SternaCore

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
    public private(set) var lastEventID: String

    /// The field `retry` that the stream sent last: how long a client waits before it reconnects. Times above a year count as a
    /// year.
    public private(set) var reconnectionTime: Duration?

    /// The limits, which hold from the next bytes on.
    public var limits = Limits() {
        didSet { lines.limit = max(0, limits.line) }
    }

    private var lines = LineSplitter(limit: Limits().line, ends: .all)
    private var isAtStart = true

    // The event that is being read. Each of its data lines is followed by an LF.
    private var type = ""
    private var data = Bytes()
    private var id: String

    /// Makes a parser for the bytes of one response.
    ///
    /// - Parameter lastEventID: the id that the request sent; events have it until the stream sends another.
    public init(lastEventID: String = "") { (self.lastEventID, id) = (lastEventID, lastEventID) }

    /// Appends bytes of the stream.
    public mutating func append(_ bytes: Bytes) { lines.add(bytes) }

    /// Returns the next event that is complete; nil if more bytes are needed.
    ///
    /// Throws `limitExceeded` for a line, an event or an id above its limit. The stream cannot be read further then.
    public mutating func next() throws(SternaError) -> ServerSentEvent? {
        while var line = try lines.next() {
            if isAtStart {
                isAtStart = false
                if line.readableBytesView.starts(with: [0xEF, 0xBB, 0xBF]) { line.moveReaderIndex(forwardBy: 3) }
            }
            guard line.readableBytes > 0 else {
                if let event = finishEvent() { return event }
                continue
            }
            try read(line)
        }
        return nil
    }

    private mutating func finishEvent() -> ServerSentEvent? {
        lastEventID = id
        defer {
            type = ""
            // The memory of a large event is given back.
            if data.capacity > 1 << 16 { data = Bytes() } else { data.clear() }
        }
        guard data.readableBytes > 0 else { return nil }
        let text = String(decoding: data.readableBytesView.dropLast(), as: UTF8.self)
        return ServerSentEvent(type: type.isEmpty ? "message" : type, data: text, id: id)
    }

    private mutating func read(_ line: Bytes) throws(SternaError) {
        let view = line.readableBytesView
        let colon = view.firstIndex(of: UInt8(ascii: ":")) ?? view.endIndex
        let name = view[..<colon]
        var value = view[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch name.count {
        case 4 where name.elementsEqual("data".utf8):
            guard data.readableBytes + value.count <= limits.event else {
                throw Self.tooLong("The data of an event is", limits.event)
            }
            data.writeBytes(value)
            data.writeInteger(UInt8(ascii: "\n"))
        case 5 where name.elementsEqual("event".utf8):
            type = String(decoding: value, as: UTF8.self)
        case 2 where name.elementsEqual("id".utf8) && !value.contains(0):
            guard value.count <= limits.id else { throw Self.tooLong("The id of an event is", limits.id) }
            id = String(decoding: value, as: UTF8.self)
        case 5 where name.elementsEqual("retry".utf8):
            if let milliseconds = Self.milliseconds(value) { reconnectionTime = .milliseconds(milliseconds) }
        default: break
        }
    }

    /// Returns a number of ASCII digits, at most a year in milliseconds; nil for anything else.
    private static func milliseconds(_ digits: ByteBufferView) -> Int64? {
        guard !digits.isEmpty else { return nil }
        let year: Int64 = 365 * 24 * 3_600_000
        var number: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            number = min(year, number * 10 + Int64(digit & 0x0F))
        }
        return number
    }

    private static func tooLong(_ what: String, _ limit: Int) -> SternaError {
        SternaError(
            .limitExceeded, phase: .read,
            "\(what) longer than \(ByteSize(Int64(limit))), the limit of the event stream.")
    }
}
