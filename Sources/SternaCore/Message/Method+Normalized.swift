public import HTTPTypes

extension HTTPRequest.Method {
    /// The method with the name of a standard method, written in any case, in upper case: `get` is GET.
    ///
    /// Methods are case-sensitive (RFC 9110, 9.1), and no server knows a `get`. Fetch writes DELETE, GET, HEAD, OPTIONS, POST
    /// and PUT in upper case (Fetch Standard, 2.2.1, "normalize a method"). This does the same for CONNECT, TRACE and
    /// PATCH (RFC 5789), where servers answer `patch` with an error. Any other method stays as it is.
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
