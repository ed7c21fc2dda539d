import Sterna
import SternaPlatform

@testable import SternaTestSupport

/// A choice of every option that the readers can see, and what they then have to read, worked out of the parameters alone.
struct QueryExpectation: Sendable {
    enum Arrays: String, Sendable, CaseIterable {
        case brackets, none, indices, custom
    }

    var arrays: Arrays
    var booleans: QueryEncoder.BooleanStyle
    var spaces: QueryEncoder.SpaceStyle
    var nulls: QueryEncoder.NullStyle
    var sortsKeys: Bool
    var allowedInNames: QueryEncoder.AllowedCharacters
    var allowedInValues: QueryEncoder.AllowedCharacters

    init(_ arrays: Arrays, choosingBy generator: inout ParameterGenerator) {
        self.arrays = arrays
        booleans = generator.pick([.numeric, .literal])
        spaces = generator.pick([.percent, .plus])
        nulls = generator.pick([.bareKey, .emptyValue, .literal, .omitted])
        sortsKeys = generator.chance(50)
        let everything = QueryEncoder.AllowedCharacters(String(decoding: UInt8(0)..<128, as: UTF8.self))
        allowedInNames = generator.pick([.query, .unreserved, .whatwgForm, everything])
        allowedInValues = generator.pick([.query, .unreserved, .whatwgForm, everything])
    }

    var encoder: QueryEncoder {
        let style: QueryEncoder.ArrayStyle =
            switch arrays {
            case .brackets: .brackets
            case .none: .none
            case .indices: .indices
            // Written as indices are, so that readers of indices can read it.
            case .custom: .custom { name, index in name + "[" + String(index) + "]" }
            }
        var encoder = QueryEncoder(arrays: style, sortsKeys: sortsKeys)
        encoder.booleans = booleans
        encoder.spaces = spaces
        encoder.nulls = nulls
        encoder.allowedInNames = allowedInNames
        encoder.allowedInValues = allowedInValues
        return encoder
    }

    /// What a reader has that knows names and values alone: each name whole, with its brackets.
    func flat(_ parameters: Parameters) -> ReadValue {
        .pairs(parameters.flatMap { pairs($0.value, named: $0.key) })
    }

    private func pairs(_ value: ParameterValue, named name: String) -> [ReadValue.Pair] {
        switch value {
        case .dictionary(let members): return members.flatMap { pairs($0.value, named: "\(name)[\($0.key)]") }
        case .array(let elements):
            return elements.enumerated().flatMap { index, element in
                switch arrays {
                case .brackets: pairs(element, named: "\(name)[]")
                case .none: pairs(element, named: name)
                case .indices, .custom: pairs(element, named: "\(name)[\(index)]")
                }
            }
        case .set(let elements): return ordered(elements).flatMap { pairs($0, named: name) }
        case .null where nulls == .omitted: return []
        default: return [ReadValue.Pair(name, .text(text(value) ?? ""))]
        }
    }

    /// What a reader has that makes arrays and dictionaries of the brackets.
    ///
    /// - Parameters:
    ///   - showsLists: whether it has lists; where not, an array is a dictionary of its indices.
    ///   - showsNull: whether a bare name is null; where not, it is the empty text.
    func tree(_ parameters: Parameters, showsLists: Bool, showsNull: Bool) -> ReadValue {
        tree(.dictionary(parameters), showsLists, showsNull) ?? .pairs([])
    }

    /// Nil for what is not written: containers with nothing in them, and null where it is left out.
    private func tree(_ value: ParameterValue, _ showsLists: Bool, _ showsNull: Bool) -> ReadValue? {
        switch value {
        case .dictionary(let members):
            let pairs = members.compactMap { name, value in
                tree(value, showsLists, showsNull).map { ReadValue.Pair(name, $0) }
            }
            return pairs.isEmpty ? nil : .pairs(pairs)
        case .array(let elements):
            var pairs: [ReadValue.Pair] = []
            for (index, element) in elements.enumerated() {
                guard let value = tree(element, showsLists, showsNull) else { continue }
                // With the place in its name an element keeps it; else the reader counts.
                pairs.append(ReadValue.Pair(String(arrays == .brackets ? pairs.count : index), value))
            }
            return pairs.isEmpty ? nil : showsLists ? .list(pairs.map(\.value)) : .pairs(pairs)
        case .set(let elements):
            let values = ordered(elements).compactMap { tree($0, showsLists, showsNull) }
            return values.isEmpty ? nil : .list(values)
        case .null where nulls == .omitted: return nil
        case .null where nulls == .bareKey && showsNull: return .null
        default: return .text(text(value) ?? "")
        }
    }

    private func ordered(_ elements: [ParameterValue]) -> [ParameterValue] {
        let texts = elements.map { (ExactText($0 == .null ? "" : text($0) ?? ""), $0) }
        return texts.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map(\.element.1)
    }

    private func text(_ value: ParameterValue) -> String? {
        switch value {
        case .null: return nulls == .literal ? "null" : nil
        case .bool(let value):
            if booleans == .literal { return value ? "true" : "false" }
            return value ? "1" : "0"
        case .integer(let value): return String(value)
        case .unsigned(let value): return String(value)
        case .double(let value):
            let text = String(describing: value)
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        case .decimal(let value): return value.description
        case .string(let value): return value
        case .date(let value): return ParameterGenerator.dates.first { $0.date == value }?.text
        case .data(let value): return value.base64EncodedString()
        case .array, .set, .dictionary: return nil
        }
    }
}
