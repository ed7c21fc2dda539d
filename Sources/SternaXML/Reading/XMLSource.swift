import NIOCore
import Sterna

/// Makes the UTF-8 for all later steps: one encoding, line feeds only, no byte order mark, no declaration.
enum XMLSource {
    /// Returns the document in bytes. A byte order mark determines the encoding, else `charset`, else the XML declaration; the
    /// default is UTF-8 (RFC 7303, 3).
    static func document(_ bytes: Bytes, charset: String?, limits: XMLLimits) throws(SternaError) -> [UInt8] {
        try check(bytes.readableBytes, limits)
        let encoding = try encoding(of: bytes, charset: charset)
        guard encoding == .utf8 else {
            return try cleaned(Array(try TextResponseSerializer.text(of: bytes, encoding, hint: hint).utf8))
        }
        let utf8 = withoutMark(Array(bytes.readableBytesView))
        try requireUTF8(utf8)
        return try cleaned(utf8)
    }

    /// Returns the document in a text, ignoring the encoding of its declaration.
    static func document(_ text: String, limits: XMLLimits) throws(SternaError) -> [UInt8] {
        try check(text.utf8.count, limits)
        return try cleaned(withoutMark(Array(text.utf8)))
    }

    private static func withoutMark(_ utf8: [UInt8]) -> [UInt8] {
        utf8.starts(with: byteOrderMark) ? Array(utf8.dropFirst(byteOrderMark.count)) : utf8
    }

    private static func check(_ count: Int, _ limits: XMLLimits) throws(SternaError) {
        guard count > 0 else { throw XMLFailure.emptyInput() }
        guard count <= limits.bytes else {
            throw SternaError(
                .limitExceeded, phase: .decode,
                "The XML has \(count) bytes; at most \(limits.bytes) are read. Raise XMLLimits.bytes for more.")
        }
    }

    // MARK: Encoding

    /// The byte order mark in UTF-8.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static let marks: [(bytes: [UInt8], encoding: TextEncoding)] = [
        // Longer marks come first: that of UTF-32LE begins like that of UTF-16LE.
        ([0x00, 0x00, 0xFE, 0xFF], .utf32BigEndian), ([0xFF, 0xFE, 0x00, 0x00], .utf32LittleEndian),
        (byteOrderMark, .utf8), ([0xFE, 0xFF], .utf16BigEndian), ([0xFF, 0xFE], .utf16LittleEndian),
    ]

    /// The first “<” of a document in the wide encodings (XML 1.0, appendix F.1).
    private static let starts: [(bytes: [UInt8], encoding: TextEncoding)] = [
        ([0x00, 0x00, 0x00, 0x3C], .utf32BigEndian), ([0x3C, 0x00, 0x00, 0x00], .utf32LittleEndian),
        ([0x00, 0x3C], .utf16BigEndian), ([0x3C, 0x00], .utf16LittleEndian),
    ]

    private static let wide: Set<TextEncoding> = [
        .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian,
    ]

    private static let hint = "Name the right character set in Content-Type or the XML declaration."

    private static func encoding(of bytes: Bytes, charset: String?) throws(SternaError) -> TextEncoding {
        let view = bytes.readableBytesView
        if let mark = marks.first(where: { view.starts(with: $0.bytes) }) { return mark.encoding }
        let start = starts.first { view.starts(with: $0.bytes) }?.encoding
        if let charset, !charset.isEmpty {
            let encoding = try known(charset)
            // Without a mark the byte order is unknown.
            if encoding == .utf16 || encoding == .utf32, let start, start.name.hasPrefix(encoding.name) { return start }
            return encoding
        }
        if let start { return start }
        guard let declared = try declaredEncoding(of: view) else { return .utf8 }
        let encoding = try known(declared)
        guard !wide.contains(encoding) else {
            throw refusal(
                "the XML declaration says \(XMLFailure.quoted(declared)), but the bytes are not valid in it. \(hint)")
        }
        return encoding
    }

    private static func declaredEncoding(of bytes: ByteBufferView) throws(SternaError) -> String? {
        if bytes.starts(with: [0x4C, 0x6F, 0xA7, 0x94]) {
            throw refusal("the bytes look like EBCDIC, which is not read. Have the document sent as UTF-8.")
        }
        do {
            return try XMLDeclaration(bytes)?.encoding
        } catch {
            throw error.error(in: [])
        }
    }

    private static func known(_ label: String) throws(SternaError) -> TextEncoding {
        guard let encoding = TextEncoding(label: label) else {
            throw refusal(
                "the character set \(XMLFailure.quoted(label)) is not known. Have the document sent as UTF-8, or take "
                    + "the bytes with data().")
        }
        return encoding
    }

    private static func refusal(_ reason: String) -> SternaError {
        XMLFailure.error(.decodingFailed, line: 1, column: 1, reason)
    }

    private static func requireUTF8(_ bytes: [UInt8]) throws(SternaError) {
        guard String(validating: bytes, as: UTF8.self) == nil else { return }
        throw XMLFault(
            "the bytes are not valid UTF-8. \(hint)", at: firstFault(bytes)
        ).error(in: bytes)
    }

    private static func firstFault(_ bytes: [UInt8]) -> Int {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while case .valid(let scalar) = parser.parseScalar(from: &iterator) { offset += scalar.count }
        return offset
    }

    // MARK: Lines and declaration

    private static func cleaned(_ bytes: [UInt8]) throws(SternaError) -> [UInt8] {
        var document = withLineFeeds(bytes)
        guard !document.isEmpty else { throw XMLFailure.emptyInput() }
        do throws(XMLFault) {
            // The parser would take a second mark for the first.
            if document.starts(with: byteOrderMark) {
                throw XMLFault("a second byte order mark, which is text before the root element.", at: 0)
            }
            if let zero = document.firstIndex(of: 0) {
                throw XMLFault("a NUL character, which XML does not allow.", at: zero)
            }
            if let declaration = try XMLDeclaration(document) { document.blank(0..<declaration.length) }
        } catch {
            throw error.error(in: document)
        }
        return document
    }

    /// Normalizes line ends (XML 1.0, 2.11). The parser does so, too, except within CDATA sections.
    private static func withLineFeeds(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(.carriageReturn) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var wasReturn = false
        for byte in bytes {
            if byte == .carriageReturn {
                result.append(.lineFeed)
            } else if byte != .lineFeed || !wasReturn {
                result.append(byte)
            }
            wasReturn = byte == .carriageReturn
        }
        return result
    }
}
