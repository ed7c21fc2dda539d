import SternaCore
import SternaPlatform
import SwiftASN1
import Testing

@testable import SternaSecurity
@testable import SternaTestSupport

/// A file decides how often its password is hashed (RFC 8018, 4.2), and so how long a thread is busy.
@Suite("Rounds of key derivation", .timeLimit(.minutes(5)))
struct PasswordRoundsTests {
    /// The octets of an INTEGER, and what the error says of them.
    struct Row: Sendable, CustomTestStringConvertible {
        let number: [UInt8]
        let detail: String
        var testDescription: String { detail }
    }

    static let refused = [
        Row(number: [0], detail: "asks for 0 password rounds"),
        Row(number: [0xFF], detail: "asks for a negative number of password rounds"),
        Row(number: [0x80] + [UInt8](repeating: 0, count: 8), detail: "asks for a negative number of password rounds"),
        Row(
            number: [0x00, 0x98, 0x96, 0x81],
            detail: "asks for 10,000,001 password rounds, more than the 10,000,000 that are accepted."),
        Row(number: [0x05, 0xF5, 0xE1, 0x00], detail: "asks for 100,000,000 password rounds, more than"),
        Row(
            number: [0x7F] + [UInt8](repeating: 0xFF, count: 6),
            detail: "asks for 36,028,797,018,963,967 password rounds"),
        Row(number: [0x7F] + [UInt8](repeating: 0xFF, count: 7), detail: "asks for 2^56 or more password rounds"),
        // 2^64 + 1: one, for a reader that cuts it off.
        Row(number: [1] + [UInt8](repeating: 0, count: 7) + [1], detail: "asks for 2^56 or more password rounds"),
        Row(number: [UInt8](repeating: 0x7F, count: 4_000), detail: "asks for 2^56 or more password rounds"),
    ]

    // MARK: Files

    private static func refusal(_ work: () throws -> Void) -> String {
        let error = #expect(throws: SternaError.self) { try work() }
        expectEqual(error?.kind, .identityUnusable)
        return error?.detail ?? ""
    }

