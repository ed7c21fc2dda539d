import SternaCore
import SternaPlatform

extension PropertyList: TreeNode {
    package var isContainer: Bool {
        switch self {
        case .array, .dictionary: true
        default: false
        }
    }

    package static func matches(
        _ left: PropertyList, _ right: PropertyList, _ rest: inout [(PropertyList, PropertyList)]
    ) -> Bool {
        switch (left, right) {
        case (.string(let a), .string(let b)): return a == b
        case (.integer(let a), .integer(let b)): return a == b
        case (.unsigned(let a), .unsigned(let b)): return a == b
        // NaN equals itself here, as sets and dictionaries require.
        case (.real(let a), .real(let b)): return a == b || a.isNaN && b.isNaN
        case (.boolean(let a), .boolean(let b)): return a == b
        case (.date(let a), .date(let b)): return a == b
        case (.data(let a), .data(let b)): return a == b
        case (.array(let a), .array(let b)): return matches(a, b, &rest)
        case (.dictionary(let a), .dictionary(let b)):
            guard a.count == b.count else { return false }
            for (name, value) in a {
                guard let other = b[name] else { return false }
                rest.append((value, other))
            }
            return true
        default: return false
        }
    }
}

extension PropertyList: Hashable {
    /// Returns whether two trees have equal values; NaN equals NaN. Does not recurse.
    public static func == (left: PropertyList, right: PropertyList) -> Bool { areEqual(left, right) }

    /// Hashes the tree; for containers nested deeper than 32 levels, only their kind and size.
    public func hash(into hasher: inout Hasher) { hash(into: &hasher, levels: Self.hashedLevels) }

    private func hash(into hasher: inout Hasher, levels: Int) {
        switch self {
        case .string(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.isNaN ? .nan : value)
        case .boolean(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .array(let elements):
            hasher.combine(elements.count)
            guard levels > 0 else { return }
            for element in elements { element.hash(into: &hasher, levels: levels - 1) }
        case .dictionary(let values):
            hasher.combine(values.count)
            guard levels > 0 else { return }
            // A sum, since dictionaries have no order.
            var sum = 0
            for (name, value) in values {
                var member = Hasher()
                member.combine(name)
                value.hash(into: &member, levels: levels - 1)
                sum &+= member.finalize()
            }
            hasher.combine(sum)
        }
    }
}

extension PropertyList: CustomStringConvertible {
    /// The tree in Swift's literal syntax, with the size of data, and `***` for values of secret names. Does not recurse.
    public var description: String {
        DescriptionStep.describe(self) { value in
            switch value {
            case .string(let value): (value.debugDescription, [])
            case .integer(let value): ("\(value)", [])
            case .unsigned(let value): ("\(value)", [])
            case .real(let value): ("\(value)", [])
            case .boolean(let value): ("\(value)", [])
            case .date(let value): ("\(value)", [])
            case .data(let value): ("\(value.count) bytes", [])
            case .array(let elements): ("", DescriptionStep.list("[", elements, "]"))
            case .dictionary(let values):
                ("", DescriptionStep.pairs(PropertyList.sorted(values).map { ($0.key, $0.value) }))
            }
        }
    }
}
