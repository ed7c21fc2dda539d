import HTTPTypes
import NIOCore
import NIOHPACK
import SternaCore

/// Asks a proxy for a tunnel by CONNECT (RFC 9110, 9.3.6); a value without I/O.
struct ConnectHandshake {
    let proxy: Proxy
    private let target: String
    private let url: HTTPURL?
    private var parser: ResponseParser

    init(through proxy: Proxy, to endpoint: Endpoint, limits: Limits) {
        self.proxy = proxy
        url = try? HTTPURL("\(proxy.kind.rawValue)://\(proxy.authorityHost):\(proxy.port)")
        let host = endpoint.hostIsAddress && endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
        target = "\(host):\(endpoint.origin.port)"
        parser = ResponseParser(limits: limits)
        // What a 2xx says of a length is to be ignored, and what another answer holds is not read.
        parser.begin(isHeadRequest: true, ignoresFraming: true)
    }

    var greeting: Bytes {
        var text = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"
        if let authorization = proxy.authorization { text += "Proxy-Authorization: \(authorization)\r\n" }
        return Bytes(string: text + "\r\n")
    }

    /// The same over HTTP/2, where scheme and path are left out (RFC 9113, 8.5).
    var headers: HPACKHeaders {
        var headers = HPACKHeaders([(":method", "CONNECT")])
        // A table of targets would grow by the proxy's word.
        headers.add(name: ":authority", value: target, indexing: .nonIndexable)
        if let authorization = proxy.authorization {
            headers.add(name: "proxy-authorization", value: authorization, indexing: .neverIndexed)
        }
        return headers
    }

    /// Whether the fields go into one frame, since the library sends no more: a character takes at most 30 bits, and the
    /// lengths of a field a few bytes.
    var fitsInFrame: Bool {
        headers.reduce(0) { $0 + 4 * ($1.name.utf8.count + $1.value.utf8.count) + 12 } <= 16_000
    }

    /// A tunnel that is there: the proxy's answer, and what the tunnel has brought already.
    struct Tunnel {
        let answer: Response?
        let leftover: Bytes
    }

    /// Takes what the proxy sent; returns nil while the tunnel is not there.
    mutating func receive(_ bytes: Bytes) throws(SternaError) -> Tunnel? {
        parser.append(bytes)
        var refused: ResponseHead?
        do throws(ParseFailure) {
            while let event = try parser.next() {
                guard case .head(let head) = event else { continue }
                guard (200..<300).contains(head.status) else {
                    refused = head
                    break
                }
                _ = try parser.next()
                return Tunnel(
                    answer: answer(head.status, head.version, head.section), leftover: parser.takeLeftover())
            }
        } catch {
            throw refusal(error.detail)
        }
        if let refused { throw refusal(refused.status, refused.version, refused.section) }
        return nil
    }

    /// What is told of an answer that is none.
    func refusal(_ detail: String) -> SternaError {
        SternaError(.proxyFailed, phase: .proxy, "The proxy \(proxy) does not answer as one: \(detail)")
    }

    /// What is told of an answer other than that the tunnel is there.
    func refusal(_ status: Int, _ version: HTTPVersion, _ section: FieldSection) -> SternaError {
        let advice: String
        switch status {
        case 401, 407:
            advice =
                proxy.hasCredentials
                ? "it does not accept the user name and password." : "it wants a user name and password; give it some."
        case 403, 405: advice = "it does not allow that."
        case 502, 503, 504: advice = "it cannot reach the server."
        default: advice = "it answered with status \(status)."
        }
        var error = SternaError(
            .proxyFailed, phase: .proxy, "The proxy \(proxy) made no tunnel to \(target) (\(status)): \(advice)")
        // It is no word of the server, which nothing must take it for.
        error.proxyResponse = answer(status, version, section)
        return error
    }

    /// The head of the proxy's answer.
    func answer(_ status: Int, _ version: HTTPVersion, _ section: FieldSection) -> Response? {
        url.map { Response(status: .init(code: status), version: version, section: section, url: $0) }
    }
}
