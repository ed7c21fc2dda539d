import NIOHPACK

/// A request's head, read from its field block.
struct HTTP2RequestHead {
    private(set) var method = ""
    /// `:path`, or the authority of a `CONNECT` (RFC 9113 §8.5).
    private(set) var target = ""
    /// The protocol of an extended `CONNECT` (RFC 8441); nil for other requests.
    private(set) var protocolName: String?
    /// The fields in the form that a route sees over HTTP/1.1, except for their names' case: with `:authority` as `Host`, and the
    /// cookie in one line (RFC 9113 §8.2.3).
    private(set) var headers = ServerHeaders()

    init(_ block: HPACKHeaders) {
        var authority: String?
        var path: String?
        var cookie: Int?
        for (name, value, _) in block {
            switch name {
            case ":method": method = value
            case ":path": path = value
            case ":authority": authority = value
            case ":protocol": protocolName = value
            case "cookie":
                if let cookie {
                    headers.fields[cookie].value += "; " + value
                } else {
                    cookie = headers.fields.count
                    headers.add(name, value)
                }
            default:
                if !name.hasPrefix(":") { headers.add(name, value) }
            }
        }
        target = path ?? authority ?? ""
        if method != "CONNECT" { protocolName = nil }
        if let protocolName { headers.fields.insert(.init(name: "upgrade", value: protocolName), at: 0) }
        if let authority, headers["host"] != authority {
            headers.fields.insert(.init(name: "host", value: authority), at: 0)
        }
    }
}

extension HPACKHeaders {
    /// HTTP/1.1 connection fields, which HTTP/2 forbids (RFC 9113 §8.2.2).
    private static let forbidden: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    ]

    /// Makes a response's head, with Content-Length if the length is known and not among the fields.
    init(status: Int, fields: ServerHeaders, length: Int?) {
        self.init([(":status", String(status))])
        if !fields.contains("Date") { add(name: "date", value: ServerClock.shared.date()) }
        if !fields.contains("Server") { add(name: "server", value: "SternaTesting") }
        add(fields)
        if let length, !fields.contains("Content-Length") { add(name: "content-length", value: String(length)) }
    }

    init(trailers: ServerHeaders) {
        self.init()
        add(trailers)
    }

    private mutating func add(_ fields: ServerHeaders) {
        for field in fields where BuiltInRoutes.isToken(field.name) {
            let name = field.name.lowercased()
            guard !Self.forbidden.contains(name) else { continue }
            add(name: name, value: ASCIIText.trimmed(ResponseHead.cleaned(field.value)))
        }
    }
}
