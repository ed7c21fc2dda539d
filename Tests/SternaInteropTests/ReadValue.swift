/// Text that is equal to the same bytes only: for `String` itself "é" is "e" with an accent, too.
struct ExactText: Hashable, Comparable, Decodable, CustomStringConvertible {
    let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    static func < (left: ExactText, right: ExactText) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }

    var description: String {
        let text = String(decoding: bytes, as: UTF8.self)
        return "\"" + text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
    }
}

/// What a reader of queries has made of one: a text, or `null`, `{"list": […]}`, `{"pairs": [[name, value], …]}` in JSON.
indirect enum ReadValue: Equatable, Decodable, CustomStringConvertible {
    case null
    case text(ExactText)
    case list([ReadValue])
    case pairs([Pair])

    struct Pair: Equatable, Decodable {
        var name: ExactText
        var value: ReadValue

        init(_ name: String, _ value: ReadValue) {
            self.name = ExactText(name)
            self.value = value
        }

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            name = try container.decode(ExactText.self)
            value = try container.decode(ReadValue.self)
        }
    }

    static func text(_ text: String) -> ReadValue { .text(ExactText(text)) }

    init(from decoder: any Decoder) throws {
        if let single = try? decoder.singleValueContainer() {
            if single.decodeNil() {
                self = .null
                return
            }
            if let text = try? single.decode(ExactText.self) {
                self = .text(text)
                return
            }
        }
        let container = try decoder.container(keyedBy: Shape.self)
        if let elements = try container.decodeIfPresent([ReadValue].self, forKey: .list) {
            self = .list(elements)
        } else {
            self = .pairs(try container.decode([Pair].self, forKey: .pairs))
        }
    }

    private enum Shape: String, CodingKey {
        case list, pairs
    }

    /// The same with the pairs of each level ordered by name; those of one name keep their order.
    var sortedByName: ReadValue {
        switch self {
        case .null, .text: return self
        case .list(let elements): return .list(elements.map(\.sortedByName))
        case .pairs(let pairs):
            let sorted = pairs.enumerated().sorted {
                ($0.element.name, $0.offset) < ($1.element.name, $1.offset)
            }
            return .pairs(
                sorted.map { pair in
                    var pair = pair.element
                    pair.value = pair.value.sortedByName
                    return pair
                })
        }
    }

    var description: String {
        switch self {
        case .null: "null"
        case .text(let text): text.description
        case .list(let elements): "[" + elements.map(\.description).joined(separator: ", ") + "]"
        case .pairs(let pairs): "{" + pairs.map { "\($0.name): \($0.value)" }.joined(separator: ", ") + "}"
        }
    }
}
