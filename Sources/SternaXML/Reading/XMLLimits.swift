/// What an XML document may hold and cost before it is refused with `limitExceeded`.
///
/// Besides these, no tag, comment, CDATA section or processing instruction may be longer than 8 MiB, which is within what
/// Foundation's parser takes; text between tags has no bound but that of the document.
public struct XMLLimits: Sendable, Hashable, Codable {
    /// The greatest number of elements within each other, 256 by default; for a tree at most
    /// ``XMLElement/maximumDepth``.
    public var depth: Int

    /// The greatest length of the document in bytes as they came; 64 MiB by default.
    public var bytes: Int

    /// The greatest number of elements, and of comments, CDATA sections and instructions; a million by default.
    public var elements: Int

    /// The greatest number of attributes of one element, namespace declarations included; 256 by default.
    ///
    /// Looking for an attribute that is there twice takes time by the square of their number.
    public var attributes: Int

    /// The greatest number of namespace declarations in force at one place; 256 by default.
    ///
    /// Each name with a prefix is looked up among them in turn.
    public var namespaces: Int

    /// The greatest number of bytes that entities of a document type declaration may become in all; 1 MiB by default.
    public var entityBytes: Int

    /// Whether a document type declaration is allowed; no by default.
    ///
    /// Where it is, entities that it declares as plain text are replaced. Nothing outside the document is ever loaded,
    /// and what would change the document in other ways is refused by name: entities with markup in them, external
    /// entities that are referred to, parameter entities, default values of attributes.
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
