import HTTPTypes

/// An entity tag (RFC 9110, 8.8.3).
struct EntityTag: Sendable, Hashable {
    /// The tag with its quotes.
    let opaque: String
    let isWeak: Bool

    /// The maximum length of a tag in bytes.
    private static let longest = 1_024

    /// Reads a tag; nil if it is invalid, is longer than 1,024 bytes, or is not UTF-8, in which case different tags could look the
    /// same.
    init?(_ text: some StringProtocol) {
        var bytes = Array(text.utf8)[...]
        isWeak = bytes.starts(with: [UInt8(ascii: "W"), UInt8(ascii: "/")])
        if isWeak { bytes = bytes.dropFirst(2) }
        guard bytes.count >= 2, bytes.count <= Self.longest, bytes.first == UInt8(ascii: "\""),
            bytes.last == UInt8(ascii: "\""), bytes.dropFirst().dropLast().allSatisfy(Self.isTagByte),
            !text.unicodeScalars.contains("\u{FFFD}")
        else { return nil }
        opaque = String(decoding: bytes, as: UTF8.self)
    }

    /// Reads the ETag of a message; nil if it is absent or invalid, or if its lines differ.
    init?(_ fields: HTTPFields) {
        let lines = fields[values: .eTag]
        guard let line = lines.first, lines.allSatisfy({ $0.utf8.elementsEqual(line.utf8) }) else { return nil }
        self.init(line)
    }

    /// Returns the If-None-Match value for the ETag of a message (RFC 9111, 4.3.1); nil if there is none to send.
    ///
    /// An invalid tag, such as one without quotes, is sent back as it is: servers that send such tags compare texts.
    static func condition(for fields: HTTPFields) -> String? {
        if let tag = EntityTag(fields) { return tag.fieldValue }
        let lines = fields[values: .eTag]
        guard let line = lines.first, lines.allSatisfy({ $0.utf8.elementsEqual(line.utf8) }), isOneText(line) else {
            return nil
        }
        return line
    }

    /// Returns whether an invalid tag is a single one to a server: neither a list nor `*`.
    static func isOneText(_ text: String) -> Bool {
        let bytes = Blanks.trimmed(text.utf8)
        return !bytes.isEmpty && bytes.count <= longest && !bytes.contains(UInt8(ascii: ","))
            && !bytes.elementsEqual("*".utf8) && !text.unicodeScalars.contains("\u{FFFD}")
    }

    /// The tag as it is written in a field.
    var fieldValue: String { isWeak ? "W/" + opaque : opaque }

    /// Returns whether both tags identify the same bytes (RFC 9110, 8.8.3.2).
    func isStronglyEqual(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && isWeaklyEqual(other) }

    /// Returns whether both tags identify equivalent content.
    func isWeaklyEqual(_ other: EntityTag) -> Bool { opaque.utf8.elementsEqual(other.opaque.utf8) }

    static func == (left: EntityTag, right: EntityTag) -> Bool {
        left.isWeak == right.isWeak && left.isWeaklyEqual(right)
    }

    private static func isTagByte(_ byte: UInt8) -> Bool { byte == 0x21 || byte >= 0x23 && byte != 0x7F }
}

/// The value of If-None-Match (RFC 9110, 13.1.2).
enum EntityTagList: Sendable, Hashable {
    case any
    case tags([EntityTag])

    /// The maximum number of tags.
    private static let limit = 64

    /// Reads all lines; nil if a member is not a tag, and for no tag or more than 64.
    init?(_ lines: [String]) {
        var tags: [EntityTag] = []
        for line in lines {
            var rest = Array(line.utf8)[...]
            while true {
                rest = rest.drop { $0 == UInt8(ascii: ",") || Blanks.isBlank($0) }
                guard let first = rest.first else { break }
                if first == UInt8(ascii: "*") {
                    guard lines.count == 1, Blanks.trimmed(line.utf8).count == 1 else { return nil }
                    self = .any
                    return
                }
                let start = rest.startIndex
                guard let opening = rest.firstIndex(of: UInt8(ascii: "\"")),
                    let closing = rest[opening...].dropFirst().firstIndex(of: UInt8(ascii: "\"")),
                    let tag = EntityTag(String(decoding: rest[start...closing], as: UTF8.self)),
                    tags.count < Self.limit
                else { return nil }
                tags.append(tag)
                rest = rest[closing...].dropFirst()
                let next = rest.drop(while: Blanks.isBlank)
                guard next.isEmpty || next.first == UInt8(ascii: ",") else { return nil }
            }
        }
        guard !tags.isEmpty else { return nil }
        self = .tags(tags)
    }

    /// Returns whether the list contains a tag, by the weak comparison.
    func contains(_ tag: EntityTag?) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tag.map { own in tags.contains { $0.isWeaklyEqual(own) } } ?? false
        }
    }
}
