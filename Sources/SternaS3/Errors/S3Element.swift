import NIOCore
import Sterna

/// An element of a document of S3, with what it contains.
struct S3Element: Sendable {
    /// The name without its prefix.
    let localName: String

    /// The elements within, in order.
    var elements: [S3Element] = []

    /// The text directly within, white space included.
    var text = ""

    /// The first element within of a name; nil if there is none.
    subscript(name: String) -> S3Element? { elements.first { $0.localName == name } }

    /// Returns the elements within of a name.
    func elements(named name: String) -> [S3Element] { elements.filter { $0.localName == name } }

    /// What a document may have.
    struct Limits: Sendable {
        var depth = 16
        var bytes = 16 << 20
        var elements = 1_000_000
    }

    /// Reads a document; throws `decodingFailed` or `limitExceeded`.
    ///
    /// A reader of its own, since Foundation's would cost a static program tens of megabytes. It takes what S3 writes and refuses the rest:
    /// documents in UTF-8, without a document type, whose names are of ASCII letters.
    init(parsing bytes: Bytes, limits: Limits = Limits()) throws(SternaError) {
        guard bytes.readableBytes <= limits.bytes else {
            throw SternaError(.limitExceeded, phase: .decode, "The XML of S3 has more than \(limits.bytes) bytes.")
        }
        // Checked once, so that each piece of text is valid.
        guard let text = String(validating: bytes.readableBytesView, as: UTF8.self) else {
            throw S3XML.malformed("The XML is not UTF-8")
        }
        guard text.utf8.allSatisfy({ $0 >= 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) else {
            throw S3XML.malformed("The XML has a control character")
        }
        var reader = S3ElementReader(Array(text.utf8), limits)
        self = try reader.document()
    }

    fileprivate init(name: String) { localName = name }
}

/// Reads elements of bytes that are UTF-8.
private struct S3ElementReader {
    private let bytes: [UInt8]
    private let limits: S3Element.Limits
    private var position = 0
    private var count = 0

    init(_ bytes: [UInt8], _ limits: S3Element.Limits) { (self.bytes, self.limits) = (bytes, limits) }

    mutating func document() throws(SternaError) -> S3Element {
        // A byte order mark.
        if has("\u{FEFF}") { position += 3 }
        if has("<?xml") { try skip(to: "?>") }
        var open: [(name: String, element: S3Element)] = []
        var root: S3Element?
        while position < bytes.count {
            if bytes[position] != .less {
                let text = try text()
                if open.isEmpty {
                    guard text.allSatisfy(\.isWhitespace) else { throw fault("has text outside its root element") }
                } else {
                    open[open.count - 1].element.text += text
                }
            } else if has("<!--") {
                position += 4
                try skip(to: "-->")
            } else if has("<![CDATA["), !open.isEmpty {
                position += 9
                let start = position
                try skip(to: "]]>")
                open[open.count - 1].element.text += String(decoding: bytes[start..<position - 3], as: UTF8.self)
            } else if has("</") {
                position += 2
                let name = try name()
                skipSpace()
                guard take(.greater), let last = open.popLast(), last.name == name else {
                    throw fault("has an end tag without its start tag")
                }
                if open.isEmpty {
                    root = last.element
                } else {
                    open[open.count - 1].element.elements.append(last.element)
                }
            } else {
                guard root == nil else { throw fault("has more than one root element") }
                let (tag, isEmpty) = try startTag()
                guard open.count < limits.depth else { throw limit("is nested more than \(limits.depth) deep") }
                open.append(tag)
                guard isEmpty else { continue }
                open.removeLast()
                if open.isEmpty {
                    root = tag.element
                } else {
                    open[open.count - 1].element.elements.append(tag.element)
                }
            }
        }
        guard let root, open.isEmpty else { throw fault("ends early") }
        return root
    }

