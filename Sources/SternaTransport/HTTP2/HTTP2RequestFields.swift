import HTTPTypes
import NIOCore
import NIOHPACK
import SternaCore

/// The fields of a request over HTTP/2 (RFC 9113, 8.2 and 8.3.1).
struct HTTP2RequestFields {
    private(set) var headers = HPACKHeaders()

    /// The number of bytes of all names and values.
    private(set) var size = 0

    /// Makes the fields; throws `invalidHeader` or `invalidRequest` for a request that HTTP/2 cannot express.
    ///
    /// - Parameters:
    ///   - length: the body's length, if it is known and to be sent.
    ///   - expectsContinue: whether to send the Expect field, as the body waits for 100 (Continue).
    ///   - secretNames: remembers which names of fields are secret.
    init(
        _ request: Request, length: Int64?, expectsContinue: Bool = false, secretNames: inout SecretNames
    ) throws(SternaError) {
        guard request.method != .connect else {
            throw SternaError(.invalidRequest, phase: .prepare, "CONNECT is for proxies; the request was not sent.")
        }
        headers.reserveCapacity(request.headers.count + 6)
        var host: String?
        var named: [String] = []
        for field in request.headers {
            let name = field.name.canonicalName
            // Comparing texts costs more than comparing their lengths.
            switch name.utf8.count {
            case 4 where name == "host": host = host ?? field.value
            case 10 where name == "connection":
                named += field.value.lowercased().split(separator: ",").map(Self.trimmed)
            default: break
            }
        }
        let authority = host ?? request.url.hostField
        guard Self.isAuthority(authority) else {
            throw SternaError(
                .invalidHeader, phase: .prepare, "The Host field is not a host and port; the request was not sent.")
        }
        let isDuplex = request.delivery == .duplex
        add(":method", isDuplex ? "CONNECT" : request.method.rawValue, .indexable)
        if isDuplex { add(":protocol", request.headers[.upgrade] ?? "", .indexable) }
        add(":scheme", request.url.scheme.isSecure ? "https" : "http", .indexable)
        add(":authority", authority, .indexable)
        add(":path", request.url.requestTarget, .nonIndexable)
        let secrets = request.options[SecretHeadersKey.self]
        for field in request.headers {
            let name = field.name.canonicalName
            if isDuplex, name == "sec-websocket-key" { continue }
            if Self.isLeftOut(name, field, expectsContinue) || !named.isEmpty && named.contains(name) { continue }
            let isMarked = !secrets.isEmpty && secrets.contains { $0.lowercased() == name }
            try add(field, name, isMarked: isMarked, &secretNames)
        }
        if let length { add("content-length", String(length), .nonIndexable) }
        if let urgency = Self.urgency(request), request.headers[.priority] == nil {
            add("priority", urgency, .indexable)
        }
    }

    private mutating func add(_ name: String, _ value: String, _ indexing: HPACKIndexing) {
        headers.add(name: name, value: value, indexing: indexing)
        size += name.utf8.count + value.utf8.count
    }

    /// Throws `limitExceeded` if the compressed fields do not fit into one frame of the given size, in bytes: the library sends
    /// only one.
    ///
    /// A character takes at most 30 bits, and the lengths of a field take a few bytes.
    func checkSize(_ maximum: Int) throws(SternaError) {
        try Self.check(headers, size, maximum)
    }

    /// Checks any fields, as ``checkSize(_:)`` does.
    static func check(_ headers: HPACKHeaders, _ size: Int, _ maximum: Int) throws(SternaError) {
        guard 4 * size + 12 * headers.count > maximum else { return }
        var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
        var compressed: Int?
        do {
            try encoder.beginEncoding(allocator: ByteBufferAllocator())
            try encoder.append(headers: headers)
            compressed = try encoder.endEncoding().readableBytes
        } catch {}
        // A few bytes about the table's size may precede the fields.
        guard let compressed, compressed + 32 <= maximum else {
            throw SternaError(
                .limitExceeded, phase: .prepare,
                "The header fields take \(size) bytes, more than the server takes over HTTP/2; nothing was sent.")
        }
    }

