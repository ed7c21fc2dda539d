/// A document as a list of what stands in it, in order: no tree, so that nothing walks it recursively.
struct HTMLDocument: Sendable, Hashable {
    var nodes: [HTMLNode] = []

    /// The `href` of the first `base` element that has one.
    var baseReference: String? {
        for case .start(let element) in nodes where element.name == "base" {
            if let reference = element["href"] { return reference }
        }
        return nil
    }
}

/// A piece of a document.
enum HTMLNode: Sendable, Hashable {
    case doctype(name: String, publicID: String?, systemID: String?)
    case start(HTMLElement)
    case end(String)
    /// Text, its character references resolved.
    case text(String)
    /// A character reference that libxml2 does not know, by its name; browsers know more of them.
    case reference(String)
    /// Text of `script` or `style`, which has no character references.
    case raw(String)
    case comment(String)
}

/// A start tag.
struct HTMLElement: Sendable, Hashable {
    /// In lower case.
    var name: String
    var attributes: [HTMLAttribute] = []

    /// The value of an attribute, by its name in lower case; empty if it has none, nil if the attribute is not there.
    subscript(name: String) -> String? {
        for attribute in attributes where attribute.name == name { return attribute.value ?? "" }
        return nil
    }

    /// The words of an attribute in lower case.
    func words(of name: String) -> [String] {
        self[name]?.lowercased().split(whereSeparator: \.isWhitespace).map(String.init) ?? []
    }

    /// The elements that have no content and no end tag (HTML Standard, 13.1.2).
    static let void: Set<String> = [
        "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link",
        "meta", "param", "source", "track", "wbr",
    ]

    var isVoid: Bool { Self.void.contains(name) }
}

/// An attribute of a start tag.
struct HTMLAttribute: Sendable, Hashable {
    /// In lower case.
    var name: String
    /// Nil if only the name is written.
    var value: String?
}
