import Crypto
import HTTPTypes
import SternaCore
import SternaPlatform
import SternaSerialization

/// The fields of a WebSocket's handshake, and the checks of the server's answer (RFC 6455, 4; RFC 8441, 5), as pure functions.
struct WebSocketOpening: Sendable, Hashable {
    /// The base64 of 16 random bytes, by which the server proves that it speaks WebSocket.
    ///
    /// All attempts of a call send the same key: redirects and answers to a 401 belong to one handshake, and signatures of the
    /// program see the fields that are sent.
    let key: String
    let subprotocols: [String]
    let origin: String?
    /// The compression that the request offers; nil for none.
    let offer: WebSocketDeflate?

    /// What both sides have agreed on.
    struct Agreement: Sendable, Hashable {
        var subprotocol: String?
        var deflate: WebSocketDeflate?
    }

    init(_ settings: WebSocketSettings, key: String = Self.randomKey()) {
        self.key = key
        subprotocols = settings.subprotocols
        origin = settings.origin
        offer = settings.compresses ? WebSocketDeflate() : nil
    }

    static func randomKey() -> String {
        Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
    }

    /// Returns the Sec-WebSocket-Accept that belongs to a key.
    static func accept(for key: String) -> String {
        let digest = Insecure.SHA1.hash(data: Data("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
        return Data(digest).base64EncodedString()
    }

    /// The fields of the request, except Upgrade and Connection. Throws `invalidRequest` for names that are no subprotocols.
    func fields() throws(SternaError) -> [(String, String)] {
        var fields = [("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", key)]
        for (index, name) in subprotocols.enumerated() {
            guard FieldSyntax.isToken(name) else {
                throw Self.invalid(
                    "“\(FieldSyntax.printable(name))” is not the name of a subprotocol; names are tokens.")
            }
            guard !subprotocols[..<index].contains(name) else {
                throw Self.invalid("The subprotocol “\(name)” is named twice.")
            }
        }
        if !subprotocols.isEmpty { fields.append(("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", "))) }
        if let offer { fields.append(("Sec-WebSocket-Extensions", offer.offer)) }
        if let origin { fields.append(("Origin", origin)) }
        return fields
    }

    private static func invalid(_ detail: String) -> SternaError {
        SternaError(.invalidRequest, phase: .prepare, detail)
    }

    /// Returns what a response agrees to. Throws `malformedResponse` for one that is no answer to this handshake.
    func agreement(with response: Response) throws(SternaError) -> Agreement {
        // Over HTTP/2 the extended CONNECT has no key (RFC 8441, 5).
        if response.version.major < 2 { try checkSwitch(response) }
        return Agreement(subprotocol: try subprotocol(response), deflate: try deflate(response))
    }

    private func checkSwitch(_ response: Response) throws(SternaError) {
        guard response.status.code == 101 else {
            throw Self.malformed("it has the status \(response.status.code), not 101")
        }
        let upgrades = Self.elements(response, "Upgrade")
        guard upgrades.count == 1, upgrades.first?.lowercased() == "websocket" else {
            throw Self.malformed(
                upgrades.isEmpty
                    ? "it names no protocol in Upgrade" : "its Upgrade names \(Self.shown(upgrades)), not websocket")
        }
        guard Self.elements(response, "Connection").contains(where: { $0.lowercased() == "upgrade" }) else {
            throw Self.malformed("its Connection does not name Upgrade")
        }
        let accepts = response.section[values: "Sec-WebSocket-Accept"]
        guard let accept = accepts.first else { throw Self.malformed("it has no Sec-WebSocket-Accept") }
        guard accepts.count == 1, accept == Self.accept(for: key) else {
            throw Self.malformed("its Sec-WebSocket-Accept does not belong to the request's key")
        }
    }

    private func subprotocol(_ response: Response) throws(SternaError) -> String? {
        let names = Self.elements(response, "Sec-WebSocket-Protocol")
        guard let name = names.first else { return nil }
        guard names.count == 1 else { throw Self.malformed("it chooses several subprotocols: \(Self.shown(names))") }
        guard subprotocols.contains(name) else {
            throw Self.malformed("it chooses the subprotocol \(Self.shown(names)), which the request did not offer")
        }
        return name
    }

    private func deflate(_ response: Response) throws(SternaError) -> WebSocketDeflate? {
        let values = response.section[values: "Sec-WebSocket-Extensions"]
        do {
            return try WebSocketDeflate.accepted(
                values.isEmpty ? nil : values.joined(separator: ", "), offered: offer)
        } catch {
            throw Self.malformed("of its extensions: \(error.detail)")
        }
    }

    /// The elements of a field that is a list (RFC 9110, 5.6.1).
    private static func elements(_ response: Response, _ name: String) -> [String] {
        response.section[values: name].flatMap { value in
            value.split(separator: ",").map {
                String($0.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
            }
        }.filter { !$0.isEmpty }
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

    private static func shown(_ names: [String]) -> String {
        FieldSyntax.printable(names.joined(separator: ", "), limit: 200)
    }

    private static func malformed(_ reason: String) -> SternaError {
        SternaError(
            .malformedResponse, phase: .read, "The server's answer to the WebSocket handshake is invalid: \(reason).")
    }
}
