/// The limits of an XML document; one that exceeds them is refused with `limitExceeded`.
///
/// In addition, no tag, comment, CDATA section or processing instruction may be longer than 8 MiB, which Foundation's parser
/// still accepts. Only the document's own limit bounds text between tags.
public struct XMLLimits: Sendable, Hashable, Codable {
    /// The maximum depth of nested elements, 256 by default; for a tree at most ``XMLElement/maximumDepth``.
    public var depth: Int

    /// The maximum length of the document in bytes as received; 64 MiB by default.
    public var bytes: Int

    /// The maximum number of elements, and also of comments, CDATA sections and instructions together; a million by default.
    public var elements: Int

    /// The maximum number of attributes of one element, namespace declarations included; 256 by default.
    ///
    /// The check for duplicate attributes takes time that grows with the square of their number.
    public var attributes: Int

    /// The maximum number of namespace declarations in force at one place; 256 by default.
    ///
    /// Each prefix of a name is searched in all of them.
    public var namespaces: Int

    /// The maximum number of bytes that entities of a document type declaration may expand to in all; 1 MiB by default.
    public var entityBytes: Int

    /// Whether a document type declaration is allowed; no by default.
    ///
    /// If it is, entities declared as plain text are replaced. Nothing outside the document is ever loaded. Declarations that
    /// would change the document in other ways are refused by name: entities that contain markup, references to external
    /// entities, parameter entities, default values of attributes.
    public var allowsDocumentType: Bool

    /// Makes limits.
    public init(
        depth: Int = 256, bytes: Int = 64 << 20, elements: Int = 1_000_000, attributes: Int = 256,
        namespaces: Int = 256, entityBytes: Int = 1 << 20, allowsDocumentType: Bool = false
    ) {
        self.depth = depth
        self.bytes = bytes
        self.elements = elements
        self.attributes = attributes
        self.namespaces = namespaces
        self.entityBytes = entityBytes
        self.allowsDocumentType = allowsDocumentType
    }
}
