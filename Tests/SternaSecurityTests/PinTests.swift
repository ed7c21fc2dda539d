import Crypto
import SternaCore
import SternaPlatform
import Testing

@testable import SternaSecurity
@testable import SternaTestSupport

@Suite("Pins")
struct PinTests {
    private static let text = "sha256/" + Data(repeating: 7, count: 32).base64EncodedString()

    @Test("OkHttp's notation and curl's are read, and written as OkHttp's")
    func notation() throws {
        let pin = try Pin(Self.text)
        expectEqual(pin.description, Self.text)
        #expect(try Pin(Self.text.replacing("sha256/", with: "sha256//")) == pin)
        expectEqual(Pin(stringLiteral: "\(pin)"), pin)
    }

    @Test(
        "Any other text is refused, and the error names it",
        arguments: [
            "", "sha256/", "sha1/\(Data(repeating: 7, count: 20).base64EncodedString())", text + "=",
            String(text.dropLast()),
            " " + text, text + "\n", text.replacing("Bw", with: "B-"),
            text.lowercased().replacing("sha256/", with: "SHA256/"),
            "sha256/" + Data(repeating: 7, count: 31).base64EncodedString(), String(text.dropFirst(7)),
        ])
    func refused(text: String) async {
        let error = #expect(throws: SternaError.self) { try Pin(text) }
        expectEqual(error?.kind, .invalidRequest)
        let literal = Pin(stringLiteral: text)
        let policy = SecurityPolicy.pinned([literal])
        #expect(throws: SternaError.self) { try policy.check(scheme: .https) }
        // A policy that was never validated rejects every chain.
        await expectEqual(policy.evaluate(chain: [], host: "x").verdict.failure?.check, .pin)
    }

    /// A chain of three certificates, and the pins of its keys and certificates.
    private struct Chain {
        let root = Result { try Forge.root() }
        let presented: [[UInt8]]
        let policy: SecurityPolicy
        let keys: [Pin]
        let certificates: [Pin]
        let stranger: Pin

        init() throws {
            let root = try root.get()
            let middle = try root.issueAuthority()
            let leaf = try middle.issueLeaf()
            presented = [try leaf.der, try middle.der]
            policy = .authority(pem: try root.pem)
            keys = try [leaf, middle, root].map { try Pin.publicKey(of: $0.der) }
            certificates = try [leaf, middle, root].map { try Pin.certificate($0.der) }
            stranger = try Pin.publicKey(of: Forge.root("Stranger").der)
        }

        func verdict(
            _ pins: Set<Pin>, _ rule: PinningRule = .any, presented: [[UInt8]]? = nil
        ) async -> TrustVerdict {
            var policy = policy
            policy.pins = pins
            policy.pinningRule = rule
            return await policy.evaluate(chain: presented ?? self.presented, host: Forge.host, time: Forge.now).verdict
        }
    }

    @Test("A pin of any certificate of the chain passes: server's, intermediate's or root's, key or whole")
    func any() async throws {
        let chain = try Chain()
        for pin in chain.keys + chain.certificates {
            await expectEqual(chain.verdict([pin]), .trusted)
            await expectEqual(chain.verdict([pin, chain.stranger]), .trusted)
        }
        let failure = await chain.verdict([chain.stranger]).failure
        expectEqual(failure?.check, .pin)
        for key in chain.keys { expectEqual(failure?.reason.contains(key.description), true) }
        expectEqual(failure?.presented.map(\.pin), chain.keys.prefix(2).map(\.description))
    }

    @Test("The rule .leaf needs a pin of the leaf, the rule .all a pin of each certificate")
    func rules() async throws {
        let chain = try Chain()
        await expectEqual(chain.verdict([chain.keys[0]], .leaf), .trusted)
        await expectEqual(chain.verdict([chain.keys[1], chain.keys[2]], .leaf).failure?.check, .pin)
        await expectEqual(chain.verdict(Set(chain.keys), .all), .trusted)
        await expectEqual(chain.verdict([chain.keys[0], chain.certificates[1], chain.keys[2]], .all), .trusted)
        await expectEqual(chain.verdict([chain.keys[0], chain.keys[1]], .all).failure?.check, .pin)
    }

