import Sterna

/// Builds a tree from events.
struct XMLTreeBuilder {
    private var open: [XMLElement] = []
    private var root: XMLElement?

    /// Text on both sides of a CDATA section or a comment is joined.
    private var text = ""

    static func build(_ source: [UInt8], limits: XMLLimits) throws(SternaError) -> XMLElement {
        var limits = limits
        limits.depth = min(limits.depth, XMLElement.maximumDepth)
        var builder = XMLTreeBuilder()
        do {
            try XMLReader.read(source, limits: limits) { builder.add($0) }
        } catch {
            throw SternaError.wrap(error, as: .decodingFailed, phase: .decode, "The XML cannot be read: \(error)")
        }
        guard let root = builder.root else { throw XMLFailure.emptyInput() }
        return root
    }

    private mutating func add(_ event: XMLEvent) {
        switch event {
        case .start(let name, let attributes):
            finishText()
            open.append(XMLElement(name, attributes: attributes))
        case .end:
            finishText()
            guard let element = open.popLast() else { return }
            if open.isEmpty { root = element } else { open[open.count - 1].children.append(.element(element)) }
        case .text(let piece), .cdata(let piece): text += piece
        case .comment, .instruction: break
        }
    }

    private mutating func finishText() {
        guard let last = open.indices.last, !text.isEmpty else { return }
        open[last].children.append(.text(text))
        text = ""
    }
}
