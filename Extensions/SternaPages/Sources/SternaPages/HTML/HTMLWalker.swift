/// Goes through the references of a document once, in order, and puts others in their place.
struct HTMLWalker {
    /// Returns what stands in a reference's place; nil leaves it as it is.
    typealias Replacing = (ReferenceUse) -> Replacement?

    /// What stands in a reference's place.
    struct Replacement: Sendable, Hashable {
        var text: String
        /// Whether it leads to what was saved, and not to the network.
        var isSaved = false
    }

    /// How many documents in attributes are read within each other.
    private static let innerDocuments = 3

    private var innerDepth = 0
    private let limits: HTMLParser.Limits

    init(limits: HTMLParser.Limits = HTMLParser.Limits()) { self.limits = limits }

    /// Returns the document with other references, and without `base` and what keeps them from being used.
    func rewrite(_ document: HTMLDocument, _ replace: Replacing) -> HTMLDocument {
        var result = HTMLDocument()
        result.nodes.reserveCapacity(document.nodes.count)
        var isInStyle = false
        for node in document.nodes {
            switch node {
            case .start(let element):
                isInStyle = element.name == "style" && Self.isCSS(element)
                guard !HTMLAttributeRule.isDropped(element) else { continue }
                let new = rewrite(element, replace)
                if new.name == "base", new.attributes.isEmpty { continue }
                result.nodes.append(.start(new))
            case .raw(let text) where isInStyle:
                result.nodes.append(.raw(Self.rewrite(css: text, replace)))
            case .end:
                isInStyle = false
                result.nodes.append(node)
            default: result.nodes.append(node)
            }
        }
        return result
    }

    private static func isCSS(_ element: HTMLElement) -> Bool {
        guard let type = element["type"]?.lowercased(), !type.isEmpty else { return true }
        return type == "text/css"
    }

    private func rewrite(_ element: HTMLElement, _ replace: Replacing) -> HTMLElement {
        var new = element
        if element.name == "base" {
            new.attributes.removeAll { $0.name == "href" }
            return new
        }
        var hasSaved = false
        func replaced(_ use: ReferenceUse) -> String? {
            let replacement = replace(use)
            if replacement?.isSaved == true { hasSaved = true }
            return replacement?.text
        }
        for (index, attribute) in element.attributes.enumerated() {
            guard let value = attribute.value, let rule = HTMLAttributeRule.rule(for: attribute.name, of: element)
            else { continue }
            switch rule {
            case .reference(let kind):
                if let text = replaced(ReferenceUse(text: value, kind: kind)) { new.attributes[index].value = text }
            case .candidates:
                new.attributes[index].value = Srcset.rewrite(value) {
                    replaced(ReferenceUse(text: $0, kind: .resource))
                }
            case .style: new.attributes[index].value = Self.rewrite(css: value, replace)
            case .document: new.attributes[index].value = rewrite(inner: value, replace)
            case .binding, .dropped: break
            }
        }
        new.attributes.removeAll { attribute in
            switch HTMLAttributeRule.rule(for: attribute.name, of: element) {
            case .binding: hasSaved
            case .dropped: true
            default: false
            }
        }
        return new
    }

    private static func rewrite(css text: String, _ replace: Replacing) -> String {
        let bytes = CSSReferences.rewrite(Array(text.utf8)) { replace($0)?.text }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Rewrites a document in an attribute. It calls itself so often at most as ``innerDocuments`` says.
    private func rewrite(inner text: String, _ replace: Replacing) -> String {
        guard innerDepth < Self.innerDocuments, let document = try? HTMLParser.parse(text, limits: limits) else {
            return text
        }
        var walker = self
        walker.innerDepth += 1
        return HTMLWriter.text(of: walker.rewrite(document, replace), declaresEncoding: false)
    }
}
