public import SternaCore
import SternaPlatform
import SternaSerialization

extension PropertyList {
    /// Returns the list as bytes.
    ///
    /// - Throws: `ParameterError` with the key path of containers nested deeper than ``maximumDepth``; in XML also of text with
    ///   characters that XML cannot represent, and of a date outside the years 0000 to 9999; in the binary form also of a date that
    ///   is not finite.
    public func serialized(_ format: Format = .xml) throws(ParameterError) -> [UInt8] {
        switch format {
        case .xml:
            var writer = PropertyListXMLWriter()
            return try writer.document(self)
        case .binary:
            var writer = PropertyListBinaryWriter()
            return try writer.document(self)
        }
    }
}

/// Writes the XML form with the indentation of Apple's own writer; data is on one line.
struct PropertyListXMLWriter {
    private var bytes: [UInt8] = []

    mutating func document(_ value: PropertyList) throws(ParameterError) -> [UInt8] {
        add(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """)
        try write(value, depth: 0)
        add("</plist>\n")
        return bytes
    }

    private mutating func write(_ value: PropertyList, depth: Int) throws(ParameterError) {
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "\t"), count: depth))
        switch value {
        case .string(let value): try element("string", value)
        case .integer(let value): add("<integer>\(value)</integer>\n")
        case .unsigned(let value): add("<integer>\(value)</integer>\n")
        // The description of a NaN may have a sign and a payload, which parsers reject.
        case .real(let value): add("<real>\(value.isNaN ? "nan" : value.description)</real>\n")
        case .boolean(let value): add(value ? "<true/>\n" : "<false/>\n")
        case .date(let value):
            // The form has only whole seconds; rounded down, so that a date never moves into the future.
            let seconds = value.timeIntervalSince1970.rounded(.down)
            add("<date>\(try ParameterText.date(Date(timeIntervalSince1970: seconds)))</date>\n")
        case .data(let value): add("<data>\(value.base64EncodedString())</data>\n")
        case .array(let elements):
            guard depth < PropertyList.maximumDepth else { throw Self.tooDeep }
            guard !elements.isEmpty else { return add("<array/>\n") }
            add("<array>\n")
            for index in elements.indices {
                do { try write(elements[index], depth: depth + 1) } catch { throw error.under(.index(index)) }
            }
            close("array", depth)
        case .dictionary(let values):
            guard depth < PropertyList.maximumDepth else { throw Self.tooDeep }
            guard !values.isEmpty else { return add("<dict/>\n") }
            add("<dict>\n")
            for (key, value) in PropertyList.sorted(values) {
                do {
                    bytes.append(contentsOf: repeatElement(UInt8(ascii: "\t"), count: depth + 1))
                    try element("key", key)
                    try write(value, depth: depth + 1)
                } catch {
                    throw error.under(.key(key))
                }
            }
            close("dict", depth)
        }
    }

    private mutating func close(_ name: String, _ depth: Int) {
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "\t"), count: depth))
        add("</\(name)>\n")
    }

    private mutating func element(_ name: String, _ text: String) throws(ParameterError) {
        add("<\(name)>")
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": add("&amp;")
            case "<": add("&lt;")
            case ">": add("&gt;")
            // Readers would convert a literal return to a line feed.
            case "\r": add("&#13;")
            default:
                guard Self.isAllowed(scalar) else {
                    throw ParameterError(
                        .notEncodable(
                            "XML cannot represent the character \(TextPosition.name(code: scalar.value))"))
                }
                bytes.append(contentsOf: UTF8.encode(scalar)?.map { $0 } ?? [])
            }
        }
        add("</\(name)>\n")
    }

    private mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Returns whether XML 1.0 can represent a character (2.2).
    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: true
        case 0..<0x20, 0xFFFE, 0xFFFF: false
        default: true
        }
    }

    static var tooDeep: ParameterError { ParameterError(.tooDeep(limit: PropertyList.maximumDepth)) }
}

extension PropertyList {
    /// Returns a dictionary's pairs in the order they are written.
    static func sorted(_ values: [String: PropertyList]) -> [(key: String, value: PropertyList)] {
        values.sorted { $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars) }
    }
}
