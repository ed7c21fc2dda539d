public import HTTPTypes

extension HTTPRequest.Method {
    /// The method, with a standard method of any letter case in upper case: `get` becomes GET.
    ///
    /// Methods are case-sensitive (RFC 9110, 9.1), and servers do not know `get`. Fetch writes DELETE, GET, HEAD, OPTIONS, POST
    /// and PUT in upper case (Fetch Standard, 2.2.1, "normalize a method"). This also applies to CONNECT, TRACE and PATCH
    /// (RFC 5789), since servers reject `patch`. Other methods stay unchanged.
    ///
    /// Every ``Request`` and every draft of one is normalized when it is made.
    public var normalized: HTTPRequest.Method {
        // Nearly every method is one of these, or in upper case already.
        if self == .get || self == .post { return self }
        guard rawValue.utf8.contains(where: { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") }) else { return self }
        switch rawValue.uppercased() {
        case "GET": return .get
        case "HEAD": return .head
        case "POST": return .post
        case "PUT": return .put
        case "DELETE": return .delete
        case "OPTIONS": return .options
        case "PATCH": return .patch
        case "TRACE": return .trace
        case "CONNECT": return .connect
        default: return self
        }
    }
}
