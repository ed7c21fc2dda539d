/// A value that may contain others of its type, to any depth.
///
/// Synthesized conformances compare, hash and describe such values by recursion, so deep values overflow the stack.
package protocol TreeNode {
    /// Whether this value can contain others.
    var isContainer: Bool { get }

    /// Returns whether two values are equal, apart from the nested pairs that it adds to `rest`.
    static func matches(_ left: Self, _ right: Self, _ rest: inout [(Self, Self)]) -> Bool
}

extension TreeNode {
    /// The levels that contribute to a hash. Deeper containers contribute only their kind and size.
    package static var hashedLevels: Int { 32 }

    /// Compares two trees with a stack on the heap.
    package static func areEqual(_ left: Self, _ right: Self) -> Bool {
        var rest: [(Self, Self)] = []
        guard matches(left, right, &rest) else { return false }
        return areEqual(&rest)
    }

    /// Compares two lists of trees with a stack on the heap.
    package static func areEqual(_ left: [Self], _ right: [Self]) -> Bool {
        var rest: [(Self, Self)] = []
        guard matches(left, right, &rest) else { return false }
        return areEqual(&rest)
    }

    /// Compares two lists: scalars at once, containers by adding them to `rest`.
    package static func matches(_ left: [Self], _ right: [Self], _ rest: inout [(Self, Self)]) -> Bool {
        guard left.count == right.count else { return false }
        let isSame = left.withUnsafeBufferPointer { left in
            right.withUnsafeBufferPointer { left.baseAddress == $0.baseAddress }
        }
        if isSame { return true }
        for index in left.indices {
            guard left[index].isContainer else {
                guard matches(left[index], right[index], &rest) else { return false }
                continue
            }
            rest.append((left[index], right[index]))
        }
        return true
    }

    private static func areEqual(_ rest: inout [(Self, Self)]) -> Bool {
        while let (left, right) = rest.popLast() {
            guard matches(left, right, &rest) else { return false }
        }
        return true
    }
}

/// A piece of a tree's description: a value to describe, or a text between values.
package enum DescriptionStep<Node> {
    case node(Node)
    case text(String)

    /// Describes a tree with a stack on the heap.
    ///
    /// - Parameter describe: returns the text of a scalar, or the steps of a container in order.
    package static func describe(
        _ node: Node, _ describe: (Node) -> (text: String, steps: [DescriptionStep<Node>])
    ) -> String {
        var result = ""
        var rest = [DescriptionStep.node(node)]
        while let step = rest.popLast() {
            switch step {
            case .text(let text): result += text
            case .node(let node):
                let (text, steps) = describe(node)
                result += text
                rest += steps.reversed()
            }
        }
        return result
    }

    /// The steps of a list of values within brackets.
    package static func list(_ open: String, _ nodes: [Node], _ close: String) -> [DescriptionStep<Node>] {
        var steps = [DescriptionStep.text(open)]
        for (index, node) in nodes.enumerated() {
            if index > 0 { steps.append(.text(", ")) }
            steps.append(.node(node))
        }
        return steps + [.text(close)]
    }

    /// The steps of named values within brackets, as Swift writes dictionaries.
    package static func pairs(_ pairs: some Sequence<(String, Node)>) -> [DescriptionStep<Node>] {
        var steps = [DescriptionStep.text("[")]
        for (name, node) in pairs {
            steps.append(.text("\(steps.count > 1 ? ", " : "")\(name.debugDescription): "))
            if Redaction.isSecret(name[...]) {
                steps.append(.text(Redaction.mark))
            } else {
                steps.append(.node(node))
            }
        }
        if steps.count == 1 { steps.append(.text(":")) }
        return steps + [.text("]")]
    }
}
