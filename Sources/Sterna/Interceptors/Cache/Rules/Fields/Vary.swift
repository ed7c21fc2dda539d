import HTTPTypes
import SternaCore

/// The Vary field of a response (RFC 9110, 12.5.5).
enum Vary: Sendable, Hashable {
    /// The response depends on the named request fields, in lower case, sorted and without duplicates; empty without a Vary field.
    case fields([String])
    /// The response depends on more than fields, so that no other request selects it: `*`, or an invalid field.
    case anything

    /// The maximum number of names; with more, the field counts as `*`.
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

    /// Returns the fields that a response with both Vary fields depends on.
    func union(_ other: Vary) -> Vary {
        guard case .fields(let own) = self, case .fields(let others) = other else { return .anything }
        let names = Set(own).union(others)
        return names.count <= Self.limit ? .fields(names.sorted()) : .anything
    }

    /// The value as it is written in the field.
    var fieldValue: String {
        switch self {
        case .fields(let names): names.joined(separator: ", ")
        case .anything: "*"
        }
    }
}

/// How values of secret request fields are represented in variant keys, which may be written to disk.
struct VarySecrets: Sendable {
    /// The names of secret fields in lower case.
    var names = Self.always

    // A constant, since settings are made for each request.
    private static let always: Set<String> = ["authorization", "cookie", "proxy-authorization"]

    /// Returns what represents a value: by default the value itself, in a ``ResponseCache`` a keyed hash.
    var cover: @Sendable (String) -> String = { $0 }
}

/// The values of the request fields that a response varies on, normalised (RFC 9111, 4.1).
struct VaryKey: Sendable, Hashable {
    struct Part: Sendable, Hashable {
        /// The name in lower case.
        var name: String
        /// The normalised value; nil for an absent field, which matches only an absent one.
        var value: String?

        // Compares bytes: Swift's strings are equal in different Unicode forms.
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

    /// Makes the key of the response to a request; nil if no other request may select the response.
    init?(_ vary: Vary, request: HTTPFields, secrets: VarySecrets) {
        guard case .fields(let names) = vary else { return nil }
        parts = names.map { Part(name: $0, value: Self.value($0, in: request, secrets)) }
    }

    /// Returns whether a request has the same values (RFC 9111, 4.1).
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
        guard secrets.names.contains(name) else { return VaryNormalization.text(name, lines) }
        return secrets.cover(VaryNormalization.exact(lines))
    }
}

/// Removes differences without meaning between field values.
enum VaryNormalization {
    /// Returns the normalised value of a field's lines.
    ///
    /// Lines are joined, and white space around commas is removed (RFC 9111, 4.1). The members of Accept, Accept-Charset and
    /// Accept-Language are sorted by weight; those of equal weight keep their order, since servers prefer the first. The members of
    /// Accept-Encoding, whose order has no meaning, are sorted as text, without duplicates. Accept-Encoding and Accept-Language
    /// become lower-case.
    static func text(_ name: String, _ lines: [String]) -> String {
        // In quoted strings, white space has a meaning, and a comma is not a separator.
        guard !texts.contains(name), !lines.contains(where: { $0.utf8.contains(UInt8(ascii: "\"")) }) else {
            return exact(lines)
        }
        switch name {
        case "accept", "accept-charset": return ordered(members(lines)).joined(separator: ",")
        case "accept-encoding": return Set(ordered(members(lines, isSmall: true))).sorted().joined(separator: ",")
        case "accept-language": return ordered(members(lines, isSmall: true)).joined(separator: ",")
        case "cache-control", "prefer": return members(lines).joined(separator: ",")
        // In other fields, only white space around commas is known to have no meaning.
        default: return lines.flatMap { split($0, at: UInt8(ascii: ",")) }.joined(separator: ",")
        }
    }

    /// Returns the lines joined and otherwise unchanged, for cookies and credentials.
    static func exact(_ lines: [String]) -> String { trimmed(lines.map(trimmed).joined(separator: ", ")) }

    /// Fields that are not lists: a comma is part of their text.
    private static let texts: Set<String> = [
        "authorization", "cookie", "proxy-authorization", "referer", "user-agent",
    ]

    private static func members(_ lines: [String], isSmall: Bool = false) -> [String] {
        lines.flatMap { line in
            split(isSmall ? DirectiveList.lowercased(line.utf8) : line, at: UInt8(ascii: ",")).map { member in
                split(member, at: UInt8(ascii: ";")).joined(separator: ";")
            }
        }.filter { !$0.isEmpty }
    }

    /// Returns members sorted by weight, with the weights in one form; weight 1 is omitted.
    private static func ordered(_ members: [String]) -> [String] {
        let all = members.map(Preference.init)
        // Unreadable members stay in their order.
        guard all.allSatisfy({ $0.weight != nil }) else { return members }
        return all.enumerated().sorted { one, other in
            let (left, right) = (one.element.weight ?? 0, other.element.weight ?? 0)
            return left == right ? one.offset < other.offset : left > right
        }.map(\.element.text).filter { !$0.isEmpty }
    }

    /// A member such as `de;q=0.5` (RFC 9110, 12.4.2).
    private struct Preference {
        var text: String

        /// In thousandths; nil if it is unreadable.
        var weight: Int?

        init(_ member: String) {
            text = member
            var parts = member.split(separator: ";", omittingEmptySubsequences: false)
            let places = parts.indices.dropFirst().filter { parts[$0].hasPrefix("q=") || parts[$0].hasPrefix("Q=") }
            guard let place = places.first else {
                weight = 1_000
                return
            }
            // Parameters after a weight belong to an extension.
            guard place == parts.count - 1, let weight = Self.thousandths(parts[place].dropFirst(2)) else { return }
            self.weight = weight
            parts.removeLast()
            text = parts.joined(separator: ";")
            if weight < 1_000, !text.isEmpty { text += ";q=0.\(String(weight + 1_000).dropFirst())" }
        }

        private static func thousandths(_ text: Substring) -> Int? {
            let bytes = Array(text.utf8)
            guard let first = bytes.first, bytes.count <= 5, bytes.count < 2 || bytes[1] == UInt8(ascii: ".") else {
                return nil
            }
            var (value, unit) = (0, 1_000)
            for digit in [first] + bytes.dropFirst(2) {
                guard digit >= 0x30, digit <= 0x39 else { return nil }
                value += Int(digit - 0x30) * unit
                unit /= 10
            }
            return value <= 1_000 ? value : nil
        }
    }

    /// Returns the parts of a text, without the white space around them.
    private static func split(_ text: String, at separator: UInt8) -> [String] {
        text.utf8.split(separator: separator, omittingEmptySubsequences: false).map {
            String(decoding: Blanks.trimmed($0), as: UTF8.self)
        }
    }

    private static func trimmed(_ text: String) -> String {
        String(decoding: Blanks.trimmed(text.utf8), as: UTF8.self)
    }
}