    private static func key(_ algorithm: [UInt8], lineLength: Int = 64) -> [UInt8] {
        let info = DERBytes.sequence(algorithm, DERBytes.octets([UInt8](repeating: 7, count: 64)))
        var text = Data(info).base64EncodedString()[...]
        var lines: [Substring] = []
        while !text.isEmpty {
            lines.append(text.prefix(lineLength))
            text = text.dropFirst(lineLength)
        }
        let body = lines.joined(separator: "\n")
        return Array(
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\n\(body)\n-----END ENCRYPTED PRIVATE KEY-----\n".utf8)
    }

    static let algorithms: [@Sendable ([UInt8]) -> [UInt8]] = [
        { DERBytes.pbes2(rounds: $0) },
        // Triple DES by PBKDF2: for the TLS library.
        { DERBytes.pbes2(rounds: $0, cipher: [1, 2, 840, 113_549, 3, 7]) },
        { DERBytes.old(1, rounds: $0) }, { DERBytes.old(3, rounds: $0) }, { DERBytes.old(6, rounds: $0) },
    ]

    // MARK: Keys

    @Test("A PEM key with too many or no rounds is refused", arguments: refused, algorithms.indices)
    func key(row: Row, algorithm: Int) {
        let bytes = Self.key(Self.algorithms[algorithm](row.number))
        let detail = Self.refusal { _ = try PrivateKeys.read(bytes, password: "secret") }
        #expect(detail.hasPrefix("The private key \(row.detail)"))
    }

    @Test("A key in DER is recognized as encrypted, and its rounds are counted", arguments: algorithms.indices)
    func binaryKey(algorithm: Int) {
        func der(_ rounds: [UInt8]) -> [UInt8] {
            DERBytes.sequence(Self.algorithms[algorithm](rounds), DERBytes.octets([UInt8](repeating: 7, count: 64)))
        }
        for password in [nil, "secret"] {
            let detail = Self.refusal { _ = try PrivateKeys.read(der([0x05, 0xF5, 0xE1, 0x00]), password: password) }
            #expect(detail.hasPrefix("The private key asks for 100,000,000 password rounds"))
        }
        #expect(Self.refusal { _ = try PrivateKeys.read(der([1]), password: nil) }.contains("a password is needed"))
        #expect(Self.refusal { _ = try PrivateKeys.read(der([1]), password: "x") }.contains("the password is wrong"))
    }

    @Test("The limit also applies to keys in text that other readers tolerate", arguments: [76, 1_000, 3])
    func lines(length: Int) {
        let key = Self.key(DERBytes.old(3, rounds: [0x05, 0xF5, 0xE1, 0x00]), lineLength: length)
        let ended = Array(String(decoding: key, as: UTF8.self).replacing("\n", with: "\r\n").utf8)
        let texts: [[UInt8]] = [
            key, ended, Array("Bag Attributes: none\n".utf8) + key, key + Array("-----BEGIN CERTIFICATE-----\n".utf8),
        ]
        for text in texts {
            let detail = Self.refusal { _ = try PrivateKeys.read(text, password: "secret") }
            #expect(detail.contains("100,000,000"))
        }
        // A key whose rounds cannot be counted is not derived.
        let name = Array("PRIVATE KEY-----\n".utf8)
        let place = key.firstRange(of: name)?.upperBound ?? 0
        let cut: [UInt8] = key[..<(place - 6)] + [0] + key[(place - 6)...]
        let wrong: [UInt8] = key[..<place] + [0x3A] + key[place...]
        for hidden in [cut, wrong] {
            #expect(Self.refusal { _ = try PrivateKeys.read(hidden, password: "secret") }.contains("damaged"))
        }
    }

    @Test("Malformed parameters are refused")
    func damaged() {
        let oid = DERBytes.identifier([1, 2, 840, 113_549, 1, 12, 1, 3])
        let method = DERBytes.identifier([1, 2, 840, 113_549, 1, 5, 13])
        for algorithm in [
            DERBytes.sequence(oid), DERBytes.sequence(oid, DERBytes.sequence()), DERBytes.sequence(method),
            DERBytes.sequence(oid, DERBytes.sequence(DERBytes.octets([1]), DERBytes.octets([1]))),
            DERBytes.sequence(method, DERBytes.sequence()), DERBytes.sequence(method, DERBytes.octets([])),
            DERBytes.old(3, rounds: []),
        ] {
            #expect(Self.refusal { _ = try PrivateKeys.read(Self.key(algorithm), password: "x") }.contains("damaged"))
        }
    }

    // MARK: Containers

    @Test("A container whose authentication code has too many or no rounds is refused", arguments: refused)
    func code(row: Row) {
        let container = DERBytes.container([], code: row.number)
        let detail = Self.refusal { _ = try ClientIdentity(pkcs12: container, password: "secret") }
        #expect(detail.hasPrefix("The PKCS #12 container \(row.detail)"))
    }

    @Test("A container with a part of too many or no rounds is refused", arguments: refused, algorithms.indices)
    func container(row: Row, algorithm: Int) {
        let algorithm = Self.algorithms[algorithm](row.number)
        let key = DERBytes.shroudedKey(algorithm)
        for part in [
            DERBytes.data(DERBytes.sequence(key)), DERBytes.data(DERBytes.sequence(DERBytes.nested(key))),
            DERBytes.encrypted(algorithm),
        ] {
            let detail = Self.refusal {
                _ = try ClientIdentity(pkcs12: DERBytes.container([part]), password: "secret")
            }
            #expect(detail.hasPrefix("The PKCS #12 container \(row.detail)"))
        }
    }

    @Test("The limit is on the sum of the rounds of all parts")
    func sum() {
        // 6,000,000
        let number: [UInt8] = [0x5B, 0x8D, 0x80]
        let key = DERBytes.data(DERBytes.sequence(DERBytes.shroudedKey(DERBytes.pbes2(rounds: number))))
        let certificates = DERBytes.encrypted(DERBytes.old(6, rounds: number))
        for container in [
            DERBytes.container([key, certificates]), DERBytes.container([key], code: number),
            DERBytes.container([certificates], code: number),
            DERBytes.container([
                DERBytes.data(
                    DERBytes.sequence(
                        DERBytes.shroudedKey(DERBytes.pbes2(rounds: number)),
                        DERBytes.shroudedKey(DERBytes.old(1, rounds: number))))
            ]),
        ] {
            let detail = Self.refusal { _ = try ClientIdentity(pkcs12: container, password: "secret") }
            #expect(detail.contains("asks for 12,000,000 password rounds in several parts, more than"))
        }
    }

    @Test("The maximum is accepted, and one round more is not")
    func limit() throws {
        func rounds(_ numbers: [UInt8]...) throws -> Int {
            var rounds = PasswordRounds(of: "It")
            for number in numbers { try rounds.add(DER.parse(DERBytes.integer(number))) }
            return rounds.total
        }
        try expectEqual(rounds([0x00, 0x98, 0x96, 0x80]), PasswordRounds.maximum)
        try expectEqual(rounds([0x00, 0x98, 0x96, 0x7F], [1]), PasswordRounds.maximum)
        #expect(throws: SternaError.self) { try rounds([0x00, 0x98, 0x96, 0x80], [1]) }
        try expectEqual(rounds([0x08, 0x00], [0x08, 0x00], [1]), 4_097)
    }

    /// The certificate's part is encrypted by Triple DES, which the TLS library decrypts.
    @Test("An old container is read, and a key that is hidden among its certificates is not derived")
    func hidden() throws {
        let identity = try ClientIdentity(pkcs12: Self.oldContainer, password: "secret")
        expectEqual(identity.certificate?.subject, "CN=rounds")
        // It asks for 100,000,000 rounds.
        let clock = ContinuousClock()
        let duration = clock.measure {
            #expect(throws: SternaError.self) {
                try ClientIdentity(pkcs12: Self.containerWithHiddenKey, password: "secret")
            }
        }
        #expect(duration < .seconds(5))
    }

