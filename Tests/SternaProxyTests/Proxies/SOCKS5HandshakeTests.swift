import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// RFC 1928 and RFC 1929.
@Suite("SOCKS 5")
struct SOCKS5HandshakeTests {
    static func handshake(
        _ host: String = "example.com", _ port: Int = 443, credentials: Bool = false
    ) throws(SternaError) -> SOCKS5Handshake {
        try SOCKS5Handshake(
            host: host, port: port, username: credentials ? "us:er" : nil, password: credentials ? "p\u{E4}ss" : nil)
    }

    static let request: [UInt8] = [5, 1, 0, 3, 11] + Array("example.com".utf8) + [1, 187]
    static let authentication: [UInt8] = [1, 5] + Array("us:er".utf8) + [5] + Array("p\u{E4}ss".utf8)

    /// Successful replies with an address of each type.
    static let replies: [[UInt8]] = [
        [5, 0, 0, 1, 10, 0, 0, 1, 4, 56], [5, 0, 0, 4] + [UInt8](repeating: 0xFE, count: 16) + [0, 0],
        [5, 0, 0, 3, 3, 0x61, 0x2E, 0x62, 255, 255], [5, 0, 0, 3, 0, 0, 0],
        [5, 0, 0, 3, 255] + [UInt8](repeating: 5, count: 257), [5, 0, 0xFF, 1, 0, 0, 0, 0, 0, 0],
    ]

    @Test("The greeting offers a password only if there are credentials")
    func greeting() throws {
        try expectEqual(Self.handshake().greeting, [5, 1, 0])
        try expectEqual(Self.handshake(credentials: true).greeting, [5, 2, 0, 2])
    }

    @Test(
        "Addresses are sent as such, anything else as a name",
        arguments: [
            ("example.com", 443, [3, 11] + Array("example.com".utf8) + [1, 187]), ("a", 1, [3, 1, 0x61, 0, 1]),
            ("192.0.2.1", 80, [1, 192, 0, 2, 1, 0, 80]),
            ("255.255.255.255", 65_535, [1, 255, 255, 255, 255, 255, 255]),
            ("2001:db8::1", 256, [4, 0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0]),
            ("::ffff:10.0.0.1", 0, [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1, 0, 0]),
            ("1.2.3", 1, [3, 5, 0x31, 0x2E, 0x32, 0x2E, 0x33, 0, 1]), ("a.", 1, [3, 2, 0x61, 0x2E, 0, 1]),
            (String(repeating: "n", count: 255), 1, [3, 255] + [UInt8](repeating: 0x6E, count: 255) + [0, 1]),
        ] as [(String, Int, [UInt8])])
    func target(host: String, port: Int, bytes: [UInt8]) throws {
        var handshake = try Self.handshake(host, port)
        try expectEqual(handshake.receive([5, 0]), .send([5, 1, 0] + bytes))
    }

