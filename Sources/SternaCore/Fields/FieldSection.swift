package import HTTPTypes
import NIOCore
import SternaPlatform

/// The header or trailer fields of a received message (RFC 9110, 6.3), parsed only on access.
///
/// Callers read one or two fields of most responses. Looking one up scans the bytes of the section; `fields` makes the whole
/// list.
@usableFromInline
package struct FieldSection: Sendable {
    private enum Storage: Sendable {
        case fields(HTTPFields, reason: String)
        /// The lines; the status line, if there is one, precedes the reader index.
        case wire(Bytes, hasStatusLine: Bool)
    }

    private var storage: Storage

    /// Makes a section of ready fields.
    package init(_ fields: HTTPFields = HTTPFields()) { storage = .fields(fields, reason: "") }

    /// Makes a section of ready fields and a reason phrase.
    package init(_ fields: HTTPFields, reason: String) { storage = .fields(fields, reason: reason) }

    /// Makes a section from its form in an HTTP/1 message: lines of `name:value`, each ended by CR LF or LF.
    ///
    /// The parser of the message must have checked the bytes: names are tokens, and values have no control characters but tabs.
    package init(checkedLines: Bytes) { storage = .wire(checkedLines, hasStatusLine: false) }

    /// Makes the section of a response from its form in an HTTP/1 message, the status line before the reader index.
    ///
    /// The parser of the message must have checked both.
    package init(checkedLinesBehindStatusLine lines: Bytes) { storage = .wire(lines, hasStatusLine: true) }

    /// The reason phrase of the status line; empty if there is none.
    package var reasonPhrase: String {
        switch storage {
        case .fields(_, let reason): return reason
        case .wire(_, hasStatusLine: false): return ""
        case .wire(var bytes, hasStatusLine: true):
            let end = bytes.readerIndex
            bytes.moveReaderIndex(to: 0)
            // `HTTP/1.1 200 OK`, with the end of its line.
            guard let line = bytes.getSlice(at: 0, length: end)?.readableBytesView.dropFirst(13) else { return "" }
            return String(decoding: line.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
        }
    }

    /// The approximate size in bytes.
    package var approximateSize: Int {
        switch storage {
        case .fields(let fields, let reason): fields.approximateSize + reason.utf8.count
        case .wire(let bytes, _): bytes.writerIndex
        }
    }

    /// Returns the section without the memory of a larger buffer, to be kept.
    package var withoutSurplus: FieldSection {
        guard case .wire(let bytes, let hasStatusLine) = storage else { return self }
        var all = bytes
        all.moveReaderIndex(to: 0)
        all = all.withoutSurplus
        all.moveReaderIndex(to: bytes.readerIndex)
        var section = self
        section.storage = .wire(all, hasStatusLine: hasStatusLine)
        return section
    }

    /// All fields in their order.
    package var fields: HTTPFields {
        get {
            switch storage {
            case .fields(let fields, _): return fields
            case .wire(let bytes, _):
                var fields = HTTPFields()
                bytes.withUnsafeReadableBytes { raw in
                    FieldLines.forEach(in: raw) { name, value in
                        if let name = HTTPField.Name(String(decoding: name, as: UTF8.self)) {
                            fields.append(HTTPField(name: name, lenientValue: Array(value)))
                        }
                        return true
                    }
                }
                return fields
            }
        }
        set { storage = .fields(newValue, reason: reasonPhrase) }
    }

    /// The value of a field; several lines of the same name are joined by a comma and a space (RFC 9110, 5.3).
    package subscript(name: HTTPField.Name) -> String? {
        switch storage {
        case .fields(let fields, _): return fields[name]
        case .wire(let bytes, _):
            var found: String?
            bytes.withUnsafeReadableBytes { raw in
                FieldLines.forEach(in: raw, named: name.canonicalName) { value in
                    let text = String(decoding: value, as: UTF8.self)
                    found = found.map { $0 + (name == .cookie ? "; " : ", ") + text } ?? text
                    return true
                }
            }
            return found
        }
    }

    /// The values of a field's lines, one by one.
    package subscript(values name: HTTPField.Name) -> [String] {
        switch storage {
        case .fields(let fields, _): return fields[values: name]
        case .wire(let bytes, _):
            var found: [String] = []
            bytes.withUnsafeReadableBytes { raw in
                FieldLines.forEach(in: raw, named: name.canonicalName) { value in
                    found.append(String(decoding: value, as: UTF8.self))
                    return true
                }
            }
            return found
        }
    }

    /// The values of a field's lines as received bytes, for fields that may not be UTF-8.
    package func bytes(of name: HTTPField.Name) -> [[UInt8]] {
        switch storage {
        case .fields(let fields, _):
            return fields[fields: name].map { field in field.withUnsafeBytesOfValue { Array($0) } }
        case .wire(let bytes, _):
            var found: [[UInt8]] = []
            bytes.withUnsafeReadableBytes { raw in
                FieldLines.forEach(in: raw, named: name.canonicalName) { value in
                    found.append(Array(value))
                    return true
                }
            }
            return found
        }
    }

    /// The values of a field's lines as URL references. In a value that is not UTF-8, each byte outside ASCII is percent-encoded,
    /// as in curl and browsers; ``subscript(values:)`` replaces such bytes, which makes another URL.
    package func references(_ name: HTTPField.Name) -> [String] {
        switch storage {
        case .fields(let fields, _):
            return fields[fields: name].map { field in field.withUnsafeBytesOfValue { Self.reference(Array($0)) } }
        case .wire(let bytes, _):
            var found: [String] = []
            bytes.withUnsafeReadableBytes { raw in
                FieldLines.forEach(in: raw, named: name.canonicalName) { value in
                    found.append(Self.reference(Array(value)))
                    return true
                }
            }
            return found
        }
    }

    private static func reference(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = ""
        for byte in bytes {
            if byte < 0x80 {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    /// Returns which fields of a list the section has: a bit for each name, found in one pass.
    package func present(_ names: FieldNameList) -> UInt64 {
        switch storage {
        case .fields(let fields, _): return names.present(in: fields)
        case .wire(let bytes, _): return bytes.withUnsafeReadableBytes { names.present(in: $0) }
        }
    }

    /// Returns whether the section has a field with this name.
    package func contains(_ name: HTTPField.Name) -> Bool {
        switch storage {
        case .fields(let fields, _): return fields.contains(name)
        case .wire(let bytes, _):
            var found = false
            bytes.withUnsafeReadableBytes { raw in
                FieldLines.forEach(in: raw, named: name.canonicalName) { _ in
                    found = true
                    return false
                }
            }
            return found
        }
    }
}

extension HTTPFields {
    /// The approximate size in bytes.
    package var approximateSize: Int {
        // Each field is an object with a name and a value.
        reduce(0) { $0 + $1.name.rawName.utf8.count + $1.withUnsafeBytesOfValue(\.count) + 64 }
    }
}

extension FieldSection: CustomReflectable {
    /// Shows the fields without credentials, as ``Headers`` does.
    @usableFromInline package var customMirror: Mirror {
        Mirror(self, children: ["fields": Headers(fields)], displayStyle: .struct)
    }
}

/// Iterates over the field lines of a checked section, which has CR and LF at line ends only.
enum FieldLines {
    /// Calls `body` with each line's name and value, without the white space around the value, until it returns false.
    static func forEach(
        in raw: UnsafeRawBufferPointer,
        _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) {
        forEachLine(in: raw) { line in
            var colon = 0
            while colon < line.count, line[colon] != UInt8(ascii: ":") { colon += 1 }
            guard colon < line.count else { return false }
            return body(UnsafeRawBufferPointer(rebasing: line[..<colon]), value(of: line, behind: colon))
        }
    }

    /// Calls `body` with the values of the lines of a name, given in lower case, until it returns false.
    static func forEach(
        in raw: UnsafeRawBufferPointer, named lowercased: String, _ body: (_ value: UnsafeRawBufferPointer) -> Bool
    ) {
        var lowercased = lowercased
        lowercased.withUTF8 { name in
            forEachLine(in: raw) { line in
                // The position of the colon rules out most lines.
                guard line.count > name.count, line[name.count] == UInt8(ascii: ":"), begins(line, with: name) else {
                    return true
                }
                return body(value(of: line, behind: name.count))
            }
        }
    }

    // Passes lines without their LF; the consumer of the value handles a CR before it.
    static func forEachLine(in raw: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool) {
        guard let base = raw.baseAddress else { return }
        var start = 0
        while start < raw.count {
            let rest = raw.count - start
            let length = memchr(base + start, 0x0A, rest).map { UnsafeRawPointer($0) - (base + start) } ?? rest
            guard body(UnsafeRawBufferPointer(start: base + start, count: length)) else { return }
            start += length + 1
        }
    }

    static func begins(_ line: UnsafeRawBufferPointer, with name: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in name.indices {
            var byte = line[index]
            if byte >= UInt8(ascii: "A"), byte <= UInt8(ascii: "Z") { byte |= 0x20 }
            if byte != name[index] { return false }
        }
        return true
    }

    private static func value(of line: UnsafeRawBufferPointer, behind colon: Int) -> UnsafeRawBufferPointer {
        var first = colon + 1
        var last = line.count
        if last > first, line[last - 1] == 0x0D { last -= 1 }
        while first < last, isBlank(line[first]) { first += 1 }
        while last > first, isBlank(line[last - 1]) { last -= 1 }
        return UnsafeRawBufferPointer(rebasing: line[first..<last])
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
