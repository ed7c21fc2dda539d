import Sterna

/// The path of a field's name in a JSON body: `user[phones][]` appends an element to a member.
struct NestedKey: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case member(String)
        case element(Int)
        case append
    }

    private static let deepest = 64

    var steps: [Step]

    /// Parses a name; a name that is no well-formed path stands for one member.
    init(_ name: String) {
        steps = Self.path(name) ?? [.member(name)]
    }

    private static func path(_ name: String) -> [Step]? {
        guard let bracket = name.firstIndex(of: "["), bracket > name.startIndex, name.last == "]" else { return nil }
        var steps = [Step.member(String(name[..<bracket]))]
        var rest = name[bracket...]
        while rest.first == "[" {
            guard let end = rest.firstIndex(of: "]"), steps.count < deepest else { return nil }
            let inner = rest[rest.index(after: rest.startIndex)..<end]
            guard !inner.contains("[") else { return nil }
            steps.append(step(inner))
            rest = rest[rest.index(after: end)...]
        }
        return rest.isEmpty ? steps : nil
    }

    private static func step(_ text: Substring) -> Step {
        if text.isEmpty { return .append }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let index = Int(text) { return .element(index) }
        return .member(String(text))
    }

    /// Sets a value in a tree; throws `UsageError` if an element would leave a gap.
    func set(_ value: JSON, in tree: inout JSON) throws(UsageError) {
        try Self.set(value, at: steps[...], in: &tree)
    }

    private static func set(_ value: JSON, at steps: ArraySlice<Step>, in tree: inout JSON) throws(UsageError) {
        guard let step = steps.first else {
            tree = value
            return
        }
        switch step {
        case .member(let key): try set(value, at: steps.dropFirst(), in: &tree[key])
        case .append: try set(value, at: steps.dropFirst(), in: &tree[tree.array?.count ?? 0])
        case .element(let index):
            guard index <= tree.array?.count ?? 0 else {
                throw UsageError(
                    "Element [\(index)] of a field comes before element [\(tree.array?.count ?? 0)].")
            }
            try set(value, at: steps.dropFirst(), in: &tree[index])
        }
    }
}
