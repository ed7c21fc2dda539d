/// The general entities of a document type declaration, and the expansion of references to them.
///
/// Foundation's parser on Linux drops an entity's text without an error, so the preparation expands every reference beforehand.
/// It expands plain text only: an entity cannot add elements.
struct EntityTable {
    private enum Entity {
        case text([UInt8])
        case external
    }

    /// The maximum depth of entities within entities.
    private static let maximumNesting = 32

    private static let predefined: Set<String> = ["amp", "lt", "gt", "quot", "apos"]

    private let limit: Int
    private var entities: [String: Entity] = [:]
    private var expansions: [String: [UInt8]] = [:]
    private var open: [String] = []
    private var spent = 0

    /// Makes a table whose entities may expand to `limit` bytes in all.
    init(limit: Int) { self.limit = limit }

    /// Adds an entity with a value; the first declaration of a name counts (XML 1.0, 4.2).
    mutating func declare(_ name: String, value: some Collection<UInt8>, at offset: Int) throws(XMLFault) {
        guard name.utf8.count <= XMLPreparation.maximumName else {
            throw .limit("an entity's name is longer than \(XMLPreparation.maximumName) bytes.", at: offset)
        }
        if entities[name] == nil { entities[name] = .text(try Self.replacement(Array(value), at: offset)) }
    }

    /// Adds an external entity.
    mutating func declareExternal(_ name: String) {
        // A reference cannot be that long.
        guard name.utf8.count <= XMLPreparation.maximumName else { return }
        if entities[name] == nil { entities[name] = .external }
    }

    static func isPredefined(_ name: String) -> Bool { predefined.contains(name) }

    /// Returns the expansion of a reference in the document, which counts towards the limit.
    mutating func expand(_ name: String, at offset: Int) throws(XMLFault) -> [UInt8] {
        let bytes = try expansion(name, at: offset)
        spent += bytes.count
        guard spent <= limit else { throw beyondLimit(offset) }
        return bytes
    }

    private mutating func expansion(_ name: String, at offset: Int) throws(XMLFault) -> [UInt8] {
        if let known = expansions[name] { return known }
        guard let entity = entities[name] else {
            throw XMLFault(
                "the entity \(XMLFailure.quoted(name)) is not defined. XML knows amp, lt, gt, quot and apos; write others "
                    + "as the character itself, or as “&#…;”.", at: offset)
        }
        guard case .text(let text) = entity else {
            throw XMLFault(
                "the entity \(XMLFailure.quoted(name)) is external, and external entities are never loaded.",
                at: offset)
        }
        guard !open.contains(name) else {
            throw XMLFault("the entity \(XMLFailure.quoted(name)) contains a reference to itself.", at: offset)
        }
        guard open.count < Self.maximumNesting else {
            throw .limit("entities refer to entities through more than \(Self.maximumNesting) levels.", at: offset)
        }
        open.append(name)
        var result: [UInt8] = []
        var index = 0
        while index < text.count {
            switch text[index] {
            case .less:
                throw XMLFault(
                    "the entity \(XMLFailure.quoted(name)) holds markup; only entities of plain text are replaced.",
                    at: offset)
            case .ampersand:
                let reference = try Reference(in: text, at: index, reportedAt: offset)
                if let inner = reference.name, !Self.isPredefined(inner) {
                    result += try expansion(inner, at: offset)
                } else {
                    result += text[reference.range]
                }
                index = reference.range.upperBound
            default:
                result += Self.escaped(text[index])
                index += 1
            }
            guard result.count <= limit else { throw beyondLimit(offset) }
        }
        open.removeLast()
        expansions[name] = result
        return result
    }

    private func beyondLimit(_ offset: Int) -> XMLFault {
        .limit("its entities become more than \(limit) bytes. Raise XMLLimits.entityBytes for more.", at: offset)
    }

    /// Escapes characters that would be markup in the document.
    private static func escaped(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case .greater: Array("&gt;".utf8)
        case .quote: Array("&quot;".utf8)
        case .apostrophe: Array("&apos;".utf8)
        case .carriageReturn: Array("&#13;".utf8)
        default: [byte]
        }
    }

    /// The replacement text of a value: character references are expanded in the declaration, others when the entity is used (XML
    /// 1.0, 4.5).
    private static func replacement(_ value: [UInt8], at offset: Int) throws(XMLFault) -> [UInt8] {
        guard value.contains(.ampersand) || value.contains(.percent) else { return value }
        var result: [UInt8] = []
        var index = 0
        while index < value.count {
            switch value[index] {
            case .percent:
                throw XMLFault("a parameter entity in an entity's value; they are not supported.", at: offset)
            case .ampersand:
                let reference = try Reference(in: value, at: index, reportedAt: offset)
                if reference.name == nil {
                    result += try reference.character(in: value, reportedAt: offset)
                } else {
                    result += value[reference.range]
                }
                index = reference.range.upperBound
            default:
                result.append(value[index])
                index += 1
            }
        }
        return result
    }
}

/// A reference to a character or to an entity (XML 1.0, 4.1).
struct Reference {
    /// The range from “&” to the end of “;”.
    var range: Range<Int>

    /// The entity's name; nil for a character.
    var name: String?

    /// An entity's name is never longer.
    private static let maximumName = 1_024

    /// Reads the reference that begins at an index; faults are reported at `offset`.
    init(in bytes: [UInt8], at start: Int, reportedAt offset: Int) throws(XMLFault) {
        var end = start + 1
        while end < bytes.count, end - start <= Self.maximumName, !bytes[end].endsXMLName { end += 1 }
        guard end < bytes.count, end > start + 1, bytes[end] == .semicolon else {
            throw XMLFault("“&” does not begin a reference here; write “&” as “&amp;”.", at: offset)
        }
        range = start..<end + 1
        name = bytes[start + 1] == .hash ? nil : String(decoding: bytes[start + 1..<end], as: UTF8.self)
    }

    /// The UTF-8 of the character.
    func character(in bytes: [UInt8], reportedAt offset: Int) throws(XMLFault) -> [UInt8] {
        let digits = String(decoding: bytes[range].dropFirst(2).dropLast(), as: UTF8.self)
        let isHexadecimal = digits.hasPrefix("x")
        let code = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let code, !digits.contains("+"), let scalar = Unicode.Scalar(code), scalar.isXML else {
            throw XMLFault("a reference to a character that XML does not allow; remove it.", at: offset)
        }
        return Array(String(scalar).utf8)
    }
}

extension Unicode.Scalar {
    /// Whether a document can hold the character (XML 1.0, 2.2).
    var isXML: Bool {
        switch value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
