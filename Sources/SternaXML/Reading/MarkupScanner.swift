/// Splits a document into markup and text, without interpreting names (XML 1.0, 2.4).
///
/// It is stricter than necessary: a “<” within a tag is a fault at once. Text that a lenient reader would take for markup is
/// therefore scanned as markup here, too.
struct MarkupScanner {
    enum Kind: Equatable {
        case text, startTag, endTag, comment, cdata, instruction, documentType
    }

    struct Markup: Equatable {
        var kind: Kind
        var range: Range<Int>
    }

    /// The longest piece of markup; Foundation's parser fails at 10,000,000 bytes without a reason.
    static let maximumMarkup = 8 << 20

    let bytes: [UInt8]
    private(set) var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next piece; nil at the end. A document type ends where its name begins; ``skip(to:)`` moves past it.
    mutating func next() throws(XMLFault) -> Markup? {
        guard index < bytes.count else { return nil }
        let start = index
        let kind = kind(at: start)
        let markup = Markup(kind: kind, range: start..<(try end(of: kind, from: start)))
        if markup.kind != .text, markup.range.count > Self.maximumMarkup {
            throw .limit(
                "a single tag, comment, CDATA section or instruction is longer than \(Self.maximumMarkup) bytes.",
                at: start)
        }
        index = markup.range.upperBound
        return markup
    }

    /// Continues at an index.
    mutating func skip(to index: Int) { self.index = max(index, self.index) }

    /// Returns the ranges of the names of a start tag's attributes, in order.
    static func attributeNames(of tag: Range<Int>, in bytes: [UInt8]) -> [Range<Int>] {
        var names: [Range<Int>] = []
        var quote: UInt8?
        var start: Int?
        var end = tag.lowerBound
        for index in tag {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == .quote || byte == .apostrophe {
                quote = byte
            } else if byte == .equals {
                if let start { names.append(start..<end) }
                start = nil
            } else if byte.endsXMLName {
                continue
            } else {
                // A byte of a name begins one if the byte before it is not of a name.
                if start == nil || bytes[index - 1].endsXMLName { start = index }
                end = index + 1
            }
        }
        return names
    }

    /// Returns the range of the name of a start tag.
    static func name(of tag: Range<Int>, in bytes: [UInt8]) -> Range<Int> {
        let start = tag.lowerBound + 1
        var end = start
        while end < tag.upperBound, !bytes[end].endsXMLName { end += 1 }
        return start..<end
    }

    private static let commentStart = Array("<!--".utf8)
    private static let cdataStart = Array("<![CDATA[".utf8)
    private static let documentTypeStart = Array("<!DOCTYPE".utf8)

    private func kind(at start: Int) -> Kind {
        guard bytes[start] == .less else { return .text }
        guard start + 1 < bytes.count else { return .startTag }
        switch bytes[start + 1] {
        case .slash: return .endTag
        case .question: return .instruction
        case .bang:
            if bytes.has(Self.cdataStart, at: start) { return .cdata }
            return bytes.has(Self.documentTypeStart, at: start) ? .documentType : .comment
        default: return .startTag
        }
    }

    private func end(of kind: Kind, from start: Int) throws(XMLFault) -> Int {
        switch kind {
        case .text: return bytes[start...].firstIndex(of: .less) ?? bytes.count
        case .startTag, .endTag: return try endOfTag(from: start)
        case .documentType: return start + Self.documentTypeStart.count
        case .cdata:
            return try end("]]>", from: start + Self.cdataStart.count, of: "the CDATA section", at: start)
        case .instruction: return try end("?>", from: start + 2, of: "the processing instruction", at: start)
        case .comment:
            guard bytes.has(Self.commentStart, at: start) else {
                throw XMLFault(
                    "“<!” does not begin a comment, a CDATA section or a DOCTYPE here.", at: start)
            }
            return try end("-->", from: start + Self.commentStart.count, of: "the comment", at: start)
        }
    }

    private func end(_ mark: String, from: Int, of what: String, at start: Int) throws(XMLFault) -> Int {
        guard let range = bytes.firstRange(of: Array(mark.utf8), from: from) else {
            throw XMLFault("\(what) that begins here does not end; \(XMLReason.truncated)", at: start)
        }
        return range.upperBound
    }

    private func endOfTag(from start: Int) throws(XMLFault) -> Int {
        var quote: UInt8?
        var index = start + 1
        while index < bytes.count {
            let byte = bytes[index]
            if byte == .less {
                throw XMLFault(
                    quote == nil
                        ? "a tag begins within a tag; write “<” in text as “&lt;”."
                        : "“<” cannot stand in an attribute's value; it is written “&lt;”.", at: index)
            }
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == .quote || byte == .apostrophe {
                quote = byte
            } else if byte == .greater {
                return index + 1
            }
            index += 1
        }
        throw XMLFault("the tag that begins here does not end; \(XMLReason.truncated)", at: start)
    }
}