    private mutating func add(
        _ field: HTTPField, _ name: String, isMarked: Bool, _ secretNames: inout SecretNames
    ) throws(SternaError) {
        let value = name.utf8.count == 2 && name == "te" ? "trailers" : Self.trimmed(field.value)
        guard FieldSyntax.isValue(value), name.utf8.first != UInt8(ascii: ":") else {
            throw RefusedField.error(of: field)
        }
        add(name, value, isMarked ? .neverIndexed : Self.indexing(name, value, &secretNames))
    }

    // Indexing a field with another value in each request only costs this side. A secret must not be guessable from the size of
    // a compressed section (RFC 7541, 7.1.3).
    private static func indexing(
        _ name: String, _ value: String, _ secretNames: inout SecretNames
    ) -> HPACKIndexing {
        switch name.utf8.count {
        case 2 where name == "te": .indexable
        case 5 where name == "range": .nonIndexable
        case 6 where name == "accept" || name == "origin": .indexable
        case 6 where name == "cookie": .neverIndexed
        case 8 where name == "priority": .indexable
        case 10 where name == "user-agent": .indexable
        // Boundaries are made anew for each form.
        case 12 where name == "content-type": value.utf8.count > 64 ? .nonIndexable : .indexable
        case 13 where name == "authorization": .neverIndexed
        case 13 where name == "if-none-match": .nonIndexable
        case 15 where name == "accept-encoding" || name == "accept-language": .indexable
        default: secretNames.contains(name) ? .neverIndexed : .nonIndexable
        }
    }

    // Fields of a connection, and fields that a pseudo-field replaces. A proxy's credentials are only for the proxy.
    private static func isLeftOut(_ name: String, _ field: HTTPField, _ expectsContinue: Bool) -> Bool {
        switch name.utf8.count {
        case 2: name == "te" && field.value.lowercased() != "trailers"
        case 4: name == "host"
        case 6: name == "expect" && !expectsContinue && field.value.lowercased() == "100-continue"
        case 7: name == "upgrade"
        case 10: name == "connection" || name == "keep-alive"
        case 14: name == "content-length" || name == "http2-settings"
        case 16: name == "proxy-connection"
        case 17: name == "transfer-encoding"
        case 19: name == "proxy-authorization"
        default: false
        }
    }

    private static func isAuthority(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in !bytes.isEmpty && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
    }

    /// Returns the value of the Priority field (RFC 9218, 4.1); nil for the default, which is not sent.
    static func urgency(_ request: Request) -> String? {
        switch request.priority {
        case .high: "u=1"
        case .normal: nil
        case .low: "u=5"
        }
    }

    private static func trimmed(_ text: String) -> String {
        guard let first = text.utf8.first, let last = text.utf8.last, isBlank(first) || isBlank(last) else {
            return text
        }
        return trimmed(text[...])
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text
        while let first = rest.utf8.first, isBlank(first) { rest = rest.dropFirst() }
        while let last = rest.utf8.last, isBlank(last) { rest = rest.dropLast() }
        return String(rest)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// The trailer fields of a request.
enum HTTP2TrailerFields {
    /// - Parameter maximum: the largest frame that the peer accepts.
    static func headers(_ fields: HTTPFields, maximum: Int) throws(SternaError) -> HPACKHeaders {
        try TrailerFields.check(fields)
        var headers = HPACKHeaders()
        var size = 0
        for field in fields {
            let name = field.name.canonicalName
            let indexing = Redaction.isSecretHeader(name) ? HPACKIndexing.neverIndexed : .nonIndexable
            headers.add(name: name, value: field.value, indexing: indexing)
            size += name.utf8.count + field.value.utf8.count
        }
        try HTTP2RequestFields.check(headers, size, maximum)
        return headers
    }
}
