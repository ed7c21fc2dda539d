package import HTTPTypes
import NIOCore
package import SternaCore

/// Reads the parts of a multipart body (RFC 2046, 5.1) from bytes that arrive in any pieces.
///
/// It holds the header of one part, or a run of bytes that may turn out to be a delimiter; bodies are passed on as they arrive. The
/// cost is linear in the bytes, however they are split, and the events are the same for every split, but for the lengths of the
/// runs of bytes.
///
/// It accepts what senders do in practice: lines that end with LF alone, if the first delimiter line does; a boundary parameter that
/// includes the two hyphens of its delimiter lines, as cameras send it; folded header fields; and a body without any part.
package struct MultipartParser: Sendable {
    package enum Event: Sendable, Hashable {
        /// A part begins; its header fields.
        case part(HTTPFields)
        /// The next bytes of the part's body, never empty.
        case bytes(Bytes)
        /// The part's body is complete.
        case partEnd
        /// The closing delimiter: what follows is no part.
        case end
    }

    private enum State: Sendable {
        case preamble
        /// A delimiter has been read; a part follows.
        case opening
        case header
        case body
        /// The part's Content-Length has ended its body; the delimiter follows.
        case gap
        /// The closing delimiter has been read; its event is the next.
        case closing
        case over
        case failed(SternaError)
    }

    private enum Delimiter: Sendable {
        /// Another part follows.
        case next
        case close
    }

    private enum Step {
        case event(Event)
        /// Reads on in the new state.
        case again
        /// More bytes are needed.
        case more
    }

    /// The maximum number of blanks between a boundary and the end of its line. Beyond them the line is no delimiter.
    private static let longestPadding = 256

    /// The maximum length of a boundary. RFC 2046 allows 70 bytes, which some senders exceed.
    private static let longestBoundary = 200

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let hyphen = UInt8(ascii: "-")

    private let limits: PartLimits
    private let usesContentLength: Bool
    private var state = State.preamble
    private var rest = Bytes()

    /// How delimiter lines begin: two hyphens and the boundary. Before the first delimiter there may be two candidates.
    private var dashes: [[UInt8]]
    /// The end of a line and what a delimiter line begins with. The first byte occurs nowhere else in it, so that no search goes back.
    private var delimiter: [UInt8] = []

    /// The number of bytes at the front of `rest` that are known to have no LF; used for lines.
    private var scanned = 0
    /// The number of bytes at the front of `rest` that are known to fit a delimiter; used in bodies.
    private var matched = 0
    /// Whether `rest` begins at the start of a line, so that a delimiter there has no line end of its own.
    private var isAtLineStart = false

    private var preambleLength = 0
    private var partCount = 0
    private var fields = HTTPFields()
    /// A field whose value may continue on the next line.
    private var pending: (name: HTTPField.Name, value: [UInt8])?
    private var fieldCount = 0
    private var headerLength = 0
    private var bodyLength: Int64 = 0
    /// The bytes up to the part's Content-Length; nil without one, or if it does not count.
    private var remaining: Int64?
    private var gapLength = 0

    /// Makes a parser; returns nil for a boundary that is empty, longer than 200 bytes, or contains control characters.
    ///
    /// - Parameter usesContentLength: whether the Content-Length of a part, if it has a valid one, ends the part before its
    ///   delimiter. In an endless body, the delimiter arrives with the next part only. A delimiter before it ends the part, too.
    package init?(boundary: String, limits: PartLimits = PartLimits(), usesContentLength: Bool = false) {
        let bytes = Array(boundary.utf8)
        guard (1...Self.longestBoundary).contains(bytes.count), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return nil
        }
        let hyphens = [Self.hyphen, Self.hyphen]
        dashes = bytes.starts(with: hyphens) ? [hyphens + bytes, bytes] : [hyphens + bytes]
        var limits = limits
        limits.header = max(0, limits.header)
        limits.fields = max(0, limits.fields)
        limits.body = limits.body.map { max(0, $0) }
        limits.parts = limits.parts.map { max(0, $0) }
        limits.preamble = max(0, limits.preamble)
        (self.limits, self.usesContentLength) = (limits, usesContentLength)
    }

    /// Appends bytes of the body.
    package mutating func append(_ bytes: Bytes) {
        switch state {
        // The epilogue is ignored (RFC 2046, 5.1.1).
        case .closing, .over, .failed: break
        default: rest.join(bytes)
        }
    }

    /// Returns the next event; nil if more bytes are needed, and after ``Event/end``.
    ///
    /// Throws `malformedResponse` for a header that is none, and `limitExceeded`. Each later call throws the same error.
    package mutating func next() throws(SternaError) -> Event? {
        do throws(SternaError) {
            while true {
                switch try step() {
                case .event(let event): return event
                case .again: continue
                case .more: return nil
                }
            }
        } catch {
            fail(error)
            throw error
        }
    }

    /// Checks, after all bytes were read by ``next()``, that the body is complete.
    ///
    /// Throws `truncated` if the closing delimiter is missing, and `malformedResponse` if there was no delimiter at all. If it does
    /// not throw, ``next()`` returns ``Event/end``, unless it has already.
    package mutating func finish() throws(SternaError) {
        switch state {
        case .closing, .over: return
        case .failed(let error): throw error
        case .preamble:
            // The closing delimiter of a body without parts, whose line has no end.
            let view = rest.readableBytesView
            if dashes.contains(where: { Self.kind(of: view, $0) == .close }) { return close() }
            let error = SternaError(
                .malformedResponse, phase: .read,
                "The body has no line with the boundary that its Content-Type names.")
            fail(error)
            throw error
        default:
            let error = SternaError(
                .truncated, phase: .read,
                "The body ended before the delimiter that closes it; part \(partCount) may be incomplete.")
            fail(error)
            throw error
        }
    }

    private mutating func fail(_ error: SternaError) {
        state = .failed(error)
        rest = Bytes()
    }

    private mutating func close() {
        state = .closing
        rest = Bytes()
    }

    private mutating func step() throws(SternaError) -> Step {
        switch state {
        case .preamble: return try readPreamble()
        case .opening:
            try beginPart()
            return .again
        case .header: return try readHeader()
        case .body: return try readBody()
        case .gap: return try skipGap()
        case .closing:
            state = .over
            return .event(.end)
        case .over: return .more
        case .failed(let error): throw error
        }
    }

    // MARK: Lines

    private struct Line {
        /// The line without its end.
        var bytes: Bytes
        /// The length with its end.
        var length: Int
        /// Whether CRLF ends it, not LF alone.
        var endsWithReturn: Bool
    }

    /// Returns the next line; nil if its end has not arrived. Throws if it has more bytes, its end included, than there is room for.
    private mutating func takeLine(room: Int, _ what: StaticString, _ limit: Int) throws(SternaError) -> Line? {
        let view = rest.readableBytesView
        guard let index = view.dropFirst(scanned).firstIndex(of: Self.lineFeed) else {
            scanned = view.count
            guard view.count <= room else { throw Self.tooLong(what, limit) }
            return nil
        }
        let length = index - view.startIndex + 1
        guard length <= room else { throw Self.tooLong(what, limit) }
        guard var line = rest.readSlice(length: length) else { return nil }
        scanned = 0
        line.moveWriterIndex(to: line.writerIndex - 1)
        let endsWithReturn = line.readableBytesView.last == Self.carriageReturn
        if endsWithReturn { line.moveWriterIndex(to: line.writerIndex - 1) }
        return Line(bytes: line, length: length, endsWithReturn: endsWithReturn)
    }

    /// Returns whether a line is a delimiter.
    private static func kind(of line: ByteBufferView, _ dash: [UInt8]) -> Delimiter? {
        guard line.starts(with: dash) else { return nil }
        let tail = line.dropFirst(dash.count)
        if tail.starts(with: [hyphen, hyphen]) { return .close }
        return tail.count <= longestPadding && tail.allSatisfy(isBlank) ? .next : nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    // MARK: The preamble

    private mutating func readPreamble() throws(SternaError) -> Step {
        let room = limits.preamble - preambleLength
        guard let line = try takeLine(room: room, "What precedes the first part is", limits.preamble) else {
            return .more
        }
        preambleLength += line.length
        let view = line.bytes.readableBytesView
        for dash in dashes {
            switch Self.kind(of: view, dash) {
            case nil: continue
            case .close: close()
            case .next:
                dashes = [dash]
                // A body has line ends of one kind: with CRLF, an LF alone belongs to the data.
                delimiter = (line.endsWithReturn ? [Self.carriageReturn, Self.lineFeed] : [Self.lineFeed]) + dash
                state = .opening
            }
            break
        }
        return .again
    }

    // MARK: Headers

    private mutating func beginPart() throws(SternaError) {
        if let limit = limits.parts, partCount >= limit {
            throw SternaError(
                .limitExceeded, phase: .read, "The body has more than \(limit) parts, the limit.")
        }
        partCount += 1
        fields = HTTPFields()
        (pending, fieldCount, headerLength) = (nil, 0, 0)
        state = .header
    }

    private mutating func readHeader() throws(SternaError) -> Step {
        let room = limits.header - headerLength
        guard let line = try takeLine(room: room, "The header of a part is", limits.header) else { return .more }
        headerLength += line.length
        let view = line.bytes.readableBytesView
        guard let first = view.first else {
            takePending()
            return beginBody()
        }
        if Self.isBlank(first) {
            try fold(view)
        } else {
            takePending()
            try readField(view)
        }
        return .again
    }

    private mutating func takePending() {
        if let field = pending { fields.append(HTTPField(name: field.name, lenientValue: field.value)) }
        pending = nil
    }

    private mutating func readField(_ line: ByteBufferView) throws(SternaError) {
        guard fieldCount < limits.fields else {
            throw SternaError(
                .limitExceeded, phase: .read,
                "The header of part \(partCount) has more than \(limits.fields) fields, the limit.")
        }
        fieldCount += 1
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { throw malformedHeader }
        pending = (name, try value(line[colon...].dropFirst()))
    }

    /// Appends a line to the value of the field before it (RFC 5322, 2.2.3).
    private mutating func fold(_ line: ByteBufferView) throws(SternaError) {
        let more = try value(line)
        guard pending != nil else { throw malformedHeader }
        if !more.isEmpty { pending?.value += [0x20] + more }
    }

    /// Returns a value without the blanks around it.
    private func value(_ bytes: ByteBufferView) throws(SternaError) -> [UInt8] {
        guard let first = bytes.firstIndex(where: { !Self.isBlank($0) }),
            let last = bytes.lastIndex(where: { !Self.isBlank($0) })
        else { return [] }
        let value = Array(bytes[first...last])
        guard value.allSatisfy(FieldSyntax.isValueByte) else { throw malformedHeader }
        return value
    }

    private var malformedHeader: SternaError {
        SternaError(
            .malformedResponse, phase: .read, "The header of part \(partCount) has a line that is no header field.")
    }

    // MARK: Bodies

    private mutating func beginBody() -> Step {
        state = .body
        (isAtLineStart, matched, bodyLength) = (true, 0, 0)
        remaining = usesContentLength ? Self.length(fields[values: .contentLength]) : nil
        return .event(.part(fields))
    }

    /// Returns the number of a Content-Length; nil if it is absent or invalid, or if its lines differ.
    private static func length(_ lines: [String]) -> Int64? {
        guard let line = lines.first, lines.allSatisfy({ $0.utf8.elementsEqual(line.utf8) }),
            !line.isEmpty, line.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(line)
    }

    private mutating func readBody() throws(SternaError) -> Step {
        if remaining == 0 {
            state = .gap
            (isAtLineStart, matched, gapLength) = (true, 0, 0)
            return .event(.partEnd)
        }
        switch search() {
        case .data(let count): return try take(count)
        case .delimiter(let length, let kind):
            pass(length, kind)
            return .event(.partEnd)
        case .more: return .more
        }
    }

    /// Returns the next bytes of the body, of which `count` have arrived.
    private mutating func take(_ count: Int) throws(SternaError) -> Step {
        var count = Int64(count)
        if let remaining { count = min(count, remaining) }
        if let limit = limits.body {
            guard bodyLength < limit else { throw Self.tooLong("The body of a part is", limit) }
            count = min(count, limit - bodyLength)
        }
        guard let bytes = rest.readSlice(length: Int(count)) else { return .more }
        matched = 0
        bodyLength += count
        remaining = remaining.map { $0 - count }
        return .event(.bytes(bytes))
    }

    /// Drops what follows a Content-Length, up to the delimiter.
    private mutating func skipGap() throws(SternaError) -> Step {
        switch search() {
        case .data(let count):
            gapLength += count
            guard gapLength <= limits.preamble else {
                throw Self.tooLong("What follows the Content-Length of a part is", limits.preamble)
            }
            rest.moveReaderIndex(forwardBy: count)
            matched = 0
            return .again
        case .delimiter(let length, let kind):
            pass(length, kind)
            return .again
        case .more: return .more
        }
    }

    /// Leaves out a delimiter.
    private mutating func pass(_ length: Int, _ kind: Delimiter) {
        guard kind == .next else { return close() }
        rest.moveReaderIndex(forwardBy: length)
        (matched, scanned) = (0, 0)
        state = .opening
    }

    private enum Found {
        /// So many bytes at the front are data; at least one.
        case data(Int)
        /// A delimiter of a length is at the front.
        case delimiter(Int, Delimiter)
        /// Nothing is at the front, or what may become a delimiter.
        case more
    }

    /// Looks for a delimiter in the bytes that have arrived.
    private mutating func search() -> Found {
        let view = rest.readableBytesView
        if isAtLineStart {
            guard !view.isEmpty else { return .more }
            switch Self.match(dashes[0], in: view, at: 0, matched: matched) {
            case .found(let length, let kind): return .delimiter(length, kind)
            case .incomplete(let count):
                matched = count
                return .more
            case .none: (isAtLineStart, matched) = (false, 0)
            }
        }
        var offset = 0
        while let index = view.dropFirst(offset).firstIndex(of: delimiter[0]) {
            let start = index - view.startIndex
            switch Self.match(delimiter, in: view, at: start, matched: start == 0 ? matched : 0) {
            case .found(let length, let kind): return start > 0 ? .data(start) : .delimiter(length, kind)
            case .incomplete(let count):
                if start > 0 { return .data(start) }
                matched = count
                return .more
            case .none:
                if start == 0 { matched = 0 }
                offset = start + 1
            }
        }
        return view.isEmpty ? .more : .data(view.count)
    }

    private enum Match {
        case found(Int, Delimiter)
        /// All bytes fit that have arrived; so many need not be compared again.
        case incomplete(Int)
        case none
    }

    /// Compares bytes with how a delimiter begins, and what follows with the rest of a delimiter line.
    private static func match(_ pattern: [UInt8], in view: ByteBufferView, at start: Int, matched: Int) -> Match {
        let base = view.startIndex + start
        let count = view.count - start
        var position = matched
        while position < pattern.count {
            guard position < count else { return .incomplete(position) }
            guard view[base + position] == pattern[position] else { return .none }
            position += 1
        }
        while position < count {
            let byte = view[base + position]
            let hasNext = position + 1 < count
            if isBlank(byte), position - pattern.count < longestPadding {
                position += 1
            } else if byte == lineFeed {
                return .found(position + 1, .next)
            } else if byte == carriageReturn {
                guard hasNext else { return .incomplete(position) }
                return view[base + position + 1] == lineFeed ? .found(position + 2, .next) : .none
            } else if byte == hyphen, position == pattern.count {
                guard hasNext else { return .incomplete(position) }
                return view[base + position + 1] == hyphen ? .found(position + 2, .close) : .none
            } else {
                return .none
            }
        }
        return .incomplete(position)
    }

    private static func tooLong(_ what: StaticString, _ limit: some BinaryInteger) -> SternaError {
        SternaError(.limitExceeded, phase: .read, "\(what) longer than \(ByteSize(Int64(limit))), the limit.")
    }
}
