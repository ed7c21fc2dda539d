import SternaCore

extension JSON: TreeNode {
    package var isContainer: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }

    package static func matches(_ left: JSON, _ right: JSON, _ rest: inout [(JSON, JSON)]) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.string(let a), .string(let b)): a == b
        case (.array(let a), .array(let b)): matches(a, b, &rest)
        case (.object(let a), .object(let b)): matches(a, b, &rest)
        default: false
        }
    }

    fileprivate static func matches(
        _ left: JSON.Object, _ right: JSON.Object, _ rest: inout [(JSON, JSON)]
    ) -> Bool {
        guard left.count == right.count else { return false }
        // Compares each value once: a second comparison would double the work at every level of a tree.
        if left.keys == right.keys { return matches(left.values, right.values, &rest) }
        for (key, value) in left {
            guard let other = right[key] else { return false }
            rest.append((value, other))
        }
        return true
    }
}

extension JSON: Hashable {
    /// Returns whether two trees have equal values, regardless of the order of members. Does not recurse.
    public static func == (left: JSON, right: JSON) -> Bool { areEqual(left, right) }

    /// Hashes the tree; for containers nested deeper than 32 levels, only their kind and size.
    public func hash(into hasher: inout Hasher) { hash(into: &hasher, levels: Self.hashedLevels) }

    fileprivate func hash(into hasher: inout Hasher, levels: Int) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .array(let elements):
            hasher.combine(elements.count)
            guard levels > 0 else { return }
            for element in elements { element.hash(into: &hasher, levels: levels - 1) }
        case .object(let object): object.hash(into: &hasher, levels: levels)
        }
    }
}

extension JSON.Object: Hashable {
    /// Returns whether two objects have equal members in any order. Does not recurse.
    public static func == (left: JSON.Object, right: JSON.Object) -> Bool { JSON.object(left) == JSON.object(right) }

    /// Hashes the members; for containers nested deeper than 32 levels, only their kind and size.
    public func hash(into hasher: inout Hasher) { hash(into: &hasher, levels: JSON.hashedLevels) }

    fileprivate func hash(into hasher: inout Hasher, levels: Int) {
        hasher.combine(count)
        guard levels > 0 else { return }
        // A sum is the same in any order of the members.
        var sum = 0
        for (key, value) in self {
            var member = Hasher()
            member.combine(key)
            value.hash(into: &member, levels: levels - 1)
            sum &+= member.finalize()
        }
        hasher.combine(sum)
    }
}
