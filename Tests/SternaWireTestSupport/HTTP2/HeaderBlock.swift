/// Encodes field sections (RFC 7541), also invalid ones: any names, any order, any representation.
///
/// Strings are never Huffman-coded, and the peer's own lists never change the dynamic table.
struct HeaderBlock: Sendable, Hashable {
    /// How a literal is to be kept (RFC 7541 §6.2).
    enum Form: Sendable, CaseIterable {
        case withIncrementalIndexing, withoutIndexing, neverIndexed
    }

    var bytes: [UInt8] = []

    init() {}

    /// Fields as literals without indexing.
    ///
    /// - Parameter indexed: Whether entries of the static table are named by their index.
    init(_ fields: [(String, String)], indexed: Bool = false) {
        for (name, value) in fields {
            if indexed {
                self.indexed(name, value)
            } else {
                literal(name, value)
            }
        }
    }

    /// The block of a list of fields.
    static func encode(_ fields: [(String, String)], indexed: Bool = false) -> [UInt8] {
        HeaderBlock(fields, indexed: indexed).bytes
    }

    mutating func literal(_ name: String, _ value: String, _ form: Form = .withoutIndexing) {
        literal(name: Array(name.utf8), value: Array(value.utf8), form)
    }

    mutating func literal(name: [UInt8], value: [UInt8], _ form: Form = .withoutIndexing) {
        literal(nameIndex: 0, form)
        string(name)
        string(value)
    }

    /// A literal whose name is given by an index, static or dynamic, whether or not the entry exists.
    mutating func literal(nameIndex: Int, value: String, _ form: Form = .withoutIndexing) {
        literal(nameIndex: nameIndex, form)
        string(Array(value.utf8))
    }

    /// A whole field by its index, static or dynamic, whether or not the entry exists (RFC 7541 §6.1).
    mutating func index(_ index: Int) { integer(index, prefix: 7, high: 0x80) }

    /// A change of the dynamic table's size (RFC 7541 §6.3).
    mutating func tableSize(_ size: Int) { integer(size, prefix: 5, high: 0x20) }

    /// An integer after the high bits of its first byte (RFC 7541 §5.1).
    mutating func integer(_ number: Int, prefix: Int, high: UInt8) {
        let most = (1 << prefix) - 1
        guard number >= most else {
            bytes.append(high | UInt8(truncatingIfNeeded: max(0, number)))
            return
        }
        bytes.append(high | UInt8(truncatingIfNeeded: most))
        var left = number - most
        while left >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: left & 127 | 128))
            left >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: left))
    }

    /// A string without Huffman coding (RFC 7541 §5.2).
    ///
    /// - Parameter length: The length to write in place of the real one.
    mutating func string(_ text: [UInt8], length: Int? = nil) {
        integer(length ?? text.count, prefix: 7, high: 0)
        bytes += text
    }

    /// The shortest representation by the static table.
    private mutating func indexed(_ name: String, _ value: String) {
        if let whole = Self.staticTable.firstIndex(where: { $0 == (name, value) }) {
            index(whole + 1)
        } else if let named = Self.staticTable.firstIndex(where: { $0.0 == name }) {
            literal(nameIndex: named + 1, value: value)
        } else {
            literal(name, value)
        }
    }

    private mutating func literal(nameIndex: Int, _ form: Form) {
        switch form {
        case .withIncrementalIndexing: integer(nameIndex, prefix: 6, high: 0x40)
        case .withoutIndexing: integer(nameIndex, prefix: 4, high: 0)
        case .neverIndexed: integer(nameIndex, prefix: 4, high: 0x10)
        }
    }

    /// The static table (RFC 7541 appendix A), of which the first entry has the index 1.
    static let staticTable: [(String, String)] =
        [
            (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
            (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
            (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
            ("accept-encoding", "gzip, deflate"),
        ]
        + [
            "accept-language", "accept-ranges", "accept", "access-control-allow-origin", "age", "allow",
            "authorization", "cache-control", "content-disposition", "content-encoding", "content-language",
            "content-length", "content-location", "content-range", "content-type", "cookie", "date", "etag", "expect",
            "expires", "from", "host", "if-match", "if-modified-since", "if-none-match", "if-range",
            "if-unmodified-since", "last-modified", "link", "location", "max-forwards", "proxy-authenticate",
            "proxy-authorization", "range", "referer", "refresh", "retry-after", "server", "set-cookie",
            "strict-transport-security", "transfer-encoding", "user-agent", "vary", "via", "www-authenticate",
        ].map { ($0, "") }
}
