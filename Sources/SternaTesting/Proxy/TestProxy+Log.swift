extension TestProxy {
    /// A user name and a password.
    public struct Credentials: Sendable, Hashable {
        /// The user name.
        public var username: String
        /// The password.
        public var password: String

        /// Credentials of those parts.
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
        /// The protocol version as sent, `HTTP/1.1` for instance; `HTTP/2` where it came on a stream.
        public let version: String
        /// The header fields as sent, of HTTP/2 without the pseudo-header fields.
        public let headers: ServerHeaders
        /// The number of the connection it came on, 0 for the first one accepted.
        public let connection: Int

        /// What Proxy-Authorization says by the Basic scheme; `nil` where there is none that can be read.
        public var credentials: Credentials? {
            headers["Proxy-Authorization"].flatMap(ProxyText.basicCredentials)
        }

        /// The lines of the head.
        public var text: String { "\(method) \(target) \(version)\n\(headers)" }
    }

    /// What a client asked of a SOCKS proxy.
    public struct SOCKSRequest: Sendable, Hashable {
        /// How the destination was given.
        public enum AddressType: UInt8, Sendable, Hashable {
            /// An IPv4 address.
            case ipv4 = 1
            /// A domain name, for the proxy to look up.
            case name = 3
            /// An IPv6 address.
            case ipv6 = 4
        }

        /// The command: 1 is CONNECT.
        public let command: UInt8
        /// How the destination was given.
        public let addressType: AddressType
        /// The destination: a name as sent, or an address as text without brackets.
        public let host: String
        /// The destination's port.
        public let port: Int
    }

    /// What came on one connection to a proxy.
    public struct Connection: Sendable, Hashable {
        /// Its number, 0 for the first one accepted.
        public let number: Int
        /// Whether it is open still.
        public internal(set) var isOpen = true
        /// Whether it speaks HTTP/2.
        public internal(set) var isHTTP2 = false
        /// The tunnels that were asked for over HTTP/2, in order.
        public internal(set) var tunnels: [Tunnel] = []
        /// What the client did wrong that cost it the connection of HTTP/2; `nil` where it did nothing.
        public internal(set) var violation: String?
        /// The heads of the requests that came, in order; what is inside a tunnel is not looked at.
        public internal(set) var requests: [Request] = []
        /// The methods of authentication that a SOCKS client offered: 0 none, 2 user name and password.
        public internal(set) var socksMethods: [UInt8] = []
        /// The credentials that a SOCKS client showed.
        public internal(set) var socksCredentials: Credentials?
        /// What a SOCKS client asked for.
        public internal(set) var socksRequest: SOCKSRequest?
        /// How many bytes the client had sent behind its request for a tunnel when the proxy's answer was complete.
        public internal(set) var bytesBeforeAnswer = 0
        /// The first 64 KiB that the client sent through the tunnel, over HTTP/2 through all of them.
        public internal(set) var tunnelled: [UInt8] = []

        static let tunnelLimit = 64 << 10

        init(number: Int) { self.number = number }

        /// Whether any credentials were shown to the proxy, readable or not.
        public var showedCredentials: Bool {
            socksCredentials != nil || requests.contains { $0.headers.contains("Proxy-Authorization") }
        }

        /// How many tunnels of HTTP/2 are open, answered or not.
        public var openTunnels: Int { tunnels.count { $0.isOpen } }

        /// Whether a text stands in what went through the tunnel, or over HTTP/2 one of them, as far as it was kept.
        public func tunnelHolds(_ text: String) -> Bool {
            isHTTP2 ? tunnels.contains { $0.holds(text) } : Self.holds(tunnelled, text)
        }

        static func holds(_ bytes: [UInt8], _ text: String) -> Bool {
            let needle = Array(text.utf8)
            guard !needle.isEmpty, needle.count <= bytes.count else { return needle.isEmpty }
            return (0...bytes.count - needle.count).contains { bytes[$0...].starts(with: needle) }
        }
    }

    /// What a proxy does wrong.
    ///
    /// A message is a request's head, or with SOCKS a greeting, credentials, or a request. They are counted on each connection.
    /// Over HTTP/2 a fault that closes nothing concerns the streams of such messages only, and the others go on.
    public enum Fault: Sendable, Hashable {
        /// Answers each request, CONNECT or not, with a status and a body; 407 asks for Basic credentials, whatever was shown.
        case refuses(status: Int, body: String = "")
        /// Answers a SOCKS request with a code other than 0.
        case refusesAddress(code: UInt8)
        /// Answers a SOCKS greeting with 255: none of the methods will do.
        case refusesMethods
        /// Closes a connection as soon as it is accepted.
        case closesAtOnce
        /// Closes when one more message has come than so many.
        case closes(after: Int = 0)
        /// Holds the connection open and answers nothing more when one more message has come than so many.
        case stalls(after: Int = 0)
        /// Sends bytes in place of an answer when one more message has come than so many, and then nothing more.
        case sends([UInt8], after: Int = 0)
        /// Opens the tunnel with this text in place of its answer to CONNECT; over HTTP/2 with the heads in it, statuses and
        /// fields, as far as HTTP/2 has them and each within 16 KiB.
        case answersConnect(String)
        /// Resets a stream of HTTP/2 in place of an answer when one more message has come than so many.
        case resets(code: UInt32, after: Int = 0)
        /// Answers one more message of HTTP/2 than so many by a `GOAWAY` that names the last stream before it: that one and
        /// later ones are not answered, and the tunnels before them go on.
        case goesAway(after: Int = 0)
        /// Puts these bytes in the place of type, address and port of its answer to a SOCKS request, and opens the tunnel.
        case binds([UInt8])

        /// Opens the tunnel with an answer to CONNECT whose head is so many bytes long.
        public static func longAnswer(_ count: Int) -> Fault {
            let (start, end) = ("HTTP/1.1 200 OK\r\nX-Fill: ", "\r\n\r\n")
            let fill = max(0, count - start.utf8.count - end.utf8.count)
            return .answersConnect(start + String(repeating: "f", count: fill) + end)
        }
    }
}
