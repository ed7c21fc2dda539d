/// A switch of protocols (RFC 9110, 7.8; RFC 8441) as a route offers it; the request decides whether it takes place.
struct ServerUpgrade: Sendable {
    /// What of a request decides.
    struct Offer: Sendable {
        let method: String
        let headers: ServerHeaders
        let version: ServerHTTPVersion
        let hasBody: Bool
        /// Whether the request is an extended CONNECT, which a route sees as GET with an Upgrade field.
        let isConnect: Bool

        /// Whether the client asks for a protocol, in a version of HTTP that can switch.
        func asks(for name: String) -> Bool {
            guard headers.hasToken(name, in: "Upgrade") else { return false }
            switch version {
            case .http2: return isConnect
            case .http11: return headers.hasToken("upgrade", in: "Connection")
            case .http10: return false
            }
        }
    }

    enum Answer: Sendable {
        /// The connection is switched, with these fields in the response, and then runs the closure.
        case accepted(ServerHeaders, Run)
        case refused(ServerResponse)
    }

    typealias Run = @Sendable (ServerDuplex) async throws -> Void

    let answer: @Sendable (Offer) -> Answer

    /// The fields with which a connection is switched over HTTP/1. HTTP/2 has neither of them.
    static func fields(_ name: String) -> ServerHeaders { ["Upgrade": name, "Connection": "Upgrade"] }

    /// The response to a request that does not ask for the protocol (RFC 9110, 15.5.22).
    static func required(_ name: String, _ text: String, headers: ServerHeaders = [:]) -> Answer {
        var fields: ServerHeaders = ["Upgrade": name, "Connection": "Upgrade, close"]
        fields.fields += headers.fields
        return .refused(.message(text, status: 426, headers: fields))
    }

    static let bodyRefused = Answer.refused(
        .message("a request that switches protocols has no body", status: 400, headers: ["Connection": "close"]))
}

extension ServerResponse {
    /// Switches the connection to another protocol, whose bytes a closure reads and writes (RFC 9110, 7.8).
    ///
    ///     server.route("GET", "/lines") { _ in
    ///         .upgrade(to: "lines") { stream in
    ///             while let bytes = try await stream.read() { try await stream.write(bytes) }
    ///         }
    ///     }
    ///
    /// Over HTTP/1.1 the response is 101 (Switching Protocols). Over HTTP/2 an extended CONNECT (RFC 8441) reaches the same route
    /// as a GET with an Upgrade field, and the response is 200. A request that does not ask for the protocol receives 426. One with
    /// a body over HTTP/1.1 receives 400.
    ///
    /// The stream is closed when the closure returns, as by ``ServerDuplex/close()``, and reset if it throws. The closure's task is
    /// cancelled when the connection ends before both sides have finished.
    ///
    /// - Parameters:
    ///   - name: the protocol, as in the Upgrade field and in `:protocol`.
    ///   - headers: further header fields; they replace those of the switch.
    ///   - run: reads and writes the protocol's bytes.
    public static func upgrade(
        to name: String, headers: ServerHeaders = [:], _ run: @escaping @Sendable (ServerDuplex) async throws -> Void
    ) -> ServerResponse {
        ServerResponse(
            upgrade: ServerUpgrade { offer in
                if offer.hasBody { return ServerUpgrade.bodyRefused }
                guard offer.asks(for: name) else {
                    return ServerUpgrade.required(name, "the route requires an upgrade to \(name)")
                }
                return .accepted(ServerUpgrade.fields(name).replaced(by: headers), run)
            })
    }
}

extension ServerHeaders {
    /// Returns the fields, where those of another list take the place of the same names.
    func replaced(by other: ServerHeaders) -> ServerHeaders {
        ServerHeaders(fields.filter { !other.contains($0.name) } + other.fields)
    }
}
