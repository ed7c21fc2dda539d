import HTTPTypes
import NIOCore
import SternaCore

/// Writes the head of a request as HTTP/1.1 (RFC 9112, 3).
enum RequestEncoder {
    /// How the body of a request is framed.
    enum Framing: Equatable {
        case none
        case length(Int64)
        case chunked
    }

    /// Chooses the framing: a length where it is known, zero where the method expects content, else none.
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

    /// Writes the head; throws `invalidHeader` for a control character that came this far.
    ///
    /// Host, Content-Length and Transfer-Encoding are written here; a Host field of the request replaces the URL's.
    ///
    /// - Parameters:
    ///   - expectsContinue: whether the field that says that the body waits is written.
    ///   - forwarding: a proxy that is given the whole URL, and its credentials; nobody else is.
    static func write(
        _ request: Request, framing: Framing, expectsContinue: Bool = false, forwarding: Endpoint.Forwarding? = nil,
        into buffer: inout Bytes
    ) throws(SternaError) {
        buffer.writeString(request.method.rawValue)
        buffer.writeStaticString(" ")
        if forwarding != nil {
            buffer.writeString(request.url.scheme.isSecure ? "https://" : "http://")
            buffer.writeString(request.url.authority)
        }
        buffer.writeString(request.url.requestTarget)
        buffer.writeStaticString(" HTTP/1.1\r\nHost: ")
        // A proxy that forwards goes by the URL; another Host beside it would only mislead (RFC 9112, 3.2.2).
        let ownHost = forwarding == nil ? request.headers.first { $0.name.canonicalName == "host" } : nil
        let host = ownHost?.value ?? request.url.authority
        guard FieldSyntax.isValue(host) else {
            throw SternaError(
                .invalidHeader, phase: .prepare, "The Host field has a control character and was not sent.")
        }
        buffer.writeString(host)
        buffer.writeStaticString("\r\n")
        if let authorization = forwarding?.authorization {
            buffer.writeStaticString("Proxy-Authorization: ")
            buffer.writeString(authorization)
            buffer.writeStaticString("\r\n")
        }
        for field in request.headers {
            if isOwn(field.name.canonicalName) { continue }
            // The origin must not see it, and a proxy has its credentials already.
            if field.name == .proxyAuthorization, forwarding == nil || forwarding?.authorization != nil { continue }
            if !expectsContinue, field.name == .expect, field.value.lowercased() == "100-continue" { continue }
            buffer.writeString(field.name.rawName)
            buffer.writeStaticString(": ")
            let isClean = field.withUnsafeBytesOfValue { bytes in
                buffer.writeBytes(bytes)
                return bytes.allSatisfy(HeadScanner.isValueByte)
            }
            guard isClean else {
                throw SternaError(
                    .invalidHeader, phase: .prepare,
                    "The value of header “\(field.name.rawName)” has a control character and was not sent.")
            }
            buffer.writeStaticString("\r\n")
        }
        switch framing {
        case .none: break
        case .length(.max):
            throw SternaError(
                .invalidRequest, phase: .prepare, "The body is longer than a Content-Length can say; nothing was sent.")
        case .length(let length):
            buffer.writeStaticString("Content-Length: ")
            buffer.writeString(String(length))
            buffer.writeStaticString("\r\n")
        case .chunked: buffer.writeStaticString("Transfer-Encoding: chunked\r\n")
        }
        buffer.writeStaticString("\r\n")
    }

    private static func isOwn(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: name == "host"
        case 14: name == "content-length"
        case 17: name == "transfer-encoding"
        default: false
        }
    }
}
