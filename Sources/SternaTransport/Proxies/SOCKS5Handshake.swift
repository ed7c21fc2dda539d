import SternaCore

/// A client's part of SOCKS 5 up to the tunnel (RFC 1928), with user name and password (RFC 1929); it does no I/O.
///
///     send greeting ──▶ receive … send ──▶ receive … established
///
/// It stores no more than one reply, of 262 bytes at most. After an error, every further call throws the same error.
struct SOCKS5Handshake: Sendable {
    /// The next step of the handshake.
    enum Step: Sendable, Equatable {
        /// The proxy has not sent enough.
        case needsMore
        /// These bytes go to the proxy.
        case send([UInt8])
        /// The tunnel is open; these bytes come from the server already.
        case established(leftover: [UInt8])
    }

    private enum State {
        case method, authentication, connection, established
        case failed(SternaError)
    }

    /// User names, passwords and host names have a length of one byte (RFC 1928, 5; RFC 1929, 2).
    static let longestField = 255

    private static let version: UInt8 = 5
    private static let authenticationVersion: UInt8 = 1
    private static let withoutAuthentication: UInt8 = 0
    private static let byPassword: UInt8 = 2

    private let target: String
    private let request: [UInt8]
    /// Empty without credentials.
    private let authentication: [UInt8]
    private var state = State.method
    private var reply: [UInt8] = []

    /// Prepares the handshake for a tunnel to a host and port.
    ///
    /// - Parameters:
    ///   - host: an address, IPv6 without brackets; or a name of 1 to 255 bytes, which the proxy resolves.
    ///   - username: 1 to 255 bytes; nil without credentials.
    ///   - password: at most 255 bytes; nil is the same as empty.
    /// - Throws: `proxyFailed` for a host, a port or credentials that SOCKS cannot carry.
    init(host: String, port: Int, username: String?, password: String?) throws(SternaError) {
        target = "\(FieldSyntax.printable(host)) on port \(port)"
        guard let number = UInt16(exactly: port) else {
            throw Self.failure("The port \(port) is out of range.")
        }
        var request = [Self.version, 1, 0]
        if let address = IPAddress(host) {
            request.append(address.family == .v4 ? 1 : 4)
            request += address.bytes
        } else {
            let name = Array(host.utf8)
            guard (1...Self.longestField).contains(name.count) else {
                throw Self.failure(
                    "SOCKS5 takes a host name of 1 to \(Self.longestField) bytes, and this one has \(name.count).")
            }
            guard !name.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else {
                throw Self.failure("The host name contains an invalid character.")
            }
            request += [3, UInt8(truncatingIfNeeded: name.count)] + name
        }
        self.request = request + [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]

        guard username != nil || password != nil else {
            authentication = []
            return
        }
        let (user, secret) = (Array((username ?? "").utf8), Array((password ?? "").utf8))
        guard (1...Self.longestField).contains(user.count), secret.count <= Self.longestField else {
            throw Self.failure(
                "SOCKS5 takes a user name of 1 to \(Self.longestField) bytes and a password of at most that many.")
        }
        authentication =
            [Self.authenticationVersion, UInt8(truncatingIfNeeded: user.count)] + user
            + [UInt8(truncatingIfNeeded: secret.count)] + secret
    }

    /// The client's first message: the methods that it offers (RFC 1928, 3).
    var greeting: [UInt8] {
        authentication.isEmpty
            ? [Self.version, 1, Self.withoutAuthentication]
            : [Self.version, 2, Self.withoutAuthentication, Self.byPassword]
    }

    /// Takes bytes from the proxy, in pieces of any length.
    ///
    /// - Throws: `proxyFailed` if the proxy refuses or does not speak SOCKS 5.
    mutating func receive(_ bytes: some Sequence<UInt8>) throws(SternaError) -> Step {
        if case .failed(let error) = state { throw error }
        var rest = bytes.makeIterator()
        var answer: [UInt8]?
        do throws(SternaError) {
            while !isEstablished, let byte = rest.next() {
                guard answer == nil else { throw malformed("it sent a reply before it was asked") }
                answer = try take(byte)
            }
        } catch {
            state = .failed(error)
            reply = []
            throw error
        }
        if isEstablished { return .established(leftover: Array(IteratorSequence(rest))) }
        return answer.map { .send($0) } ?? .needsMore
    }

    private var isEstablished: Bool {
        if case .established = state { true } else { false }
    }

