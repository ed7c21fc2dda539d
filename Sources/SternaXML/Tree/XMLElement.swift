public import Sterna

/// An XML element: a tree with value semantics.
///
///     let feed = try XMLElement(parsing: text)
///     let first = feed["channel"]?["item"]?["title"]?.text
///
/// It leaves out comments and processing instructions, and a CDATA section is text like other text; `XMLEvents` reports them.
/// White space between elements is kept.
public struct XMLElement: Sendable {
    /// A child of an element.
    public enum Node: Sendable {
        /// An element.
        case element(XMLElement)
        /// Text with references replaced.
        case text(String)
    }

    /// The maximum depth of nested elements in a parsed tree.
    ///
    /// Releasing a tree takes stack for each level; at this depth it takes less than the 512 KiB that threads may have.
    public static let maximumDepth = 512

    /// The name as written, `dc:title` with its prefix.
    public var name: String

    /// The attributes, namespace declarations included.
    public var attributes: XMLAttributes

    /// The child elements and texts, in order; a parsed element never has two texts in a row.
    public var children: [Node]

    /// Makes an element.
    public init(_ name: String, attributes: XMLAttributes = [:], children: [Node] = []) {
        self.name = name
        self.attributes = attributes
        self.children = children
    }

    /// Parses a document and returns its root element.
    ///
    /// A byte order mark determines the encoding, else `charset`, else the XML declaration; the default is UTF-8 (RFC 7303, 3).
    ///
    /// - Parameter charset: the character set that Content-Type names.
    /// - Throws: `decodingFailed` or `limitExceeded`, with line and column if the fault has a place.
    public init(parsing bytes: Bytes, limits: XMLLimits = XMLLimits(), charset: String? = nil) throws(SternaError) {
        self = try XMLTreeBuilder.build(try XMLSource.document(bytes, charset: charset, limits: limits), limits: limits)
    }

    /// Parses the document in a text and returns its root element; ignores the encoding that the document declares.
    ///
    /// - Throws: `decodingFailed` or `limitExceeded`, with line and column if the fault has a place.
    public init(parsing text: String, limits: XMLLimits = XMLLimits()) throws(SternaError) {
        self = try XMLTreeBuilder.build(try XMLSource.document(text, limits: limits), limits: limits)
    }
}

extension XMLElement {
    /// The name without its prefix.
    public var localName: String {
        name.firstIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
    }

    /// The prefix of the name; nil if there is none.
    public var prefix: String? { name.firstIndex(of: ":").map { String(name[..<$0]) } }

    /// The child elements, in order.
    public var elements: [XMLElement] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// Returns the child elements with a name as written, in order.
    public func elements(named name: String) -> [XMLElement] { elements.filter { $0.name == name } }

    /// The first child element with a name as written; nil if there is none.
    public subscript(name: String) -> XMLElement? {
        for case .element(let element) in children where element.name == name { return element }
        return nil
    }

    /// Returns the value of an attribute by its name as written; nil if there is none.
    public func attribute(_ name: String) -> String? { attributes[name] }

    /// All text in the element at any depth, joined in order, white space included.
    public var text: String {
        var result = ""
        var rest: [Node] = children.reversed()
        while let node = rest.popLast() {
            switch node {
            case .text(let text): result += text
            case .element(let element): rest += element.children.reversed()
            }
        }
        return result
    }
}

extension XMLElement.Node: ExpressibleByStringInterpolation {
    /// Makes a text.
    public init(stringLiteral value: String) { self = .text(value) }
}
