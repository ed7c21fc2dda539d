import Sterna

extension XMLElement.Node: TreeNode {
    package var isContainer: Bool {
        if case .element = self { true } else { false }
    }

    package static func matches(
        _ left: XMLElement.Node, _ right: XMLElement.Node, _ rest: inout [(XMLElement.Node, XMLElement.Node)]
    ) -> Bool {
        switch (left, right) {
        case (.text(let a), .text(let b)): a == b
        case (.element(let a), .element(let b)):
            a.name == b.name && a.attributes == b.attributes && matches(a.children, b.children, &rest)
        default: false
        }
    }
}

extension XMLElement.Node: Hashable {
    /// Whether two nodes are equal, their content included. Depth costs no stack.
    public static func == (left: XMLElement.Node, right: XMLElement.Node) -> Bool { areEqual(left, right) }

    /// Hashes the node; elements nested deeper than 32 levels contribute only their names and sizes.
    public func hash(into hasher: inout Hasher) { hash(into: &hasher, levels: Self.hashedLevels) }

    fileprivate func hash(into hasher: inout Hasher, levels: Int) {
        switch self {
        case .text(let text): hasher.combine(text)
        case .element(let element): element.hash(into: &hasher, levels: levels)
        }
    }
}

extension XMLElement: Hashable {
    /// Whether two elements have equal names, attributes and content. Depth costs no stack.
    public static func == (left: XMLElement, right: XMLElement) -> Bool { Node.element(left) == Node.element(right) }

    /// Hashes the element; elements nested deeper than 32 levels contribute only their names and sizes.
    public func hash(into hasher: inout Hasher) { hash(into: &hasher, levels: Node.hashedLevels) }

    fileprivate func hash(into hasher: inout Hasher, levels: Int) {
        hasher.combine(name)
        hasher.combine(attributes)
        hasher.combine(children.count)
        guard levels > 0 else { return }
        for child in children { child.hash(into: &hasher, levels: levels - 1) }
    }
}

extension XMLElement.Node: CustomStringConvertible {
    /// The node as XML, like ``XMLElement/description``.
    public var description: String {
        switch self {
        case .text(let text): XMLElement.escaped(text, isAttribute: false)
        case .element(let element): element.description
        }
    }
}