    @Test("A pin of a certificate that the chain does not need does not match")
    func alongside() async throws {
        let chain = try Chain()
        let other = try Forge.root("Other").issueAuthority("Other authority")
        let pins: Set<Pin> = [try .publicKey(of: other.der), try .certificate(other.der)]
        let verdict = await chain.verdict(pins, presented: chain.presented + [try other.der])
        expectEqual(verdict.failure?.check, .pin)
    }

    @Test("A matching pin does not make an invalid chain valid")
    func invalid() async throws {
        let leaf = try Forge.root().issueLeaf()
        var policy = SecurityPolicy.authority(pem: try Forge.root().pem)
        policy.pins = [try .publicKey(of: leaf.der), try .certificate(leaf.der)]
        let verdict = await policy.evaluate(chain: [try leaf.der], host: Forge.host, time: Forge.now).verdict
        expectEqual(verdict.failure?.check, .issuer)
    }

    @Test("If invalid certificates are allowed, the leaf or an issuer of it must be pinned")
    func allowed() async throws {
        let root = try Forge.root("Private")
        let leaf = try root.issueLeaf()
        let other = try Forge.root("Elsewhere")
        func verdict(_ pins: Set<Pin>, _ presented: [[UInt8]], host: String = Forge.host) async throws -> TrustVerdict {
            var policy = SecurityPolicy.authority(pem: try Forge.root("Trusted").pem)
            policy.allowsInvalidCertificates = true
            policy.pins = pins
            return await policy.evaluate(chain: presented, host: host, time: Forge.now).verdict
        }
        let (own, stranger) = (try leaf.der, try other.der)
        let pins: Set<Pin> = [try .publicKey(of: own)]
        let cases: [(pins: Set<Pin>, presented: [[UInt8]], host: String, check: TrustFailure.Check?)] = [
            (pins, [own], Forge.host, nil), (pins, [own], "other.test", .hostName),
            ([try .certificate(own)], [own], Forge.host, nil), ([try .certificate(root.der)], [own], Forge.host, nil),
            // A pinned certificate that is sent along, and a key that only stands in one, prove nothing.
            ([try .certificate(stranger)], [own, stranger], Forge.host, .pin),
            ([try .publicKey(of: stranger)], [own, stranger], Forge.host, .pin),
        ]
        for (number, row) in cases.enumerated() {
            let verdict = try await verdict(row.pins, row.presented, host: row.host)
            expectEqual(verdict.failure?.check, row.check, "\(number)")
            if row.check == nil { expectEqual(verdict, .overlooked) }
        }
    }

    @Test("Pins are made of files and folders, in PEM and DER, and of a public key")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sterna-pins-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (one, two) = (try Forge.root("One"), try Forge.root("Two"))
        try Data(one.der).write(to: folder.appending(path: "one.cer"))
        try Data("# Two\n\(two.pem)\n\(one.pem)".utf8).write(to: folder.appending(path: "two.pem"))
        try Data("-----BEGIN PUBLIC KEY-----".utf8).write(to: folder.appending(path: "notes.txt"))
        let key = two.key.publicKey.pemRepresentation
        try Data(key.utf8).write(to: folder.appending(path: "key.txt"))
        let whole: Set<Pin> = [try .certificate(one.der), try .certificate(two.der)]
        let keys: Set<Pin> = [try .publicKey(of: one.der), try .publicKey(of: two.der)]
        try expectEqual(Pin.certificates(at: folder.path), whole)
        try expectEqual(Pin.publicKeys(at: folder.path), keys)
        try expectEqual(Pin.certificates(at: folder.appending(path: "one.cer").path), [.certificate(one.der)])
        try expectEqual(Pin.publicKeys(at: folder.appending(path: "two.pem").path), keys)
        try expectEqual(Pin.publicKeys(at: folder.appending(path: "key.txt").path), [.publicKey(of: two.der)])
        for name in ["notes.txt", "none.pem"] {
            let error = #expect(throws: SternaError.self) {
                try Pin.publicKeys(at: folder.appending(path: name).path)
            }
            expectEqual(error?.detail.contains(name), true)
        }
        #expect(throws: SternaError.self) { try Pin.certificates(at: folder.path + "/none") }
    }
}
