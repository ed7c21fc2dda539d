import SternaPlatform

extension ParameterValue: TreeNode {
    package var isContainer: Bool {
        switch self {
        case .array, .set, .dictionary: true
        default: false
        }
    }

    package static func matches(
        _ left: ParameterValue, _ right: ParameterValue, _ rest: inout [(ParameterValue, ParameterValue)]
    ) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.unsigned(let a), .unsigned(let b)): a == b
        // NaN equals itself here, as elements of sets and keys of dictionaries must.
        case (.double(let a), .double(let b)): a == b || a.isNaN && b.isNaN
        case (.decimal(let a), .decimal(let b)): a == b
        case (.string(let a), .string(let b)): a == b
        case (.date(let a), .date(let b)): a == b
        case (.data(let a), .data(let b)): a == b
        case (.array(let a), .array(let b)), (.set(let a), .set(let b)): matches(a, b, &rest)
        case (.dictionary(let a), .dictionary(let b)):
            a.names == b.names && matches(a.contents, b.contents, &rest)
        default: false
        }
    }
}

extension ParameterValue: Hashable {
    /// Whether two values are of one kind and equal; NaN equals NaN. Depth costs no stack.
    public static func == (left: ParameterValue, right: ParameterValue) -> Bool { areEqual(left, right) }

    /// Hashes the value; containers nested deeper than 32 levels contribute only their kind and size.
    public func hash(into hasher: inout Hasher) { hash(into: &hasher, levels: Self.hashedLevels) }

    func hash(into hasher: inout Hasher, levels: Int) {
        hasher.combine(rank)
        switch self {
        case .null: break
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.isNaN ? .nan : value)
        case .decimal(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .array(let elements), .set(let elements):
            hasher.combine(elements.count)
            guard levels > 0 else { return }
            for element in elements { element.hash(into: &hasher, levels: levels - 1) }
        case .dictionary(let parameters): parameters.hash(into: &hasher, levels: levels)
        }
    }
}

extension Parameters: Hashable {
    /// Whether both have equal pairs in the same order. Depth costs no stack.
    public static func == (left: Parameters, right: Parameters) -> Bool {
        left.names == right.names && ParameterValue.areEqual(left.contents, right.contents)
    }

    /// Hashes the pairs; containers nested deeper than 32 levels contribute only their kind and size.
    public func hash(into hasher: inout Hasher) { hash(into: &hasher, levels: ParameterValue.hashedLevels) }

    func hash(into hasher: inout Hasher, levels: Int) {
        hasher.combine(names.count)
        guard levels > 0 else { return }
        for index in names.indices {
            hasher.combine(names[index])
            contents[index].hash(into: &hasher, levels: levels - 1)
        }
    }
}

extension ParameterValue: CustomStringConvertible {
    /// The value in the form of a Swift literal, data as its size, values of secret names as `***`. Depth costs no stack.
    public var description: String {
        DescriptionStep.describe(self) { value in
            switch value {
            case .null: ("null", [])
            case .bool(let value): ("\(value)", [])
            case .integer(let value): ("\(value)", [])
            case .unsigned(let value): ("\(value)", [])
            case .double(let value): ("\(value)", [])
            case .decimal(let value): ("\(value)", [])
            case .string(let value): (value.debugDescription, [])
            case .date(let value): ("\(value)", [])
            case .data(let value): ("\(value.count) bytes", [])
            case .array(let elements): ("", DescriptionStep.list("[", elements, "]"))
            case .set(let elements): ("", DescriptionStep.list("Set([", elements, "])"))
            case .dictionary(let parameters): ("", DescriptionStep.pairs(zip(parameters.names, parameters.contents)))
            }
        }
    }
}

extension Parameters: CustomStringConvertible {
    /// The pairs in order, `["name": "Ada", "age": 36]`, values of secret names as `***`. Depth costs no stack.
    public var description: String { ParameterValue.dictionary(self).description }
}
