import HTTPTypes
import NIOCore
import SternaCore

/// Writes the head of a request as HTTP/1.1 (RFC 9112, 3).
enum RequestEncoder {
    /// The framing of a request's body.
    enum Framing: Equatable {
        case none
        case length(Int64)
        case chunked
    }

    /// Chooses the framing: chunked for a body with trailers or of unknown length, otherwise the body's length. Without a body, it
    /// is a length of zero for POST, PUT and PATCH, and none for other methods.
    static func framing(of request: Request) -> Framing {
        guard let body = request.body else {
            switch request.method {
            case .post, .put, .patch: return .length(0)
            default: return .none
            }
        }
        if body.trailers != nil { return .chunked }
        return body.length.map(Framing.length) ?? .chunked
    }

    /// Writes the head; throws `invalidHeader` for a control character in it, and `invalidRequest` for a body that is too long for
    /// Content-Length.
    ///
    /// Writes Host, Content-Length and Transfer-Encoding itself; a Host field of the request replaces the URL's. Returns whether
    /// the request asks for the connection to be closed after the response (RFC 9112, 9.6).
    ///
    /// - Parameters:
    ///   - expectsContinue: whether to write `Expect: 100-continue`.
    ///   - forwarding: a proxy that forwards the request, and its credentials. Only such a proxy receives the whole URL.
    @discardableResult
    static func write(
        _ request: Request, framing: Framing, expectsContinue: Bool = false, forwarding: Endpoint.Forwarding? = nil,
        into buffer: inout Bytes
    ) throws(SternaError) -> Bool {
        if framing == .length(.max) {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "The body is longer than Content-Length can express; nothing was sent.")
        }
        // One write, since many small ones would cost more than the bytes that they write.
        var room = max(512, buffer.writableBytes)
        while true {
            var failure: SternaError?
            var isFull = false
            var closes = false
            buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { memory in
                var text = TextWriter(memory)
                do throws(SternaError) {
                    closes = try write(
                        request, framing: framing, expectsContinue: expectsContinue, forwarding: forwarding, into: &text
                    )
                } catch {
                    failure = error
                    return 0
                }
                isFull = text.isFull
                return isFull ? 0 : text.count
            }
            if let failure { throw failure }
            guard isFull else { return closes }
            room *= 2
        }
    }

    private static func write(
        _ request: Request, framing: Framing, expectsContinue: Bool, forwarding: Endpoint.Forwarding?,
        into text: inout TextWriter
    ) throws(SternaError) -> Bool {
        var closes = false
        text.put(request.method.rawValue)
        text.put(UInt8(ascii: " "))
        if forwarding != nil {
            text.put(request.url.scheme.isSecure ? "https://" as StaticString : "http://")
            text.put(request.url.hostField)
        }
        text.put(request.url.requestTarget)
        text.put(" HTTP/1.1\r\nHost: " as StaticString)
        // A forwarding proxy connects to the URL's host, whatever this field says (RFC 9112, 3.2.2).
        let ownHost = request.headers.first { isHost($0.name.canonicalName) }
        let host = ownHost?.value ?? request.url.hostField
        guard FieldSyntax.isValue(host) else {
            throw SternaError(
                .invalidHeader, phase: .prepare, "The Host field has a control character and was not sent.")
        }
        text.put(host)
        text.putLineEnd()
        let forwarded = forwarding?.credentials(for: request)
        if let authorization = forwarded?.authorization {
            text.put("Proxy-Authorization: " as StaticString)
            text.put(authorization)
            text.putLineEnd()
        }
        var hasCookies = false
        for field in request.headers where isSent(field, expectsContinue, forwarded) {
            let isCookie = Self.isCookie(field)
            if isCookie, hasCookies { continue }
            text.put(field.name.rawName)
            text.put(": " as StaticString)
            if isCookie {
                // All cookies go into one field line: `HTTPFields` splits them, and some servers read only the first line.
                for cookie in request.headers where Self.isCookie(cookie) {
                    if hasCookies { text.put("; " as StaticString) }
                    hasCookies = true
                    try putValue(of: cookie, into: &text)
                }
            } else {
                try putValue(of: field, into: &text)
            }
            text.putLineEnd()
            if asksToClose(field) { closes = true }
        }
        switch framing {
        case .none: break
        case .length(let length):
            text.put("Content-Length: " as StaticString)
            text.put(String(length))
            text.putLineEnd()
        case .chunked: text.put("Transfer-Encoding: chunked\r\n" as StaticString)
        }
        text.putLineEnd()
        return closes
    }

    private static func putValue(of field: HTTPField, into text: inout TextWriter) throws(SternaError) {
        let isClean = field.withUnsafeBytesOfValue { bytes in
            text.put(UnsafeRawBufferPointer(bytes))
            return FieldSyntax.isValue(UnsafeRawBufferPointer(bytes))
        }
        guard isClean else { throw RefusedField.error(of: field) }
    }

    private static func isCookie(_ field: HTTPField) -> Bool {
        let name = field.name.canonicalName
        return name.utf8.count == 6 && name == "cookie"
    }

    private static func asksToClose(_ field: HTTPField) -> Bool {
        let name = field.name.canonicalName
        guard name.utf8.count == 10, name == "connection" else { return false }
        return field.value.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.contains("close")
    }

    /// Whether a field of the request is written unchanged; the connection writes the others.
    private static func isSent(
        _ field: HTTPField, _ expectsContinue: Bool, _ forwarding: Endpoint.Forwarding?
    ) -> Bool {
        let name = field.name.canonicalName
        return switch name.utf8.count {
        case 4: !isHost(name)
        case 6: expectsContinue || name != "expect" || field.value.lowercased() != "100-continue"
        case 14: name != "content-length"
        case 17: name != "transfer-encoding"
        // The origin must not see this field, and a proxy with credentials has them already.
        case 19: name != "proxy-authorization" || forwarding != nil && forwarding?.authorization == nil
        default: true
        }
    }

    private static func isHost(_ name: String) -> Bool { name.utf8.count == 4 && name == "host" }
}

/// Appends texts to memory of a given size; drops what does not fit.
struct TextWriter {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0
    private(set) var isFull = false

    init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    mutating func put(_ text: StaticString) {
        put(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func put(_ text: String) {
        let bytes = text.utf8
        if bytes.withContiguousStorageIfAvailable({ put(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { put($0) }
        }
    }

    /// Appends a text. Returns whether its bytes are valid.
    mutating func put(_ text: String, where isGood: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        let bytes = text.utf8
        let result = bytes.withContiguousStorageIfAvailable { put(UnsafeRawBufferPointer($0), where: isGood) }
        return result ?? Array(bytes).withUnsafeBytes { put($0, where: isGood) }
    }

    private mutating func put(_ bytes: UnsafeRawBufferPointer, where isGood: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        put(bytes)
        return isGood(bytes)
    }

    mutating func put(_ byte: UInt8) {
        guard count < memory.count else {
            isFull = true
            return
        }
        memory[count] = byte
        count += 1
    }

    mutating func putLineEnd() {
        put(0x0D)
        put(0x0A)
    }

    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= memory.count - count, let target = memory.baseAddress else {
            isFull = isFull || !bytes.isEmpty
            return
        }
        guard let source = bytes.baseAddress else { return }
        (target + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }
}
