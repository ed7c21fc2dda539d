/// The agreed parameters of permessage-deflate (RFC 7692, 7.1), or those that a client offers.
package struct WebSocketDeflate: Sendable, Hashable {
    private static let name = "permessage-deflate"

    /// Whether the server, or the client, forgets what it sent before with each message. By default the client does: its
    /// compressor then holds no 256 KiB between messages, and a server needs no window for it.
    package var serverForgets = false
    package var clientForgets = true
    /// The windows of the server's and the client's compressor, as powers of two: 9 to 15. A peer may ask for 8, which zlib's
    /// compressor does not have: a server declines such an offer, and a client that is asked for it sends all messages as they
    /// are.
    package var serverWindowBits = 15
    package var clientWindowBits = 15

    package init() {}

    /// The `Sec-WebSocket-Extensions` value of a client's offer.
    ///
    /// All parameters are tokens without quotes, since some servers refuse quoted numbers. `client_max_window_bits` has no value:
    /// it tells the server that it may limit the client's window, and some decline an offer without it.
    /// `client_no_context_takeover` is a promise, which the client keeps even if the server does not repeat it (RFC 7692,
    /// 7.1.1.2).
    package var offer: String {
        var offer = Self.name
        if serverForgets { offer += "; server_no_context_takeover" }
        if clientForgets { offer += "; client_no_context_takeover" }
        if serverWindowBits < 15 { offer += "; server_max_window_bits=\(max(9, serverWindowBits))" }
        return offer + "; client_max_window_bits"
    }

    /// Returns what a server's response agrees to, after the client's offer; nil for no extension. Throws for an extension or a
    /// parameter that was not offered, and for values out of range.
    ///
    /// A server may ask both sides to forget, and limit both windows, without having been asked (RFC 7692, 7.1). One that leaves
    /// out `server_max_window_bits` is accepted, since the reader has the largest window anyway.
    package static func accepted(_ value: String?, offered: WebSocketDeflate?) throws(WebSocketFault)
        -> WebSocketDeflate?
    {
        guard let value else { return nil }
        guard let extensions = WebSocketExtension.parse(value) else {
            throw fault("The server's Sec-WebSocket-Extensions is not in the field's syntax.")
        }
        guard let first = extensions.first else { return nil }
        guard let offered, extensions.allSatisfy({ $0.name == name }) else {
            throw fault("The server answered with an extension that the client did not offer.")
        }
        guard extensions.count == 1 else { throw fault("The server answered with \(name) more than once.") }
        guard let asked = Parameters(first) else {
            throw fault("The server answered with an unknown, repeated or invalid parameter of \(name).")
        }
        var agreed = offered
        if asked.serverForgets { agreed.serverForgets = true }
        if asked.clientForgets { agreed.clientForgets = true }
        if let bits = asked.serverWindowBits {
            guard bits <= offered.serverWindowBits else {
                throw fault("The server's window is larger than the client asked for.")
            }
            agreed.serverWindowBits = bits
        }
        switch asked.clientWindowBits {
        case .none: agreed.clientWindowBits = 15
        case .any: throw fault("The server answered with client_max_window_bits without a value.")
        case .atMost(let bits): agreed.clientWindowBits = bits
        }
        return agreed
    }

    /// Returns what a server takes of a client's offers, and the value that it answers; nil if it takes none.
    ///
    /// It takes the first offer that it understands. Unknown extensions, and offers with unknown, repeated or invalid parameters
    /// or with a window of 8 bits for the server, are passed over; a value that is not in the field's syntax has no offers.
    package static func chosen(from offers: String?) -> (agreed: WebSocketDeflate, answer: String)? {
        for offer in offers.flatMap(WebSocketExtension.parse) ?? [] where offer.name == name {
            guard let asked = Parameters(offer), asked.serverWindowBits != 8 else { continue }
            var agreed = WebSocketDeflate()
            var answer = name
            (agreed.serverForgets, agreed.clientForgets) = (asked.serverForgets, asked.clientForgets)
            if asked.serverForgets { answer += "; server_no_context_takeover" }
            // Repeated, it is an agreement: the server may then drop its window after each message.
            if asked.clientForgets { answer += "; client_no_context_takeover" }
            if let bits = asked.serverWindowBits {
                agreed.serverWindowBits = bits
                answer += "; server_max_window_bits=\(bits)"
            }
            // The client's window needs no answer, since the reader has the largest anyway.
            return (agreed, answer)
        }
        return nil
    }

    private static func fault(_ detail: String) -> WebSocketFault { WebSocketFault(code: 1002, detail: detail) }

    /// The parameters of one offer or answer, checked.
    private struct Parameters {
        enum ClientWindow {
            case none, any
            case atMost(Int)
        }

        var serverForgets = false
        var clientForgets = false
        var serverWindowBits: Int?
        var clientWindowBits = ClientWindow.none

        /// Returns nil for unknown and repeated parameters, and values that are missing, unexpected or out of range.
        init?(_ offer: WebSocketExtension) {
            var names: Set<String> = []
            for parameter in offer.parameters {
                guard names.insert(parameter.name).inserted else { return nil }
                switch (parameter.name, parameter.value) {
                case ("server_no_context_takeover", nil): serverForgets = true
                case ("client_no_context_takeover", nil): clientForgets = true
                case ("server_max_window_bits", let value?):
                    guard let bits = Self.bits(value) else { return nil }
                    serverWindowBits = bits
                case ("client_max_window_bits", nil): clientWindowBits = .any
                case ("client_max_window_bits", let value?):
                    guard let bits = Self.bits(value) else { return nil }
                    clientWindowBits = .atMost(bits)
                default: return nil
                }
            }
        }

        /// Parses 8 to 15, without leading zeros (RFC 7692, 7.1.2).
        private static func bits(_ value: String) -> Int? { (8...15).first { "\($0)" == value } }
    }
}
