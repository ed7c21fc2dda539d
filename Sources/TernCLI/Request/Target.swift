import Sterna

/// The method, the URL and the items of a command line.
struct Target: Hashable, Sendable {
    /// The method where one was given.
    var method: String?
    var url: String
    var items: [String]

    private static let methods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY",
    ]

    init(method: String?, url: String, items: [String]) {
        self.method = method
        self.url = url
        self.items = items
    }

    /// Sorts positional arguments: the first is a method where it is a known one in any case, or all capitals, and more
    /// follows. Throws `UsageError` where there is no URL.
    init(_ arguments: [String]) throws(UsageError) {
        guard let first = arguments.first else {
            throw UsageError("The URL is missing; write tern [METHOD] URL [ITEM ...].")
        }
        if arguments.count > 1, let method = Self.method(first) {
            self.method = method
            url = Self.expand(arguments[1])
            items = Array(arguments.dropFirst(2))
        } else {
            url = Self.expand(first)
            items = Array(arguments.dropFirst())
        }
    }

    private static func method(_ text: String) -> String? {
        let upper = text.uppercased()
        if methods.contains(upper) { return upper }
        let isCapital = text.utf8.allSatisfy {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || $0 == UInt8(ascii: "-")
        }
        return isCapital && !text.isEmpty ? text : nil
    }

    /// A URL from its short forms: `:8080/x` and `:/x` are on localhost, and a missing scheme is http.
    static func expand(_ text: String) -> String {
        if hasScheme(text) { return text }
        if text.hasPrefix("//") { return "http:" + text }
        guard text.first == ":" else { return "http://" + text }
        let rest = text.dropFirst()
        switch rest.first {
        case nil: return "http://localhost/"
        case "/", "?": return "http://localhost\(rest)"
        case let first? where first.isASCII && first.isNumber: return "http://localhost\(text)"
        default: return "http://\(text)"
        }
    }

    /// Whether the text begins with a scheme and `://` (RFC 3986, 3.1).
    private static func hasScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        let rest = text.utf8.drop { isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
        return rest.starts(with: "://".utf8)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
