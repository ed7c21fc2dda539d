/// Reads a document type declaration for its entities (XML 1.0, 2.8), and refuses declarations that would change the document.
struct DocumentType {
    private let bytes: [UInt8]
    private var index: Int
    private let start: Int
    private var table: EntityTable

    /// Reads the declaration at an index; returns the index after it, and the table with its entities.
    static func read(
        _ bytes: [UInt8], at start: Int, into table: inout EntityTable
    ) throws(XMLFault) -> Int {
        var reader = DocumentType(bytes: bytes, index: start + "<!DOCTYPE".utf8.count, start: start, table: table)
        try reader.read()
        table = reader.table
        return reader.index
    }

    private mutating func read() throws(XMLFault) {
        guard index < bytes.count, bytes[index].isXMLSpace else {
            throw XMLFault("the DOCTYPE names no element.", at: start)
        }
        while true {
            switch try nextByte() {
            case .greater: return
            case .quote, .apostrophe: _ = try literal()
            case UInt8(ascii: "["): try readSubset()
            case .less: throw XMLFault("markup within the DOCTYPE, outside its brackets.", at: index - 1)
            default: break
            }
        }
    }

    private mutating func readSubset() throws(XMLFault) {
        while true {
            let byte = try nextByte()
            if byte.isXMLSpace { continue }
            switch byte {
            case UInt8(ascii: "]"): return
            case .less: try readDeclaration(at: index - 1)
            case .percent: throw XMLFault("the DOCTYPE uses a parameter entity; they are not supported.", at: index - 1)
            default: throw XMLFault("text between the declarations of the DOCTYPE.", at: index - 1)
            }
        }
    }

    private mutating func readDeclaration(at start: Int) throws(XMLFault) {
        if try skip("<!--", to: "-->", at: start) { return }
        if try skip("<?", to: "?>", at: start) { return }
        if bytes.has(Array("<!ENTITY".utf8), at: start) {
            index = start + "<!ENTITY".utf8.count
            try readEntity(at: start)
        } else if bytes.has(Array("<!ATTLIST".utf8), at: start) {
            if try skipDeclaration(at: start) {
                throw XMLFault("the DOCTYPE gives attributes default values; they are not supported.", at: start)
            }
        } else if bytes.has(Array("<!ELEMENT".utf8), at: start) || bytes.has(Array("<!NOTATION".utf8), at: start) {
            _ = try skipDeclaration(at: start)
        } else {
            throw XMLFault("an unknown declaration in the DOCTYPE.", at: start)
        }
    }

    private mutating func readEntity(at start: Int) throws(XMLFault) {
        try requireSpace(at: start)
        let isParameter = bytes.has([.percent], at: index)
        if isParameter {
            index += 1
            try requireSpace(at: start)
        }
        let name = word()
        guard !name.isEmpty else { throw XMLFault("an entity without a name.", at: start) }
        try requireSpace(at: start)
        let byte = try nextByte()
        if byte == .quote || byte == .apostrophe {
            let value = try literal()
            if !isParameter { try table.declare(name, value: bytes[value], at: value.lowerBound) }
        } else {
            let external = String(decoding: [byte], as: UTF8.self) + word()
            guard external == "SYSTEM" || external == "PUBLIC" else {
                throw XMLFault("the entity \(XMLFailure.quoted(name)) has no value.", at: start)
            }
            if !isParameter { table.declareExternal(name) }
        }
        _ = try skipDeclaration(at: start)
    }

    // MARK: Pieces

    /// Skips to the end of a declaration; returns whether it contained a quoted literal.
    private mutating func skipDeclaration(at start: Int) throws(XMLFault) -> Bool {
        var hasLiteral = false
        while true {
            switch try nextByte() {
            case .greater: return hasLiteral
            case .quote, .apostrophe:
                _ = try literal()
                hasLiteral = true
            case .less: throw XMLFault("a declaration of the DOCTYPE does not end.", at: start)
            case .percent: throw XMLFault("the DOCTYPE uses a parameter entity; they are not supported.", at: index - 1)
            default: break
            }
        }
    }

    private mutating func skip(_ opening: String, to closing: String, at start: Int) throws(XMLFault) -> Bool {
        guard bytes.has(Array(opening.utf8), at: start) else { return false }
        guard let end = bytes.firstRange(of: Array(closing.utf8), from: start + opening.utf8.count) else {
            throw XMLFault("what begins here does not end; \(XMLReason.truncated)", at: start)
        }
        index = end.upperBound
        return true
    }

    /// Reads the rest of a quoted literal whose opening quote was just read.
    private mutating func literal() throws(XMLFault) -> Range<Int> {
        let quote = bytes[index - 1]
        guard let end = bytes[index...].firstIndex(of: quote) else { throw cutOff }
        defer { index = end + 1 }
        return index..<end
    }

    private mutating func word() -> String {
        let first = index
        while index < bytes.count, !bytes[index].endsXMLName { index += 1 }
        return String(decoding: bytes[first..<index], as: UTF8.self)
    }

    private mutating func requireSpace(at start: Int) throws(XMLFault) {
        let first = index
        while index < bytes.count, bytes[index].isXMLSpace { index += 1 }
        guard index > first else {
            throw XMLFault("white space is missing in a declaration of the DOCTYPE.", at: start)
        }
    }

    private mutating func nextByte() throws(XMLFault) -> UInt8 {
        guard index < bytes.count else { throw cutOff }
        defer { index += 1 }
        return bytes[index]
    }

    private var cutOff: XMLFault {
        XMLFault("the DOCTYPE that begins here does not end; \(XMLReason.truncated)", at: start)
    }
}
