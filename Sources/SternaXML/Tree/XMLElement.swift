public import Sterna

/// An XML element as a tree that is a value.
///
///     let feed = try XMLElement(parsing: text)
///     let first = feed["channel"]?["item"]?["title"]?.text
///
/// Comments and processing instructions are not part of it, and a CDATA section is text like other text; `XMLEvents` has
/// them. White space between elements is kept.
public struct XMLElement: Sendable {
    /// What an element holds.
    public enum Node: Sendable {
        /// An element.
        case element(XMLElement)
        /// Text, references replaced.
        case text(String)
    }

    /// The greatest number of elements within each other in a tree that is read.
    ///
    /// Releasing a tree takes stack for each level; at this depth it takes less than the 512 KiB that threads may have.
    public static let maximumDepth = 512

    /// The name as written, `dc:title` with its prefix.
    public var name: String

    /// The attributes, namespace declarations included.
    public var attributes: XMLAttributes

    /// The elements and texts in it, in order; of those that were read, never two texts in a row.
    public var children: [Node]

    /// Makes an element.
    public init(_ name: String, attributes: XMLAttributes = [:], children: [Node] = []) {
        self.name = name
        self.attributes = attributes
        self.children = children
    }

    /// Reads a document and gives its root element.
    ///
    /// The encoding is told by a byte order mark, else by `charset`, else by the XML declaration, else it is UTF-8
    /// (RFC 7303, 3).
    ///
    /// - Parameter charset: the character set that Content-Type names.
    /// - Throws: `decodingFailed` or `limitExceeded` with line and column.
    public init(parsing bytes: Bytes, limits: XMLLimits = XMLLimits(), charset: String? = nil) throws(SternaError) {
        self = try XMLTreeBuilder.build(try XMLSource.document(bytes, charset: charset, limits: limits), limits: limits)
    }

    /// Reads the document in a text and gives its root element; the encoding that it declares means nothing.
    ///
    /// - Throws: `decodingFailed` or `limitExceeded` with line and column.
    public init(parsing text: String, limits: XMLLimits = XMLLimits()) throws(SternaError) {
        self = try XMLTreeBuilder.build(try XMLSource.document(text, limits: limits), limits: limits)
    }
}

extension XMLElement {
    /// The name without its prefix.
    public var localName: String {
        name.firstIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
    }

    /// The prefix of the name; nil where it has none.
    public var prefix: String? { name.firstIndex(of: ":").map { String(name[..<$0]) } }

    /// The elements directly within it, in order.
    public var elements: [XMLElement] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// The elements directly within it that have a name as written, in order.
    public func elements(named name: String) -> [XMLElement] { elements.filter { $0.name == name } }

    /// The first element directly within it that has a name as written; nil where there is none.
    public subscript(name: String) -> XMLElement? {
        for case .element(let element) in children where element.name == name { return element }
        return nil
    }

    /// The value of an attribute by its name as written; nil where there is none.
    public func attribute(_ name: String) -> String? { attributes[name] }

    /// All text within it at any depth, joined in order, white space included.
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
