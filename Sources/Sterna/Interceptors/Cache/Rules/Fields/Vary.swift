import HTTPTypes
import SternaCore

/// The Vary field of a response (RFC 9110, 12.5.5).
enum Vary: Sendable, Hashable {
    /// The response depends on the named request fields: in lower case, sorted, each once; none without a Vary field.
    case fields([String])
    /// The response depends on more than fields, so that no other request selects it: `*`, or a field that cannot be read.
    case anything

    /// The number of names beyond which the field counts as `*`.
    static let limit = 32

    init(_ fields: HTTPFields) { self.init(lines: fields[values: .vary]) }

    init(lines: [String]) {
        var names: Set<String> = []
        for line in lines {
            for part in line.utf8.split(separator: UInt8(ascii: ",")) {
                let name = DirectiveList.lowercased(Blanks.trimmed(part))
                if name.isEmpty { continue }
                guard name != "*", FieldSyntax.isToken(name), names.count < Self.limit || names.contains(name) else {
                    self = .anything
                    return
                }
                names.insert(name)
            }
        }
        self = .fields(names.sorted())
    }
}

/// How the values of secret request fields enter the keys of variants, which may be written to disk.
struct VarySecrets: Sendable {
    /// The names of secret fields in lower case.
    var names = Self.always

    // Made once, since each request has settings of its own.
    private static let always: Set<String> = ["authorization", "cookie", "proxy-authorization"]

    /// Returns what stands for a value: a keyed hash in a cache that lasts.
    var cover: @Sendable (String) -> String = { $0 }
}

/// The values of the request fields that a response varies on, normalised (RFC 9111, 4.1).
struct VaryKey: Sendable, Hashable {
    struct Part: Sendable, Hashable {
        /// The name in lower case.
        var name: String
        /// The normalised value; nil for an absent field, which only an absent one matches.
        var value: String?

        // Bytes are compared: strings in two Unicode forms are equal in Swift.
        static func == (left: Part, right: Part) -> Bool {
            left.name == right.name && VaryKey.isSame(left.value, right.value)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    /// The fields in the order of their names.
    var parts: [Part]

    /// The key of responses that do not vary.
    static let none = VaryKey(parts: [])

    init(parts: [Part]) { self.parts = parts }

    /// Makes the key of a response to a request; nil if no other request may select it.
    init?(_ vary: Vary, request: HTTPFields, secrets: VarySecrets) {
        guard case .fields(let names) = vary else { return nil }
        parts = names.map { Part(name: $0, value: Self.value($0, in: request, secrets)) }
    }

    /// Whether a request has the same values (RFC 9111, 4.1).
    func matches(_ request: HTTPFields, secrets: VarySecrets) -> Bool {
        parts.allSatisfy { Self.isSame($0.value, Self.value($0.name, in: request, secrets)) }
    }

    private static func isSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.utf8.elementsEqual(other.utf8)
    }

    private static func value(_ name: String, in request: HTTPFields, _ secrets: VarySecrets) -> String? {
        guard let field = HTTPField.Name(name) else { return nil }
        let lines = request[values: field]
        guard !lines.isEmpty else { return nil }
        let text = VaryNormalization.text(name, lines)
        return secrets.names.contains(name) ? secrets.cover(text) : text
    }
}

/// Removes differences between field values that have no meaning.
enum VaryNormalization {
    /// Returns the value of a field's lines.
    ///
    /// Lines are joined and white space around commas is removed. In Accept-Encoding and Accept-Language, whose members have no case,
    /// letters become small and weights of 1 are left out. The order is kept except in Accept-Encoding: servers prefer the first of
    /// languages with the same weight.
    static func text(_ name: String, _ lines: [String]) -> String {
        // Cookies have commas, credentials are one value: both are compared as they are.
        switch name {
        case "accept", "accept-charset", "cache-control", "prefer": return members(lines).joined(separator: ",")
        case "accept-encoding": return Set(weighted(members(lines))).sorted().joined(separator: ",")
        case "accept-language": return weighted(members(lines)).joined(separator: ",")
        default: return trimmed(lines.map(trimmed).joined(separator: ", "))
        }
    }

    private static func members(_ lines: [String]) -> [String] {
        lines.flatMap { line in
            // A comma within a quoted string is no separator, and white space has a meaning there.
            line.utf8.contains(UInt8(ascii: "\""))
                ? [trimmed(line)]
                : line.utf8.split(separator: UInt8(ascii: ",")).map { part in
                    part.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
                        .map { String(decoding: Blanks.trimmed($0), as: UTF8.self) }.joined(separator: ";")
                }
        }.filter { !$0.isEmpty }
    }

    private static func weighted(_ members: [String]) -> [String] {
        members.map { member in
            var text = DirectiveList.lowercased(member.utf8)
            while let weight = fullWeights.first(where: { text.hasSuffix($0) }) {
                text = trimmed(String(decoding: text.utf8.dropLast(weight.utf8.count), as: UTF8.self))
            }
            return text
        }.filter { !$0.isEmpty }
    }

    private static let fullWeights = [";q=1", ";q=1.", ";q=1.0", ";q=1.00", ";q=1.000"]

    private static func trimmed(_ text: String) -> String {
        String(decoding: Blanks.trimmed(text.utf8), as: UTF8.self)
    }
}
