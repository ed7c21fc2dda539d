/// A parsed Set-Cookie field (draft-ietf-httpbis-rfc6265bis-22, 5.6).
struct SetCookie: Sendable, Hashable {
    var name: String
    var value: String

    /// The lifetime of the last valid `Max-Age` in seconds, at most 400 days; zero or less removes the cookie.
    var maxAge: Int64?
    /// The last valid `Expires`.
    var expires: CookieTime?
    /// The last `Domain`, in lower case and without its leading dot; nil without such an attribute.
    var domain: String?
    var path = Path.absent
    var isSecure = false
    var isHTTPOnly = false
    var isPartitioned = false
    /// The last `SameSite`; nil if it is missing or unknown.
    var sameSite: Cookie.SameSite?

    enum Path: Sendable, Hashable {
        /// The attribute is missing.
        case absent
        /// The last one does not begin with a slash, and means the default path.
        case standard
        case given(String)
    }

    enum Limits {
        /// The maximum length of name and value together, in bytes.
        static let pair = 4_096
        /// The maximum length of an attribute's value, in bytes; longer values are ignored.
        static let attribute = 1_024
    }

    /// Parses the value of one field line.
    init(parsing text: String) throws(CookieRefusal) { try self.init(parsing: Array(text.utf8)[...]) }

    /// Parses the value of one field line, as bytes.
    init(parsing bytes: ArraySlice<UInt8>) throws(CookieRefusal) {
        guard !bytes.contains(where: Self.isControl) else { throw .controlCharacter }
        let end = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.endIndex
        let pair = bytes[..<end]
        let (name, value): (ArraySlice<UInt8>, ArraySlice<UInt8>)
        if let equals = pair.firstIndex(of: UInt8(ascii: "=")) {
            (name, value) = (Self.trimmed(pair[..<equals]), Self.trimmed(pair[(equals + 1)...]))
        } else {
            (name, value) = (pair[pair.startIndex..<pair.startIndex], Self.trimmed(pair))
        }
        guard name.count + value.count <= Limits.pair else { throw .tooLong }
        guard !name.isEmpty || !value.isEmpty else { throw .empty }
        guard let name = String(validating: name, as: UTF8.self), let value = String(validating: value, as: UTF8.self)
        else { throw .notText }
        (self.name, self.value) = (name, value)
        for attribute in bytes[end...].dropFirst().split(separator: UInt8(ascii: ";")) {
            try take(attribute)
        }
    }

    private mutating func take(_ attribute: ArraySlice<UInt8>) throws(CookieRefusal) {
        let equals = attribute.firstIndex(of: UInt8(ascii: "="))
        let name = Self.trimmed(attribute[..<(equals ?? attribute.endIndex)])
        let value = Self.trimmed(attribute[(equals.map { $0 + 1 } ?? attribute.endIndex)...])
        guard name.count <= Self.longestName, value.count <= Limits.attribute else { return }
        switch String(decoding: name.map(Self.lowercased), as: UTF8.self) {
        case "expires":
            if let time = CookieDate.time(value) { expires = time }
        case "max-age":
            if let seconds = Self.seconds(value) { maxAge = seconds }
        case "domain":
            let name = value.first == UInt8(ascii: ".") ? value.dropFirst() : value
            domain = String(decoding: name.map(Self.lowercased), as: UTF8.self)
        case "path":
            guard value.first == UInt8(ascii: "/") else {
                path = .standard
                return
            }
            guard let text = String(validating: value, as: UTF8.self) else { throw .notText }
            path = .given(text)
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "partitioned": isPartitioned = true
        case "samesite":
            sameSite = Cookie.SameSite(rawValue: String(decoding: value.map(Self.lowercased), as: UTF8.self))
        default: break
        }
    }

    /// The length of `Partitioned`, the longest attribute name, in bytes.
    private static let longestName = 11

    /// Parses a number of seconds, at most 400 days; nil for an invalid number, for which the attribute is ignored.
    private static func seconds(_ text: ArraySlice<UInt8>) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text
        guard !digits.isEmpty, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        if isNegative { return 0 }
        var value: Int64 = 0
        for digit in digits { value = min(value * 10 + Int64(digit - 0x30), CookieTime.longestLife) }
        return value
    }

    /// Returns whether a byte is a control character other than a tab.
    static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7F }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}

extension SetCookie: CustomStringConvertible, CustomReflectable {
    /// The name, without the secret value.
    var description: String { name }

    var customMirror: Mirror { Mirror(self, children: ["name": name], displayStyle: .struct) }
}