    @Test(
        "Hosts, ports and credentials that SOCKS cannot carry are refused",
        arguments: [
            ("", 1, nil, nil), (String(repeating: "n", count: 256), 1, nil, nil), ("a", -1, nil, nil),
            ("a", 65_536, nil, nil),
            ("a", .max, nil, nil), ("a", .min, nil, nil), ("a\u{0}", 1, nil, nil), ("a b", 1, nil, nil),
            ("\u{E9}", 1, nil, nil),
            ("a", 1, "", "s3cret"), ("a", 1, nil, "s3cret"), ("a", 1, String(repeating: "u", count: 256), "s3cret"),
            ("a", 1, "u", "s3cret" + String(repeating: "p", count: 250)),
        ] as [(String, Int, String?, String?)])
    func unsendable(host: String, port: Int, username: String?, password: String?) throws {
        let error = try #require(throws: SternaError.self) {
            try SOCKS5Handshake(host: host, port: port, username: username, password: password)
        }
        #expect(error.kind == .proxyFailed && error.phase == .proxy)
        #expect(!"\(error)".contains("s3cret"))
    }

    @Test("Credentials of the maximum length, and an empty password, are sent")
    func lengths() throws {
        let (user, secret) = (String(repeating: "u", count: 255), String(repeating: "p", count: 255))
        var handshake = try SOCKS5Handshake(host: "a", port: 1, username: user, password: secret)
        try expectEqual(handshake.receive([5, 2]), .send([1, 255] + Array(user.utf8) + [255] + Array(secret.utf8)))
        handshake = try SOCKS5Handshake(host: "a", port: 1, username: "u", password: nil)
        try expectEqual(handshake.receive([5, 2]), .send([1, 1, 0x75, 0]))
    }

    /// Feeds a whole conversation, each of the proxy's turns cut at one place, or into single bytes for nil.
    static func converse(
        _ turns: [[UInt8]], credentials: Bool, cut: Int?
    ) throws(SternaError) -> (sent: [[UInt8]], leftover: [UInt8]?) {
        var handshake = try handshake(credentials: credentials)
        var sent = [handshake.greeting]
        var leftover: [UInt8]?
        for turn in turns {
            let pieces: [ArraySlice<UInt8>] =
                if let cut { [turn.prefix(cut), turn.dropFirst(cut)] } else { turn.indices.map { turn[$0...$0] } }
            for piece in pieces {
                switch try handshake.receive(piece) {
                case .needsMore: break
                case .send(let bytes): sent.append(bytes)
                case .established(let bytes): leftover = (leftover ?? []) + bytes
                }
            }
        }
        return (sent, leftover)
    }

    @Test(
        "Every reply may be split anywhere, and bytes after it belong to the tunnel",
        arguments: replies)
    func splits(reply: [UInt8]) throws {
        for rest in [[], [5], Array("\u{16}\u{3}\u{1}server".utf8), [UInt8](repeating: 0, count: 5_000)] as [[UInt8]] {
            for cut in [nil] + (0...reply.count + 2).map(Optional.some) {
                let plain = try Self.converse([[5, 0], reply + rest], credentials: false, cut: cut)
                #expect(plain.sent == [[5, 1, 0], Self.request] && plain.leftover == rest, "\(cut as Any)")
                let offered = try Self.converse([[5, 0], reply + rest], credentials: true, cut: cut)
                #expect(offered.sent == [[5, 2, 0, 2], Self.request] && offered.leftover == rest, "\(cut as Any)")
                let secret = try Self.converse([[5, 2], [1, 0], reply + rest], credentials: true, cut: cut)
                expectEqual(secret.sent, [[5, 2, 0, 2], Self.authentication, Self.request], "\(cut as Any)")
                expectEqual(secret.leftover, rest, "\(cut as Any)")
            }
        }
    }

    @Test("A reply is complete with its last byte, and not before", arguments: replies)
    func whole(reply: [UInt8]) throws {
        var handshake = try Self.handshake()
        try expectEqual(handshake.receive(EmptyCollection<UInt8>()), .needsMore)
        try expectEqual(handshake.receive(CollectionOfOne(5)), .needsMore)
        try expectEqual(handshake.receive(AnySequence([0])), .send(Self.request))
        for byte in reply.dropLast() { try expectEqual(handshake.receive(CollectionOfOne(byte)), .needsMore) }
        try expectEqual(handshake.receive([]), .needsMore)
        try expectEqual(handshake.receive(reply.suffix(1)), .established(leftover: []))
        try expectEqual(handshake.receive([7, 8]), .established(leftover: [7, 8]))
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        var turns: [[UInt8]]
        var credentials: Bool
        var says: String
        var testDescription: String { "\(turns) \(credentials)" }

        init(_ turns: [[UInt8]], credentials: Bool = false, _ says: String) {
            (self.turns, self.credentials, self.says) = (turns, credentials, says)
        }
    }

    static let failures: [Failure] = [
        Failure([[4]], "version 4 instead of 5"), Failure([[0]], "version 0"), Failure([[0, 90]], "SOCKS4"),
        Failure([Array("HTTP/1.1 400 Bad Request".utf8)], "try http://"), Failure([[22, 3, 1]], "version 22"),
        Failure([[5, 0xFF]], "give a user name and password, as in socks5://user:password@host"),
        Failure([[5, 2]], "give a user name and password"),
        Failure([[5, 0xFF]], credentials: true, "without authentication; Sterna supports no other method."),
        Failure([[5, 1]], "method 1, which was not offered"), Failure([[5, 1]], credentials: true, "method 1"),
        Failure([[5, 3]], credentials: true, "method 3"), Failure([[5, 0x80]], credentials: true, "method 128"),
        Failure([[5, 0, 5]], "before it was asked"), Failure([[5, 2, 1]], credentials: true, "before it was asked"),
        Failure([[5, 2], [1, 0, 5]], credentials: true, "before it was asked"),
        Failure([[5, 2], [5, 0]], credentials: true, "version 5 instead of 1"),
        Failure([[5, 2], [0, 0]], credentials: true, "version 0 instead of 1"),
        Failure([[5, 2], [1, 1]], credentials: true, "refuses the user name and password (status 1); check them"),
        Failure([[5, 2], [1, 0xFF]], credentials: true, "status 255"),
        Failure([[5, 2], [1, 0], [4]], credentials: true, "version 4 instead of 5"),
        Failure([[5, 0], [4]], "version 4"), Failure([[5, 0], [0x48]], "version 72"),
        Failure([[5, 0], [5, 1]], "cannot connect to example.com on port 443: general SOCKS server failure."),
        Failure([[5, 0], [5, 2]], "connection not allowed by ruleset"),
        Failure([[5, 0], [5, 3]], "network unreachable"),
        Failure([[5, 0], [5, 4]], "host unreachable"), Failure([[5, 0], [5, 5]], "connection refused"),
        Failure([[5, 0], [5, 6]], "TTL expired"), Failure([[5, 0], [5, 7]], "command not supported"),
        Failure([[5, 0], [5, 8]], "address type not supported"), Failure([[5, 0], [5, 9]], "code 9"),
        Failure([[5, 0], [5, 255]], "code 255"),
        Failure([[5, 0], [5, 5, 0, 1, 0, 0, 0, 0, 0, 0]], "connection refused"),
        Failure([[5, 0], [5, 0, 0, 0]], "unknown type 0"), Failure([[5, 0], [5, 0, 0, 2]], "unknown type 2"),
        Failure([[5, 0], [5, 0, 0, 5]], "unknown type 5"), Failure([[5, 0], [5, 0, 0, 255]], "unknown type 255"),
    ]

    @Test("Refusals and invalid replies are errors, in one piece or byte by byte", arguments: failures)
    func failure(row: Failure) throws {
        for cut in [0, nil] {
            // Byte by byte, what comes too early only comes in its time.
            if cut == nil, row.says == "before it was asked" { continue }
            let error = try #require(throws: SternaError.self) {
                try Self.converse(row.turns, credentials: row.credentials, cut: cut)
            }
            #expect(error.kind == .proxyFailed && error.phase == .proxy)
            #expect(error.detail.contains(row.says), "\(error)")
            #expect(!error.detail.contains("us:er") && !error.detail.contains("p\u{E4}ss"), "\(error)")
        }
    }

    @Test(
        "The advice for a target that cannot be reached is to check the target, and not the proxy's URL",
        arguments: [
            (1 as UInt8, ErrorAdvice.checkProxy), (2, .chooseProxy), (3, .checkTarget), (4, .checkTarget),
            (5, .checkTarget),
            (6, .checkTarget), (7, .checkProxy), (8, .checkProxy), (255, .checkProxy),
        ])
    func advice(code: UInt8, advice: ErrorAdvice) throws {
        let error = try #require(throws: SternaError.self) {
            try Self.converse([[5, 0], [5, code]], credentials: false, cut: 0)
        }
        expectEqual(error.advice, advice.text)
    }

    @Test("An error is thrown at the wrong byte, and again afterwards")
    func early() throws {
        for row in Self.failures {
            var handshake = try Self.handshake(credentials: row.credentials)
            var first: SternaError?
            for turn in row.turns {
                do { _ = try handshake.receive(turn) } catch { first = error }
            }
            let detail = try #require(first?.detail)
            for bytes in [[], [5], [5, 0], [1, 0]] as [[UInt8]] {
                let error = try #require(throws: SternaError.self) { try handshake.receive(bytes) }
                expectEqual(error.detail, detail)
            }
        }
    }

    @Test("The host in an error is printable")
    func printable() throws {
        let host = String(repeating: "n", count: 255)
        var handshake = try Self.handshake(host)
        _ = try handshake.receive([5, 0])
        let error = try #require(throws: SternaError.self) { try handshake.receive([5, 4]) }
        #expect(error.detail.utf8.count < 200)
    }

    @Test("Random bytes in random pieces never trap, and keep to the rules", arguments: 0..<20)
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var established = 0
        for _ in 0..<1_000 {
            let credentials = Bool.random(using: &random)
            var handshake = try Self.handshake(credentials: credentials)
            var sends = 0
            do {
                conversation: for turn in 0..<40 {
                    // Mostly what may come, so that every state is reached.
                    let count = Int.random(in: 0...3, using: &random)
                    let bytes = (0..<count).map { _ in
                        Int.random(in: 0..<8, using: &random) == 0
                            ? UInt8.random(in: 0...255, using: &random)
                            : [5, 0, 0, 1, 2, 3][Int.random(in: 0..<6, using: &random)]
                    }
                    let piece =
                        turn == 0 ? [5, credentials ? [0, 2][Int.random(in: 0...1, using: &random)] : 0] : bytes
                    switch try handshake.receive(piece) {
                    case .needsMore: break
                    case .send(let bytes):
                        sends += 1
                        #expect(bytes == Self.request || bytes == Self.authentication)
                    case .established(let leftover):
                        #expect(leftover.count <= piece.count)
                        #expect(sends >= 1)
                        established += 1
                        break conversation
                    }
                }
            } catch {
                expectEqual(error.kind, .proxyFailed)
                #expect(throws: SternaError.self) { try handshake.receive([]) }
            }
            #expect(sends <= 2)
        }
        #expect(established > 0)
    }

    @Test("No description of a handshake shows the password")
    func shown() throws {
        var handshake = try SOCKS5Handshake(host: "h.example", port: 1, username: "n4me", password: "s3cret")
        _ = try handshake.receive([5, 2])
        var dumped = ""
        dump(handshake, to: &dumped)
        for text in [dumped, "\(handshake)", String(reflecting: handshake)] {
            #expect(text.contains("h.example"))
            #expect(!text.contains("s3cret") && !text.contains("n4me") && !text.contains("115"), "\(text)")
        }
    }
}