    /// Takes a byte of a reply. Returns the bytes to send if the reply is complete and another message follows.
    private mutating func take(_ byte: UInt8) throws(SternaError) -> [UInt8]? {
        reply.append(byte)
        switch state {
        case .method:
            return try takeMethod(byte)
        case .authentication:
            return try takeAuthentication(byte)
        case .connection:
            try takeConnection(byte)
            return nil
        case .established, .failed:
            return nil
        }
    }

    private mutating func takeMethod(_ byte: UInt8) throws(SternaError) -> [UInt8]? {
        guard reply.count == 2 else {
            try checkVersion(byte)
            return nil
        }
        reply = []
        switch byte {
        case Self.withoutAuthentication:
            state = .connection
            return request
        case Self.byPassword:
            guard !authentication.isEmpty else { throw Self.failure(Self.wantsCredentials) }
            state = .authentication
            return authentication
        case 0xFF:
            throw Self.failure(
                authentication.isEmpty
                    ? Self.wantsCredentials
                    : "The SOCKS5 proxy accepts neither a user name and password nor clients without authentication; "
                        + "Sterna supports no other method.")
        default:
            throw malformed("it chose the authentication method \(byte), which was not offered")
        }
    }

    private mutating func takeAuthentication(_ byte: UInt8) throws(SternaError) -> [UInt8]? {
        guard reply.count == 2 else {
            guard byte == Self.authenticationVersion else {
                throw malformed("its reply to the password has version \(byte) instead of 1")
            }
            return nil
        }
        guard byte == 0 else {
            throw Self.failure(
                "The SOCKS5 proxy refuses the user name and password (status \(byte)); check them in the proxy's URL.")
        }
        reply = []
        state = .connection
        return request
    }

    private mutating func takeConnection(_ byte: UInt8) throws(SternaError) {
        switch reply.count {
        case 1: try checkVersion(byte)
        case 2:
            guard byte == 0 else {
                throw Self.failure("The SOCKS5 proxy cannot connect to \(target): \(Self.reason(byte)).")
                    .advised(Self.advice(byte))
            }
        // The third is reserved; some proxies do not send zero.
        case 3: break
        case 4:
            guard byte == 1 || byte == 3 || byte == 4 else {
                throw malformed("its reply has an address of the unknown type \(byte)")
            }
        default:
            guard reply.count == length(ofType: reply[3], first: reply[4]) else { return }
            reply = []
            state = .established
        }
    }

    private func checkVersion(_ byte: UInt8) throws(SternaError) {
        guard byte != Self.version else { return }
        // An HTTP server answers unknown bytes with "HTTP/1.1 400".
        if byte == UInt8(ascii: "H"), case .method = state {
            throw malformed("it answers like an HTTP server; try http:// in its URL instead of socks5://")
        }
        throw malformed("its reply has version \(byte) instead of 5; check the port, and that it is not a SOCKS4 proxy")
    }

    /// Returns the length of a whole reply, up to 262 bytes, by its type of address and the address's first byte.
    private func length(ofType type: UInt8, first: UInt8) -> Int {
        switch type {
        case 1: 4 + 4 + 2
        case 4: 4 + 16 + 2
        default: 4 + 1 + Int(first) + 2
        }
    }

    private static let wantsCredentials =
        "The SOCKS5 proxy requires authentication; give a user name and password, as in "
        + "socks5://user:password@host."

    private func malformed(_ what: String) -> SternaError {
        Self.failure("The proxy violates SOCKS5: \(what).")
    }

    private static func failure(_ detail: String) -> SternaError {
        SternaError(.proxyFailed, phase: .proxy, detail)
    }

    /// Returns what to check after a reply code: the target unless the proxy itself refuses.
    private static func advice(_ code: UInt8) -> ErrorAdvice {
        switch code {
        case 2: .chooseProxy
        case 3...6: .checkTarget
        default: .checkProxy
        }
    }

    /// Returns the meaning of a reply code, in the standard's words (RFC 1928, 6).
    private static func reason(_ code: UInt8) -> String {
        switch code {
        case 1: "general SOCKS server failure"
        case 2: "connection not allowed by ruleset"
        case 3: "network unreachable"
        case 4: "host unreachable"
        case 5: "connection refused"
        case 6: "TTL expired"
        case 7: "command not supported"
        case 8: "address type not supported"
        default: "it gives an unknown reason (code \(code))"
        }
    }
}

extension SOCKS5Handshake: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The destination of the tunnel, without credentials.
    var description: String { "SOCKS5 to \(target)" }

    /// The same as ``description``.
    var debugDescription: String { description }

    /// Shows only the target.
    var customMirror: Mirror { Mirror(self, children: ["target": target], displayStyle: .struct) }
}
