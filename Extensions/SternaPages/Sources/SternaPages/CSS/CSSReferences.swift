/// Finds the references of a style sheet, or of declarations, and puts others in their place.
enum CSSReferences {
    /// Puts other references in the place of all, and leaves every other byte as it is.
    ///
    /// - Parameter replace: returns what stands in a reference's place; nil leaves it as it is.
    static func rewrite(_ bytes: [UInt8], _ replace: (ReferenceUse) -> String?) -> [UInt8] {
        var result: [UInt8] = []
        var copied = 0
        for reference in all(in: bytes) {
            guard let new = replace(reference.use) else { continue }
            result += bytes[copied..<reference.range.lowerBound]
            result +=
                reference.isQuoted
                ? CSSEscaping.string(new, quote: bytes[reference.range.lowerBound]) : CSSEscaping.url(new)
            copied = reference.range.upperBound
        }
        guard copied > 0 else { return bytes }
        result += bytes[copied...]
        return result
    }

    /// A reference with its place.
    struct Found: Sendable, Hashable {
        /// The bytes that stand for it, with quotes if there are any.
        var range: Range<Int>
        var use: ReferenceUse
        var isQuoted: Bool
    }

    /// Returns the references in their order.
    static func all(in bytes: [UInt8]) -> [Found] {
        var finder = CSSReferenceFinder()
        var scanner = CSSScanner(bytes)
        while let token = scanner.next() { finder.take(token) }
        return finder.found
    }
}

/// Knows which strings and URLs of the tokens are references.
private struct CSSReferenceFinder {
    /// What an opening bracket began.
    private enum Block {
        case curly
        case square
        case round
        /// `url(` or `src(`, whose string is a reference.
        case url
        /// `image-set(`, whose own strings are references.
        case imageSet
    }

    /// Where in an at-rule the tokens stand.
    private enum Rule {
        case none
        /// Behind `@import`, before its reference.
        case importing
        /// Up to the rule's block or end nothing is fetched.
        case silent
    }

    private(set) var found: [CSSReferences.Found] = []
    private var blocks: [Block] = []
    private var rule = Rule.none
    /// The number of blocks around the rule.
    private var ruleDepth = 0

    mutating func take(_ token: CSSToken) {
        switch token {
        case .space, .comment: return
        case .string: break
        // Only the first token of `url(` may be its reference.
        default: if blocks.last == .url { blocks[blocks.count - 1] = .round }
        }
        switch token {
        case .space, .comment: break
        case .atKeyword(let name): begin(name)
        case .string(let text):
            if rule == .importing, blocks.count == ruleDepth {
                add(text, .importedSheet, isQuoted: true)
                rule = .silent
            } else if blocks.last == .url || blocks.last == .imageSet {
                addNested(text)
            } else {
                endImporting()
            }
        case .url(let text):
            if rule == .importing {
                add(text, .importedSheet, isQuoted: false)
                rule = .silent
            } else if rule == .none {
                add(text, .resource, isQuoted: false)
            }
        case .function(let name):
            let block: Block = name == "url" || name == "src" ? .url : name.hasSuffix("image-set") ? .imageSet : .round
            if block != .url { endImporting() }
            blocks.append(block)
        case .openCurly:
            if blocks.count == ruleDepth { rule = .none }
            blocks.append(.curly)
        case .openRound:
            endImporting()
            blocks.append(.round)
        case .openSquare:
            endImporting()
            blocks.append(.square)
        case .closeCurly:
            if blocks.last == .curly { blocks.removeLast() }
            if blocks.count < ruleDepth || rule == .none { endRule() }
        case .closeRound:
            if let last = blocks.last, last != .curly, last != .square { blocks.removeLast() }
        case .closeSquare: if blocks.last == .square { blocks.removeLast() }
        case .semicolon: if blocks.count <= ruleDepth { endRule() }
        case .badString, .badURL, .other: endImporting()
        }
    }

    private mutating func begin(_ name: String) {
        endImporting()
        guard rule == .none else { return }
        ruleDepth = blocks.count
        switch name {
        case "import" where blocks.isEmpty: rule = .importing
        // Names and conditions that look like references.
        case "import", "namespace", "charset", "document", "-moz-document": rule = .silent
        default: break
        }
    }

    /// Whatever else stands behind `@import` is no reference.
    private mutating func endImporting() { if rule == .importing { rule = .silent } }

    private mutating func endRule() {
        rule = .none
        ruleDepth = blocks.count
    }

    private mutating func addNested(_ text: CSSToken.Text) {
        if blocks.last == .url { blocks[blocks.count - 1] = .round }
        switch rule {
        case .importing where blocks.count == ruleDepth + 1:
            add(text, .importedSheet, isQuoted: true)
            rule = .silent
        case .none: add(text, .resource, isQuoted: true)
        default: break
        }
    }

    private mutating func add(_ text: CSSToken.Text, _ kind: ReferenceKind, isQuoted: Bool) {
        found.append(
            CSSReferences.Found(range: text.range, use: ReferenceUse(text: text.value, kind: kind), isQuoted: isQuoted))
    }
}