    private static func bytes(_ text: String) -> [UInt8] { Data(base64Encoded: text).map { Array($0) } ?? [] }

    private static let oldContainer = bytes(
        """
        MIICzAIBAzCCAsUGCSqGSIb3DQEHAaCCArYEggKyMIICrjCCAfYGCSqGSIb3DQEHBqCCAecwggHjAgEAMIIB3AYJKoZIhvcNAQcB\
        MBsGCiqGSIb3DQEMAQMwDQQIMTIzNDU2NzgCARCAggGwV7vR164FGFEUm2/gfG0mTtpIJaMb5eAsn1O0HNeDZXYBKnRjXpqQoliz\
        bbWfboodPLKEvUKmXnez1hGJ6D+oThBMN+npjD79KA9cbIuNSbzaeoCY+pI1OCjB1JJaupQ6dW1Kigbcr8Z5xts4v2HT/AY/9Sn1\
        a60XlmHl2ykTapN2EkLOcWqDmoqNlh/5cnCb1ePTYubGfm7ajJ/8WF2PVO3JjDArsXkFwjIbdkBt914QDsRwVhVuz1GEv/iZ67O8\
        dFkYDXYIHbV9cgXgvOzK805NOHbdpa6G6taTQ4LqPpB0dJ4JK/tIpyeoL5ZEo2L67casxgpFw5hCgjDlAWi9lj7TU8F432eZRczD\
        b0cYcgqYj5Cfl02fY0FebEt+St733gZNTvH5jfOiNTbCw1qkCPl5up0xDHHaFUImmkNdlErdEqO9IpJQSvI52nxRHGrmSwhEY9J5\
        CcUSSLLait/FWFtF9aZSPWhYhxTcNaHKqWUaEckn+LLWxck9cmzYNy1NviTJcDTs9M61aB/XQ+B8Pep94JNDbVdmpmbJLF5z3gJI\
        dVjD8QeYls3kf+3W4mAxMIGxBgkqhkiG9w0BBwGggaMEgaAwgZ0wgZoGCyqGSIb3DQEMCgEBoIGKMIGHAgEAMBMGByqGSM49AgEG\
        CCqGSM49AwEHBG0wawIBAQQgjrpz8Q9ylqAYZi2oc1/Z+SZv9srNpAkKsATC6imnW4+hRANCAARTHatjgkltQdW6Ff/id4qzLGjg\
        0B6FG+oC0K8a/ZUKZJyzYGT+CM1SQLcpq+H80lDRTLd9/QgGEakkl2adV17H
        """)

    private static let containerWithHiddenKey = bytes(
        """
        MIIDRAIBAzCCAz0GCSqGSIb3DQEHAaCCAy4EggMqMIIDJjCCAm4GCSqGSIb3DQEHBqCCAl8wggJbAgEAMIICVAYJKoZIhvcNAQcB\
        MBsGCiqGSIb3DQEMAQMwDQQIMTIzNDU2NzgCARCAggIoNwTXCn2q74bD+wl6WAc4UPWVlIzNJ1pKmXm9XkTEL4nHUrkhV/34aCst\
        d2+1Hm1dVp2YVQeIyjCBhAAgQX2EaFpY9fHY9/PodWJoIXfYHzBMi2maixuFSgI1yTC7usX0o5yJDq20rOvAD0ILmu7XFNxXJSke\
        y2aktxduMIGxVbIQZUoehSw4hzLLCB5q+Ob3kBcCPl1HoUUSKVBFELYomb4eqSAl3mTx+PHgS5sm0IPJP8P8BGv9VyVR+nlGjURu\
        2NqjaygDAMpN6PpyZLqHKYfwokb33FKD64lu/ckPYopg0JdzUjyVu6ogwD1p7f4iIoPQ8eRHQM0xjSQVPAVmEu4XMEFQcF8dZ9kh\
        uZIUbiMGHXJuoSPdApMLLYeNqJvwgMyJ/1cKmiBTauA2hfe/QsgvwgJGv4Mgk1s58UQ8r9JiZ4+qejmYoonHC9RJHYguO1ZPiwxx\
        QYUhQ/X5Jh0M/E/phT7wIZwNpks8wVzskyj4MfB2DBVZacD0iL5o3WLMSY+ViVAxT9VGZKm/p9KlGXZsRkw0cntcHzarf3G94LO4\
        uFCnLsWdEPIL23mVxKIS1WyUFZBwnhSTKW/D/6A9EldOwJKrSfzwmY4d3AdIenp36ZWEH4DSXxLwV+c0rdVuH5+036YrZbIZdGdW\
        KtYUM/FjSHQYdOmmgS7+zyVOgxGOdaqLaK8jX4Q28azI9crvmIe0DyoiVn0evAGeD7f5uA4NW9k6WlGZMIGxBgkqhkiG9w0BBwGg\
        gaMEgaAwgZ0wgZoGCyqGSIb3DQEMCgEBoIGKMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjrpz8Q9ylqAYZi2o\
        c1/Z+SZv9srNpAkKsATC6imnW4+hRANCAARTHatjgkltQdW6Ff/id4qzLGjg0B6FG+oC0K8a/ZUKZJyzYGT+CM1SQLcpq+H80lDR\
        TLd9/QgGEakkl2adV17H
        """)
}