    /// Reads a start tag. Attributes are passed over: those of S3 say nothing more.
    private mutating func startTag() throws(SternaError) -> ((name: String, element: S3Element), isEmpty: Bool) {
        position += 1
        count += 1
        guard count <= limits.elements else { throw limit("has more than \(limits.elements) elements") }
        let name = try name()
        let local = name.split(separator: ":", omittingEmptySubsequences: false).last.map(String.init) ?? name
        guard !local.isEmpty else { throw fault("has an element without a name") }
        let element = S3Element(name: local)
        while true {
            let before = position
            skipSpace()
            if take(.greater) { return ((name, element), false) }
            if has("/>") {
                position += 2
                return ((name, element), true)
            }
            guard position > before else { throw fault("has a tag that does not end") }
            _ = try self.name()
            skipSpace()
            guard take(.equals) else { throw fault("has an attribute without a value") }
            skipSpace()
            guard position < bytes.count, bytes[position] == .quote || bytes[position] == .apostrophe else {
                throw fault("has an attribute without quotation marks")
            }
            let mark = bytes[position]
            position += 1
            while position < bytes.count, bytes[position] != mark {
                guard bytes[position] != .less else { throw fault("has a “<” in an attribute") }
                position += 1
            }
            guard take(mark) else { throw fault("has a tag that does not end") }
        }
    }

    private mutating func name() throws(SternaError) -> String {
        let start = position
        while position < bytes.count, position - start <= 128, Self.isName(bytes[position]) { position += 1 }
        guard position > start, position - start <= 128, Self.isLetter(bytes[start]) else {
            throw fault("has markup that S3 does not write")
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) || byte == 0x5F }

    private static func isName(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E || byte == 0x3A
    }

    /// Reads text up to the next tag, and replaces the references in the text.
    private mutating func text() throws(SternaError) -> String {
        var found: [UInt8] = []
        while position < bytes.count, bytes[position] != .less {
            let byte = bytes[position]
            if byte == .ampersand {
                found += try reference()
                continue
            }
            found.append(byte)
            position += 1
        }
        return String(decoding: found, as: UTF8.self)
    }

    private mutating func reference() throws(SternaError) -> [UInt8] {
        guard let end = bytes[position...].prefix(12).firstIndex(of: .semicolon) else {
            throw fault("has an “&” that is no reference")
        }
        let name = String(decoding: bytes[position + 1..<end], as: UTF8.self)
        position = end + 1
        switch name {
        case "amp": return [.ampersand]
        case "lt": return [.less]
        case "gt": return [.greater]
        case "quot": return [.quote]
        case "apos": return [.apostrophe]
        default: break
        }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard name.hasPrefix("#"), digits.utf8.first.map({ $0 != 0x2B && $0 != 0x2D }) == true,
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(number),
            number >= 0x20 || number == 0x0A || number == 0x0D || number == 0x09, number != 0xFFFE, number != 0xFFFF
        else { throw fault("has a reference to nothing") }
        return Array(String(Character(scalar)).utf8)
    }

    // MARK: Bytes

    private func has(_ mark: String) -> Bool { bytes[position...].starts(with: mark.utf8) }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[position]) { position += 1 }
    }

    /// Moves behind a mark.
    private mutating func skip(to mark: String) throws(SternaError) {
        while position < bytes.count {
            if has(mark) {
                position += mark.utf8.count
                return
            }
            position += 1
        }
        throw fault("ends early")
    }

    private func fault(_ what: String) -> SternaError { S3XML.malformed("The XML \(what), at byte \(position)") }

    private func limit(_ what: String) -> SternaError {
        SternaError(.limitExceeded, phase: .decode, "The XML of S3 \(what).")
    }
}

extension UInt8 {
    fileprivate static let less = UInt8(ascii: "<")
    fileprivate static let greater = UInt8(ascii: ">")
    fileprivate static let equals = UInt8(ascii: "=")
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let apostrophe = UInt8(ascii: "'")
    fileprivate static let ampersand = UInt8(ascii: "&")
    fileprivate static let semicolon = UInt8(ascii: ";")
}
