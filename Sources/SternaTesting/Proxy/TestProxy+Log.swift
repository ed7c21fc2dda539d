extension TestProxy {
    /// A user name and a password.
    public struct Credentials: Sendable, Hashable {
        /// The user name.
        public var username: String
        /// The password.
        public var password: String

        /// Makes credentials of a name and a password.
        public init(_ username: String, _ password: String) {
            self.username = username
            self.password = password
        }
    }

    /// The head of a request that a proxy received.
    public struct Request: Sendable, Hashable {
        /// The method as sent.
        public let method: String
        /// The request target as sent: an absolute URL, or an authority with CONNECT, which in HTTP/2 is `:authority`.
        public let target: String
        /// The protocol version as sent, `HTTP/1.1` for instance; `HTTP/2` for a request on a stream.
        public let version: String
        /// The header fields as sent, without the pseudo-header fields of HTTP/2.
        public let headers: ServerHeaders
        /// The number of the request's connection, 0 for the first one accepted.
        public let connection: Int

        /// The Basic credentials in Proxy-Authorization; `nil` if there are none that can be read.
        public var credentials: Credentials? {
            headers["Proxy-Authorization"].flatMap(ProxyText.basicCredentials)
        }

        /// The lines of the head.
        public var text: String { "\(method) \(target) \(version)\n\(headers)" }
    }

    /// A client's request to a SOCKS proxy.
    public struct SOCKSRequest: Sendable, Hashable {
        /// The form of the destination.
        public enum AddressType: UInt8, Sendable, Hashable {
            /// An IPv4 address.
            case ipv4 = 1
            /// A domain name, which the proxy resolves.
            case name = 3
            /// An IPv6 address.
            case ipv6 = 4
        }

        /// The command: 1 is CONNECT.
        public let command: UInt8
        /// The form of the destination.
        public let addressType: AddressType
        /// The destination: a name as sent, or an address as text without brackets.
        public let host: String
        /// The destination's port.
        public let port: Int
    }

    /// A client's connection to a proxy.
    public struct Connection: Sendable, Hashable {
        /// The connection's number, 0 for the first one accepted.
        public let number: Int
        /// Whether the connection is still open.
        public internal(set) var isOpen = true
        /// Whether the connection uses HTTP/2.
        public internal(set) var isHTTP2 = false
        /// The tunnels requested over HTTP/2, in order.
        public internal(set) var tunnels: [Tunnel] = []
        /// The client's protocol violation that ended the HTTP/2 connection; `nil` if there was none.
        public internal(set) var violation: String?
        /// The heads of the received requests, in order; content of tunnels is not inspected.
        public internal(set) var requests: [Request] = []
        /// The methods of authentication that a SOCKS client offered: 0 none, 2 user name and password.
        public internal(set) var socksMethods: [UInt8] = []
        /// The credentials that a SOCKS client sent.
        public internal(set) var socksCredentials: Credentials?
        /// The request of a SOCKS client.
        public internal(set) var socksRequest: SOCKSRequest?
        /// The number of bytes that the client had sent after its request for a tunnel when the proxy's response was complete.
        public internal(set) var bytesBeforeAnswer = 0
        /// The first 64 KiB that the client sent through the tunnel, over HTTP/2 through all of them.
        public internal(set) var tunnelled: [UInt8] = []

        static let tunnelLimit = 64 << 10

        init(number: Int) { self.number = number }

        /// Whether the client sent any credentials to the proxy, readable or not.
        public var showedCredentials: Bool {
            socksCredentials != nil || requests.contains { $0.headers.contains("Proxy-Authorization") }
        }

        /// The number of open HTTP/2 tunnels, answered or not.
        public var openTunnels: Int { tunnels.count { $0.isOpen } }

        /// Whether a text occurs in the recorded bytes of the tunnel, or over HTTP/2 of any tunnel.
        public func tunnelHolds(_ text: String) -> Bool {
            isHTTP2 ? tunnels.contains { $0.holds(text) } : Self.holds(tunnelled, text)
        }

        static func holds(_ bytes: [UInt8], _ text: String) -> Bool {
            let needle = Array(text.utf8)
            guard !needle.isEmpty, needle.count <= bytes.count else { return needle.isEmpty }
            return (0...bytes.count - needle.count).contains { bytes[$0...].starts(with: needle) }
        }
    }

    /// A fault of a proxy.
    ///
    /// A message is a request's head, or with SOCKS a greeting, credentials, or a request. Messages are counted per connection.
    /// Over HTTP/2 a fault that closes nothing affects only the streams of such messages, and the others continue; only after
    /// ``sends(_:after:)`` does the connection send nothing more on any stream.
    public enum Fault: Sendable, Hashable {
        /// Answers each request, CONNECT or not, with a status and a body; 407 always requests Basic credentials.
        case refuses(status: Int, body: String = "")
        /// Answers a SOCKS request with a code other than 0.
        case refusesAddress(code: UInt8)
        /// Answers a SOCKS greeting with 255: no acceptable methods.
        case refusesMethods
        /// Closes a connection as soon as it is accepted.
        case closesAtOnce
        /// Closes the connection at the first message after so many.
        case closes(after: Int = 0)
        /// Holds the connection open but stops answering at the first message after so many.
        case stalls(after: Int = 0)
        /// Sends bytes in place of a response to the first message after so many, and then nothing more.
        case sends([UInt8], after: Int = 0)
        /// Opens the tunnel with this text in place of its response to CONNECT; over HTTP/2 with the statuses and fields of its
        /// heads, as far as HTTP/2 has them and each within 16 KiB.
        case answersConnect(String)
        /// Resets the HTTP/2 stream of each message after so many, in place of a response.
        case resets(code: UInt32, after: Int = 0)
        /// Answers the first HTTP/2 message after so many by a `GOAWAY` that names the last stream before it: that message and
        /// later ones are not answered, and the tunnels before them continue.
        case goesAway(after: Int = 0)
        /// Replaces type, address and port of its reply to a SOCKS request with these bytes, and opens the tunnel.
        case binds([UInt8])

        /// Opens the tunnel with a response to CONNECT whose head has so many bytes.
        public static func longAnswer(_ count: Int) -> Fault {
            let (start, end) = ("HTTP/1.1 200 OK\r\nX-Fill: ", "\r\n\r\n")
            let fill = max(0, count - start.utf8.count - end.utf8.count)
            return .answersConnect(start + String(repeating: "f", count: fill) + end)
        }
    }
}
