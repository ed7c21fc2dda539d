import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

/// RFC 7692, sections 5 and 7.1, and RFC 6455, section 9.1.
@Suite("WebSocket: negotiation of compression")
struct WebSocketNegotiationTests {
    /// Parameters in short: who forgets, and the windows.
    static func short(_ deflate: WebSocketDeflate?) -> String {
        guard let deflate else { return "none" }
        return "\(deflate.serverForgets ? "S" : "s")\(deflate.serverWindowBits) "
            + "\(deflate.clientForgets ? "C" : "c")\(deflate.clientWindowBits)"
    }

    @Test("A client's offer has tokens without quotes, and no window of 8 bits")
    func offer() {
        var deflate = WebSocketDeflate()
        expectEqual(deflate.offer, "permessage-deflate; client_no_context_takeover; client_max_window_bits")
        (deflate.serverForgets, deflate.clientForgets, deflate.serverWindowBits) = (true, false, 8)
        expectEqual(
            deflate.offer,
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=9; client_max_window_bits")
    }

    @Test(
        "What a server answers is agreed to",
        arguments: [
            (nil, "none"), ("", "none"), (" , ", "none"),
            ("permessage-deflate", "s15 c15"),
            ("permessage-deflate; client_no_context_takeover", "s15 C15"),
            ("permessage-deflate;server_no_context_takeover", "S15 c15"),
            ("permessage-deflate; server_max_window_bits=8", "s8 c15"),
            ("permessage-deflate ; server_max_window_bits = 12 ; client_max_window_bits=\"10\"", "s12 c10"),
            ("permessage-deflate; client_max_window_bits=8", "s15 c8"),
            ("permessage-deflate; client_max_window_bits=15; server_max_window_bits=15", "s15 c15"),
        ] as [(String?, String)])
    func accepted(value: String?, expected: String) throws {
        var offered = WebSocketDeflate()
        offered.clientForgets = false
        expectEqual(Self.short(try WebSocketDeflate.accepted(value, offered: offered)), expected)
    }

    @Test(
        "A client that promised to forget does so, whatever the server answers, and so does a server that was asked to")
    func promises() throws {
        var offered = WebSocketDeflate()
        expectEqual(Self.short(try .accepted("permessage-deflate", offered: offered)), "s15 C15")
        offered.serverWindowBits = 10
        expectEqual(Self.short(try .accepted("permessage-deflate", offered: offered)), "s10 C15")
        expectEqual(
            Self.short(try .accepted("permessage-deflate; server_max_window_bits=9", offered: offered)), "s9 C15")
        #expect(throws: WebSocketFault.self) {
            try WebSocketDeflate.accepted("permessage-deflate; server_max_window_bits=11", offered: offered)
        }
    }

    @Test(
        "An answer that was not offered, or is not valid, is a fault",
        arguments: [
            "x-webkit-deflate-frame", "permessage-deflate, permessage-deflate", "permessage-deflate, foo", "foo",
            "permessage-deflate; foo", "permessage-deflate; foo=1", "permessage-deflate; server_max_window_bits",
            "permessage-deflate; server_max_window_bits=7", "permessage-deflate; server_max_window_bits=16",
            "permessage-deflate; server_max_window_bits=08", "permessage-deflate; server_max_window_bits=+9",
            "permessage-deflate; server_max_window_bits=99999999999999999999",
            "permessage-deflate; client_max_window_bits", "permessage-deflate; client_max_window_bits=0",
            "permessage-deflate; client_no_context_takeover=1", "permessage-deflate; server_no_context_takeover=true",
            "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
            "permessage-deflate; server_max_window_bits=10; server_max_window_bits=10",
            "permessage-deflate;", "permessage-deflate; ", "; foo", "permessage-deflate foo", "permessage-deflate; a=",
            "permessage-deflate; server_max_window_bits=\"10", "permessage-deflate; server_max_window_bits=\"\"",
            "permessage-deflate; server_max_window_bits=\"1 0\"", "permessage-deflate; =10", "\"permessage-deflate\"",
            "permessage-deflate=1",
        ])
    func refused(value: String) {
        let fault = #expect(throws: WebSocketFault.self) {
            try WebSocketDeflate.accepted(value, offered: WebSocketDeflate())
        }
        expectEqual(fault?.code, 1002)
    }

    @Test("Without an offer each extension is a fault")
    func unasked() throws {
        #expect(throws: WebSocketFault.self) { try WebSocketDeflate.accepted("permessage-deflate", offered: nil) }
        expectNil(try WebSocketDeflate.accepted(nil, offered: nil))
    }

    @Test(
        "A server takes the first offer that it understands",
        arguments: [
            (nil, "none", ""), ("", "none", ""), ("foo, bar; baz=1", "none", ""),
            ("permessage-deflate", "s15 c15", "permessage-deflate"),
            ("permessage-deflate; client_max_window_bits", "s15 c15", "permessage-deflate"),
            ("permessage-deflate; client_max_window_bits=8", "s15 c15", "permessage-deflate"),
            (
                "permessage-deflate; client_no_context_takeover; client_max_window_bits", "s15 C15",
                "permessage-deflate; client_no_context_takeover"
            ),
            (
                "permessage-deflate; server_no_context_takeover; server_max_window_bits=\"9\"", "S9 c15",
                "permessage-deflate; server_no_context_takeover; server_max_window_bits=9"
            ),
            (
                "foo; bar=\"a\", permessage-deflate;server_max_window_bits=10", "s10 c15",
                "permessage-deflate; server_max_window_bits=10"
            ),
            ("permessage-deflate; server_max_window_bits=8", "none", ""),
            ("permessage-deflate; server_max_window_bits=8, permessage-deflate", "s15 c15", "permessage-deflate"),
            ("permessage-deflate; foo, permessage-deflate", "s15 c15", "permessage-deflate"),
            ("permessage-deflate; server_max_window_bits", "none", ""),
            ("permessage-deflate; server_max_window_bits=16", "none", ""),
            ("permessage-deflate; client_max_window_bits=7", "none", ""),
            ("permessage-deflate; client_no_context_takeover=1", "none", ""),
            ("permessage-deflate; client_max_window_bits; client_max_window_bits", "none", ""),
            (", ,permessage-deflate,", "s15 c15", "permessage-deflate"),
            ("permessage-deflate; a=\"", "none", ""), ("permessage-deflate permessage-deflate", "none", ""),
        ] as [(String?, String, String)])
    func chosen(offers: String?, expected: String, answer: String) throws {
        let chosen = WebSocketDeflate.chosen(from: offers)
        expectEqual(Self.short(chosen?.agreed), expected)
        expectEqual(chosen?.answer ?? "", answer)
        guard let chosen else { return }
        // Both sides come to the same agreement, but for the client's window, which the server need not know.
        var offered = WebSocketDeflate()
        (offered.clientForgets, offered.serverForgets) = (false, false)
        expectEqual(try WebSocketDeflate.accepted(chosen.answer, offered: offered), chosen.agreed)
    }

    @Test("A client's own offer is taken")
    func ownOffer() throws {
        let chosen = try #require(WebSocketDeflate.chosen(from: WebSocketDeflate().offer))
        expectEqual(try WebSocketDeflate.accepted(chosen.answer, offered: WebSocketDeflate()), chosen.agreed)
    }
}
