import Crypto
import SternaPlatform
import SternaSerialization

/// The server's side of a WebSocket's opening handshake (RFC 6455, 4.2; RFC 8441, 5).
struct ServerWebSocketHandshake: Sendable {
    /// What client and server have agreed on.
    struct Agreement: Sendable {
        var subprotocol: String?
        var deflate: WebSocketDeflate?
    }

    /// The server's subprotocols in order of preference.
    var subprotocols: [String] = []
    var compresses = true
    /// Further fields; they replace those of the handshake.
    var headers: ServerHeaders = [:]
    /// Whether the response has no Sec-WebSocket-Accept, for a fault.
    var omitsAccept = false

    func answer(
        _ offer: ServerUpgrade.Offer, _ run: @escaping @Sendable (ServerDuplex, Agreement) async throws -> Void
    ) -> ServerUpgrade.Answer {
        let version: ServerHeaders = ["Sec-WebSocket-Version": "13"]
        guard offer.method == "GET" else {
            return .refused(.message("a WebSocket begins with GET", status: 405, headers: ["Allow": "GET"]))
        }
        if offer.hasBody { return ServerUpgrade.bodyRefused }
        guard offer.asks(for: "websocket") else {
            return ServerUpgrade.required("websocket", "the route is a WebSocket", headers: version)
        }
        guard offer.headers.all("Sec-WebSocket-Version").map({ ASCIIText.trimmed($0) }) == ["13"] else {
            return ServerUpgrade.required("websocket", "the WebSocket version is 13", headers: version)
        }
        var fields = ServerUpgrade.fields("websocket")
        // Over HTTP/2 there is no key, since no server answers an extended CONNECT by accident.
        if offer.version != .http2 {
            let keys = offer.headers.all("Sec-WebSocket-Key").map { ASCIIText.trimmed($0) }
            guard keys.count == 1, let key = keys.first, Data(base64Encoded: key)?.count == 16 else {
                return .refused(
                    .message(
                        "Sec-WebSocket-Key must be 16 bytes in base64", status: 400, headers: ["Connection": "close"])
                )
            }
            if !omitsAccept { fields.add("Sec-WebSocket-Accept", Self.accept(key)) }
        }
        var agreement = Agreement()
        if let own = headers["Sec-WebSocket-Protocol"] {
            agreement.subprotocol = own
        } else if let chosen = subprotocol(for: offer.headers) {
            agreement.subprotocol = chosen
            fields.add("Sec-WebSocket-Protocol", chosen)
        }
        if compresses, !headers.contains("Sec-WebSocket-Extensions") {
            let offers = offer.headers.all("Sec-WebSocket-Extensions")
            let joined = offers.isEmpty ? nil : offers.joined(separator: ", ")
            if let (agreed, answer) = WebSocketDeflate.chosen(from: joined) {
                agreement.deflate = agreed
                fields.add("Sec-WebSocket-Extensions", answer)
            }
        }
        return .accepted(fields.replaced(by: headers)) { [agreement] duplex in try await run(duplex, agreement) }
    }

    /// The server's first subprotocol that the client offers.
    private func subprotocol(for headers: ServerHeaders) -> String? {
        let offered = Set(
            headers.all("Sec-WebSocket-Protocol").flatMap { $0.split(separator: ",").map { ASCIIText.trimmed($0) } })
        return subprotocols.first { offered.contains($0) }
    }

    /// The value of Sec-WebSocket-Accept that proves that the server has read the key (RFC 6455, 4.2.2).
    private static func accept(_ key: String) -> String {
        let digest = Insecure.SHA1.hash(data: Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return Data(digest).base64EncodedString()
    }
}

extension ServerResponse {
    /// Opens a WebSocket (RFC 6455), whose messages a closure receives and sends.
    ///
    ///     server.route("GET", "/echo") { _ in
    ///         .webSocket { socket in
    ///             for try await message in socket { try await socket.send(message) }
    ///         }
    ///     }
    ///
    /// Over HTTP/2 an extended CONNECT opens it (RFC 8441). A request that is not a WebSocket's handshake receives 426, with
    /// `Sec-WebSocket-Version: 13`, and one with an invalid key receives 400.
    ///
    /// When the closure returns, the socket is closed with 1000 unless that was done, and the connection ends after the client's
    /// answer, or after five seconds. If the closure throws, the code is 1011; a ``ServerStreamReset`` cuts the connection.
    ///
    /// - Parameters:
    ///   - subprotocols: the first of these that the client offers is agreed on.
    ///   - compresses: whether permessage-deflate (RFC 7692) is agreed on if the client offers it.
    ///   - headers: further header fields. They replace those of the handshake, such as Sec-WebSocket-Accept, for tests of faults.
    ///   - run: receives and sends messages.
    public static func webSocket(
        subprotocols: [String] = [], compresses: Bool = true, headers: ServerHeaders = [:],
        _ run: @escaping @Sendable (ServerWebSocket) async throws -> Void
    ) -> ServerResponse {
        webSocket(ServerWebSocketHandshake(subprotocols: subprotocols, compresses: compresses, headers: headers), run)
    }

    static func webSocket(
        _ handshake: ServerWebSocketHandshake, _ run: @escaping @Sendable (ServerWebSocket) async throws -> Void
    ) -> ServerResponse {
        ServerResponse(
            upgrade: ServerUpgrade { offer in
                handshake.answer(offer) { duplex, agreement in try await ServerWebSocket(duplex, agreement).serve(run) }
            })
    }
}