/// DER by hand, right or wrong.
private enum DERBytes {
    static func value(_ tag: UInt8, _ parts: [[UInt8]]) -> [UInt8] {
        let content = parts.flatMap { $0 }
        guard content.count >= 128 else { return [tag, UInt8(content.count)] + content }
        return [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { value(0x30, parts) }

    static func octets(_ bytes: [UInt8]) -> [UInt8] { value(0x04, [bytes]) }

    static func integer(_ bytes: [UInt8]) -> [UInt8] { value(0x02, [bytes]) }

    static func tagged(_ content: [UInt8]) -> [UInt8] { value(0xA0, [content]) }

    static func identifier(_ identifier: ASN1ObjectIdentifier) -> [UInt8] {
        var serializer = DER.Serializer()
        do { try serializer.serialize(identifier) } catch { Issue.record(error) }
        return serializer.serializedBytes
    }

    /// PBES2 with PBKDF2 (RFC 8018, A.4), by AES-256 unless told otherwise.
    static func pbes2(
        rounds: [UInt8], cipher: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 1, 42]
    ) -> [UInt8] {
        let derivation = sequence(
            identifier([1, 2, 840, 113_549, 1, 5, 12]),
            sequence(octets([1, 2, 3, 4, 5, 6, 7, 8]), integer(rounds)))
        let vector = [UInt8](repeating: 9, count: cipher == [1, 2, 840, 113_549, 3, 7] ? 8 : 16)
        return sequence(
            identifier([1, 2, 840, 113_549, 1, 5, 13]),
            sequence(derivation, sequence(identifier(cipher), octets(vector))))
    }

    /// A method of RFC 7292, appendix C.
    static func old(_ number: UInt, rounds: [UInt8]) -> [UInt8] {
        sequence(
            identifier([1, 2, 840, 113_549, 1, 12, 1, number]),
            sequence(octets([1, 2, 3, 4, 5, 6, 7, 8]), integer(rounds)))
    }

    static func shroudedKey(_ algorithm: [UInt8]) -> [UInt8] {
        let info = sequence(algorithm, octets([UInt8](repeating: 7, count: 64)))
        return sequence(identifier([1, 2, 840, 113_549, 1, 12, 10, 1, 2]), tagged(info))
    }

    static func nested(_ bag: [UInt8]) -> [UInt8] {
        sequence(identifier([1, 2, 840, 113_549, 1, 12, 10, 1, 6]), tagged(sequence(bag)))
    }

    static func data(_ content: [UInt8]) -> [UInt8] {
        sequence(identifier([1, 2, 840, 113_549, 1, 7, 1]), tagged(octets(content)))
    }

    static func encrypted(_ algorithm: [UInt8]) -> [UInt8] {
        let content = value(0x80, [[UInt8](repeating: 7, count: 64)])
        let info = sequence(identifier([1, 2, 840, 113_549, 1, 7, 1]), algorithm, content)
        return sequence(
            identifier([1, 2, 840, 113_549, 1, 7, 6]), tagged(sequence(integer([0]), info)))
    }

    /// A container of parts (RFC 7292, 4).
    static func container(_ parts: [[UInt8]], code rounds: [UInt8]? = nil) -> [UInt8] {
        let safe = data(value(0x30, parts))
        guard let rounds else { return sequence(integer([3]), safe) }
        let digest = sequence(
            sequence(identifier([2, 16, 840, 1, 101, 3, 4, 2, 1])), octets([UInt8](repeating: 5, count: 32)))
        return sequence(integer([3]), safe, sequence(digest, octets([1, 2, 3, 4, 5, 6, 7, 8]), integer(rounds)))
    }
}
