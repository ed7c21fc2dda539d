import HTTPTypes
import NIOCore
import NIOHPACK
import SternaCore

/// Asks a proxy for a tunnel by CONNECT (RFC 9110, 9.3.6); a value without I/O.
struct ConnectHandshake {
    let proxy: Proxy
    private let target: String
    private let url: HTTPURL?
    private let authorization: String?
    private let answers: Answers
    private var parser: ResponseParser

    /// Reads a refusal with its body; nil if a refusal ends the connection.
    private var refusalParser: ResponseParser?
    private var refusalBytes = 0

    /// The challenges that can be answered.
    enum Answers: Sendable {
        case none
        /// Those of Digest, with the proxy's own user name and password.
        case digest
        /// All, by an authenticator.
        case all
    }

    /// The maximum number of bytes of a refusal's body that are read to keep the connection.
    private static let mostRefusalBytes = 64 << 10

    /// - Parameters:
    ///   - authorization: the value of Proxy-Authorization.
    ///   - answers: the challenges after which the proxy may be asked again on the same connection.
    init(
        through proxy: Proxy, to endpoint: Endpoint, authorization: String?, limits: Limits,
        answers: Answers = .none
    ) {
        self.proxy = proxy
        self.authorization = authorization
        url = try? HTTPURL("\(proxy.kind.rawValue)://\(proxy.authorityHost):\(proxy.port)")
        target = Self.target(of: endpoint)
        parser = ResponseParser(limits: limits)
        // The length in a 2xx response must be ignored, and the content of other responses is not read here.
        parser.begin(isHeadRequest: true, ignoresFraming: true)
        self.answers = answers
        guard answers != .none else { return }
        refusalParser = ResponseParser(limits: limits)
        refusalParser?.begin(isHeadRequest: false)
    }

    /// Returns the host and port that CONNECT asks for.
    static func target(of endpoint: Endpoint) -> String {
        let host = endpoint.hostIsAddress && endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
        return "\(host):\(endpoint.origin.port)"
    }

    /// Whether any byte of the response has arrived.
    var hasReceived: Bool { parser.hasReceived }

    var greeting: Bytes {
        var text = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"
        if let authorization { text += "Proxy-Authorization: \(authorization)\r\n" }
        return Bytes(string: text + "\r\n")
    }

    /// The same request over HTTP/2, without scheme and path (RFC 9113, 8.5).
    var headers: HPACKHeaders {
        var headers = HPACKHeaders([(":method", "CONNECT")])
        // Not indexed: the proxy decides how large a table of targets may grow.
        headers.add(name: ":authority", value: target, indexing: .nonIndexable)
        if let authorization {
            headers.add(name: "proxy-authorization", value: authorization, indexing: .neverIndexed)
        }
        return headers
    }

    /// Whether the fields fit into one frame, since the library sends no more. A character takes at most 30 bits, and the
    /// lengths of a field take a few bytes.
    var fitsInFrame: Bool {
        headers.reduce(0) { $0 + 4 * ($1.name.utf8.count + $1.value.utf8.count) + 12 } <= 16_000
    }

    /// An open tunnel: the head of the proxy's response, and the bytes that the tunnel has already delivered.
    struct Tunnel {
        let answer: Response?
        let leftover: Bytes
    }

    /// Takes bytes from the proxy. Returns nil until the tunnel is open.
    mutating func receive(_ bytes: Bytes) throws(SternaError) -> Tunnel? {
        parser.append(bytes)
        refusalParser?.append(bytes)
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
        if let refused {
            if answers == .digest, !Self.offersDigest(refused.section) { refusalParser = nil }
            throw refusal(refused.status, refused.version, refused.section)
        }
        return nil
    }

    private static func offersDigest(_ section: FieldSection) -> Bool {
        DigestChallenge.strongest(in: AuthenticationChallenge.parse(section[values: .proxyAuthenticate])) != nil
    }

    /// How far a refusal has been read.
    enum Drain {
        case needsMore
        /// The connection may carry another request.
        case ended
        /// The connection cannot carry another request.
        case unusable
    }

    /// Takes further bytes of a refusal that ``receive(_:)`` has thrown.
    mutating func drain(_ bytes: Bytes? = nil) -> Drain {
        guard var parser = refusalParser else { return .unusable }
        // The parser's bytes are not shared with `self` while they change.
        refusalParser = nil
        if let bytes { parser.append(bytes) }
        do throws(ParseFailure) {
            while let event = try parser.next() {
                switch event {
                case .informational: break
                case .head: guard parser.isPersistent else { return .unusable }
                case .body(let piece):
                    refusalBytes += piece.readableBytes
                    guard refusalBytes <= Self.mostRefusalBytes else { return .unusable }
                case .end: return parser.isPersistent && !parser.hasLeftover ? .ended : .unusable
                }
            }
        } catch {
            return .unusable
        }
        refusalParser = parser
        // An announced body that is too long need not be awaited.
        return (parser.bodyLength ?? 0) > Int64(Self.mostRefusalBytes) ? .unusable : .needsMore
    }

    /// Returns the error for a response that is not valid.
    func refusal(_ detail: String) -> SternaError {
        SternaError(.proxyFailed, phase: .proxy, "The proxy \(proxy) sent an invalid response: \(detail)")
    }

    /// Returns the error for a response that refuses the tunnel.
    func refusal(_ status: Int, _ version: HTTPVersion, _ section: FieldSection) -> SternaError {
        let advice = Self.advice(status, hasCredentials: authorization != nil)
        var error = SternaError(
            .proxyFailed, phase: .proxy, "The proxy \(proxy) opened no tunnel to \(target) (\(status)): \(advice)")
        // This response is not the server's, so it is not the error's `response`.
        error.proxyResponse = answer(status, version, section)
        return error
    }

    /// Returns what a refusal's status means. tinyproxy sends 401 instead of 407, and Privoxy 404 if it does not find the server.
    static func advice(_ status: Int, hasCredentials: Bool) -> String {
        switch status {
        case 401, 407:
            hasCredentials
                ? "it does not accept the user name and password."
                : "it requires a user name and password; set the proxy's credentials."
        case 403, 405: "it does not allow this tunnel."
        case 404, 502, 503, 504: "it cannot reach the server."
        default: "it answered with status \(status)."
        }
    }

    /// Returns the head of the proxy's response.
    func answer(_ status: Int, _ version: HTTPVersion, _ section: FieldSection) -> Response? {
        url.map { Response(status: .init(code: status), version: version, section: section, url: $0) }
    }
}
