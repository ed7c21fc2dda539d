/// Prepares a document for Foundation's parser, and refuses documents that must not reach it.
///
/// The parser on Linux dereferences a null pointer for a processing instruction without data, loses the text of entities, and
/// compares each attribute with every other one. The preparation therefore adds a space to such instructions, replaces entities,
/// and counts attributes. It removes a document type declaration if one is allowed.
struct XMLPreparation {
    /// The longest name in bytes: comparing names takes time that grows with the square of their combining marks.
    static let maximumName = 1_000

    private let bytes: [UInt8]
    private let limits: XMLLimits
    private var entities: EntityTable
    private var output: [UInt8] = []
    private var copied = 0
    private var isBeforeRoot = true
    private var hasDocumentType = false

    /// Returns the document for the parser.
    static func prepare(_ bytes: [UInt8], limits: XMLLimits) throws(XMLFault) -> [UInt8] {
        var preparation = XMLPreparation(bytes, limits)
        return try preparation.run()
    }

    private init(_ bytes: [UInt8], _ limits: XMLLimits) {
        self.bytes = bytes
        self.limits = limits
        entities = EntityTable(limit: limits.entityBytes)
    }

    private mutating func run() throws(XMLFault) -> [UInt8] {
        var scanner = MarkupScanner(bytes)
        var others = 0
        while let markup = try scanner.next() {
            if [.comment, .cdata, .instruction].contains(markup.kind) {
                others += 1
                guard others <= limits.elements else {
                    throw .limit(
                        "it has more than \(limits.elements) comments, CDATA sections and instructions. "
                            + "Raise XMLLimits.elements for more.", at: markup.range.lowerBound)
                }
            }
            switch markup.kind {
            case .documentType:
                scanner.skip(to: try takeDocumentType(at: markup.range.lowerBound))
            case .instruction: try padInstruction(markup.range)
            case .startTag:
                isBeforeRoot = false
                try checkAttributes(markup.range)
                try replaceReferences(in: markup.range)
            case .text: try replaceReferences(in: markup.range)
            case .cdata:
                guard !isBeforeRoot else {
                    throw XMLFault("a CDATA section outside the root element.", at: markup.range.lowerBound)
                }
            case .endTag, .comment: break
            }
        }
        if copied == 0 { return bytes }
        output += bytes[copied...]
        return output
    }

    private mutating func takeDocumentType(at start: Int) throws(XMLFault) -> Int {
        guard limits.allowsDocumentType else {
            throw XMLFault(
                "a DOCTYPE, which is refused. Set XMLLimits.allowsDocumentType if you trust the sender.",
                at: start)
        }
        guard isBeforeRoot, !hasDocumentType else {
            throw XMLFault("a DOCTYPE can stand once, before the root element.", at: start)
        }
        hasDocumentType = true
        let end = try DocumentType.read(bytes, at: start, into: &entities)
        var blanks = Array(bytes[start..<end])
        blanks.blank(0..<blanks.count)
        replace(start..<end, with: blanks)
        return end
    }

    private mutating func padInstruction(_ range: Range<Int>) throws(XMLFault) {
        let content = bytes[range].dropFirst(2).dropLast(2)
        guard !content.isEmpty else {
            throw XMLFault("a processing instruction without a target.", at: range.lowerBound)
        }
        if !content.contains(where: \.isXMLSpace) { replace(content.endIndex..<content.endIndex, with: [.space]) }
    }

    private func checkAttributes(_ tag: Range<Int>) throws(XMLFault) {
        let names = MarkupScanner.attributeNames(of: tag, in: bytes)
        for name in names + [MarkupScanner.name(of: tag, in: bytes)] where name.count > Self.maximumName {
            throw .limit("a name is longer than \(Self.maximumName) bytes.", at: name.lowerBound)
        }
        let count = names.count
        guard count <= limits.attributes else {
            throw .limit(
                "an element has \(count) attributes; at most \(limits.attributes) are read. "
                    + "Raise XMLLimits.attributes for more.", at: tag.lowerBound)
        }
    }

    private mutating func replaceReferences(in range: Range<Int>) throws(XMLFault) {
        var index = range.lowerBound
        while let start = bytes[index..<range.upperBound].firstIndex(of: .ampersand) {
            let reference = try Reference(in: bytes, at: start, reportedAt: start)
            if reference.name == nil { _ = try reference.character(in: bytes, reportedAt: start) }
            if let name = reference.name, !EntityTable.isPredefined(name) {
                replace(reference.range, with: try entities.expand(name, at: start))
            }
            index = reference.range.upperBound
        }
    }

    private mutating func replace(_ range: Range<Int>, with replacement: [UInt8]) {
        output += bytes[copied..<range.lowerBound]
        output += replacement
        copied = range.upperBound
    }
}
