import Sterna

/// The method, the URL and the items of a command line.
struct Target: Hashable, Sendable {
    /// The method, if one was given.
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

    /// Sorts positional arguments. If more follow, the first one is a method if it is a known one in any case, or all
    /// capitals. Throws `UsageError` for a missing URL, and for two methods.
    ///
    /// - Parameter named: the method that an option names.
    init(_ arguments: [String], method named: String? = nil) throws(UsageError) {
        guard let first = arguments.first else {
            throw UsageError("The URL is missing; write tern [METHOD] URL [ITEM ...].")
        }
        if Self.isJSON(first) {
            throw UsageError(
                "The first argument is JSON, where the URL is expected; --json takes no value: write --json -d '{…}' URL."
            )
        }
        let named = named.map { Self.method($0) ?? $0 }
        if arguments.count > 1, let method = Self.method(first) {
            guard named == nil || named == method else {
                throw UsageError("There are two methods, \(named ?? "") and \(method); write one of them.")
            }
            self.method = method
            url = Self.expand(arguments[1])
            items = Array(arguments.dropFirst(2))
        } else {
            method = named
            url = Self.expand(first)
            items = Array(arguments.dropFirst())
        }
    }

    /// Whether requests of a method usually have a body (RFC 9110, 9.3).
    static func takesBody(_ method: String) -> Bool {
        !["GET", "HEAD", "OPTIONS", "TRACE", "DELETE", "CONNECT"].contains(method)
    }

    /// Returns the target of a file: by PUT, and under the file's own name if the URL ends in a slash or has no path.
    func uploading(_ file: String) -> Target {
        var target = self
        target.method = method ?? "PUT"
        guard file != "-", let name = file.split(separator: "/").last else { return target }
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let hasPath = url.firstRange(of: "://").map { url[$0.upperBound..<end].contains("/") } ?? true
        if hasPath, !url[..<end].hasSuffix("/") { return target }
        let encoded = QueryEncoder.percentEncoded(String(name))
        target.url = "\(url[..<end])\(hasPath ? "" : "/")\(encoded)\(url[end...])"
        return target
    }

    /// Returns the URL of a request; throws `invalidURL` for any scheme but http and https.
    static func url(_ text: String) throws(SternaError) -> HTTPURL {
        let url: HTTPURL
        do {
            url = try HTTPURL(text)
        } catch .unsupportedScheme(let scheme?) {
            throw unsupported(scheme)
        } catch {
            throw SternaError(.invalidURL, phase: .prepare, "\(error)", underlying: error)
        }
        guard url.scheme == .http || url.scheme == .https else { throw unsupported(url.scheme.rawValue) }
        return url
    }

    private static func unsupported(_ scheme: String) -> SternaError {
        SternaError(
            .invalidURL, phase: .prepare,
            "The scheme “\(scheme)” is not supported; requests go to http:// and https:// URLs.")
    }

    /// Whether an argument is JSON of an object or an array.
    static func isJSON(_ text: String) -> Bool {
        guard let first = text.first(where: { !$0.isWhitespace }), first == "{" || first == "[" else { return false }
        return (try? JSON(parsing: text)) != nil
    }

    /// Whether a name is a scheme used on the web.
    static func isScheme(_ name: String) -> Bool { ["http", "https", "ws", "wss", "ftp"].contains(name.lowercased()) }

    /// Whether a field's name is the beginning of a URL without a scheme: `b.example/c?d` of `b.example/c?d=e`.
    static func looksLikeURL(field name: String) -> Bool {
        guard let slash = name.firstIndex(of: "/"), name[slash...].contains("?") else { return false }
        let host = name[..<slash]
        return host.lowercased() == "localhost" || host.contains(".")
    }

    /// Whether an argument in the form of a header field is meant as a URL: `http://b`, `b.example:8080/x`, `localhost:80`.
    ///
    /// A blank after the colon makes it a field, unless the name is a URL scheme.
    static func looksLikeURL(name: String, rest: String) -> Bool {
        if isScheme(name) {
            return rest.drop { $0 == " " || $0 == "\t" }.hasPrefix("//")
        }
        if rest.hasPrefix("//") { return hasScheme("\(name):\(rest)") }
        let port = rest.prefix { $0 != "/" && $0 != "?" }
        let isHost = name.lowercased() == "localhost" || name.contains(".") || name.hasPrefix("[")
        return isHost && !port.isEmpty && port.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns the method that an argument names; nil for another argument.
    static func method(_ text: String) -> String? {
        let upper = text.uppercased()
        if methods.contains(upper) { return upper }
        let isCapital = text.utf8.allSatisfy {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || $0 == UInt8(ascii: "-")
        }
        return isCapital && !text.isEmpty ? text : nil
    }

    /// Expands a URL's short forms: `:8080/x` and `:/x` are on localhost, and a missing scheme is http. A single slash after the
    /// scheme is read as two, as browsers and curl do.
    static func expand(_ text: String) -> String {
        if hasScheme(text) { return text }
        for scheme in ["http", "https"] where text.lowercased().hasPrefix("\(scheme):/") {
            return "\(scheme)://\(text.dropFirst(scheme.count + 2))"
        }
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
    static func hasScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        let rest = text.utf8.drop { isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
        return rest.starts(with: "://".utf8)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
