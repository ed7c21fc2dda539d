import Sterna

/// A JSON value in httpbin's layout, for the routes to write.
enum EchoJSON: Sendable {
    case null
    case bool(Bool)
    /// The text of a number.
    case number(String)
    case string(String)
    case array([EchoJSON])
    case object([(String, EchoJSON)])

    static func int(_ value: Int) -> EchoJSON { .number(String(value)) }

    /// Parses a text; nil if it is malformed or nested deeper than 256 levels.
    init?(parsing bytes: [UInt8]) {
        guard let json = try? JSON(parsing: bytes, limits: JSON.ParseLimits(depth: 256)) else { return nil }
        self.init(json)
    }

    private init(_ json: JSON) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let number): self = .number(number.description)
        case .string(let text): self = .string(text)
        case .array(let items): self = .array(items.map { EchoJSON($0) })
        case .object(let members): self = .object(members.map { ($0.key, EchoJSON($0.value)) })
        }
    }

    /// The value as JSON text (RFC 8259), in httpbin's two-space indentation or on one line.
    func text(pretty: Bool = false) -> String {
        var out: [UInt8] = []
        write(to: &out, indent: pretty ? 0 : nil)
        if pretty { out.append(0x0A) }
        return String(decoding: out, as: UTF8.self)
    }

    private func write(to out: inout [UInt8], indent: Int?) {
        switch self {
        case .null: out += "null".utf8
        case .bool(let value): out += (value ? "true" : "false").utf8
        case .number(let text): out += text.utf8
        case .string(let text): Self.write(text, to: &out)
        case .array(let items):
            Self.write(items, ("[", "]"), to: &out, indent: indent) { item, out, inner in
                item.write(to: &out, indent: inner)
            }
        case .object(let members):
            Self.write(members, ("{", "}"), to: &out, indent: indent) { member, out, inner in
                Self.write(member.0, to: &out)
                out += ": ".utf8
                member.1.write(to: &out, indent: inner)
            }
        }
    }

    private static func write<Item>(
        _ items: [Item], _ brackets: (String, String), to out: inout [UInt8], indent: Int?,
        _ each: (Item, inout [UInt8], Int?) -> Void
    ) {
        out += brackets.0.utf8
        let inner = indent.map { $0 + 1 }
        for (index, item) in items.enumerated() {
            if index > 0 { out += (indent == nil ? ", " : ",").utf8 }
            if let inner { newLine(inner, to: &out) }
            each(item, &out, inner)
        }
        if let indent, !items.isEmpty { newLine(indent, to: &out) }
        out += brackets.1.utf8
    }

    private static func newLine(_ depth: Int, to out: inout [UInt8]) {
        out.append(0x0A)
        for _ in 0..<depth { out += [0x20, 0x20] }
    }

    private static func write(_ text: String, to out: inout [UInt8]) {
        out.append(0x22)
        for byte in text.utf8 {
            switch byte {
            case 0x22: out += [0x5C, 0x22]
            case 0x5C: out += [0x5C, 0x5C]
            case 0x0A: out += [0x5C, 0x6E]
            case 0x0D: out += [0x5C, 0x72]
            case 0x09: out += [0x5C, 0x74]
            case 0..<0x20: out += ("\\u00" + ASCIIText.hex([byte])).utf8
            default: out.append(byte)
            }
        }
        out.append(0x22)
    }

    /// Groups pairs by name in the order of first appearance; a repeated name has an array of its values.
    static func grouped(_ pairs: some Sequence<ServerHeaders.Field>) -> EchoJSON {
        var names: [String] = []
        var values: [String: [EchoJSON]] = [:]
        for pair in pairs {
            if values[pair.name] == nil { names.append(pair.name) }
            values[pair.name, default: []].append(.string(pair.value))
        }
        return .object(
            names.map { name in
                let all = values[name] ?? []
                return (name, all.count == 1 ? all[0] : .array(all))
            })
    }
}
