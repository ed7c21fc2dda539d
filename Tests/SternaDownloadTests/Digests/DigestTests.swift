import HTTPTypes
import SternaCore
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Digests of downloads")
struct DigestTests {
    // The examples of RFC 9530, appendix B and section 2.
    static let content = "{\"hello\": \"world\"}\n"
    static let hex = "44aff4ab2d7c3250525675a08f0cfa9591168cffe51791c5f5bbc417c15a6c38"

    private static func hasher(_ algorithm: DigestAlgorithm, _ pieces: [String] = [content]) -> DigestHasher {
        var hasher = DigestHasher(algorithm)
        for piece in pieces { hasher.update(Bytes(text: piece)) }
        return hasher
    }

    private static func section(_ fields: KeyValuePairs<String, String>) -> FieldSection {
        FieldSection(
            HTTPFields(
                fields.compactMap { pair in HTTPField.Name(pair.key).map { HTTPField(name: $0, value: pair.value) } }))
    }

    private static func expected(
        _ status: Int, _ fields: KeyValuePairs<String, String>, isCoded: Bool = false, caller: String? = nil
    ) throws -> ExpectedDigests {
        ExpectedDigests(
            status: status, fields: section(fields), isCoded: isCoded,
            caller: try caller.map(ExpectedDigest.init(sha256:)))
    }

    @Test("Bytes are hashed in pieces") func pieces() {
        expectEqual(Data(Self.hasher(.sha256).digest()).base64EncodedString(), Samples.sha256)
        expectEqual(Data(Self.hasher(.sha512).digest()).base64EncodedString(), Samples.sha512)
        var pieces = Self.hasher(.sha256, ["{\"hello\":", "", " \"world\"}"])
        let before = pieces
        pieces.update(Bytes(text: "\n"))
        expectEqual(pieces.digest(), Self.hasher(.sha256).digest())
        #expect(before.digest() != pieces.digest())
    }

    static let fields: [([String], [DigestAlgorithm])] = [
        ([], []), ([""], []), (["sha-256=:\(Samples.sha256):"], [.sha256]),
        (["sha-512=:\(Samples.sha512):"], [.sha512]),
        (["sha-256=:\(Samples.sha256):, sha-512=:\(Samples.sha512):"], [.sha256, .sha512]),
        (["sha-256=:\(Samples.sha256):", "sha-512=:\(Samples.sha512):"], [.sha256, .sha512]),
        (["md5=:AAAA:, sha-256=:\(Samples.sha256):;a=1, b"], [.sha256]),
        (["sha-256=:AAAA:, sha-256=:\(Samples.sha256):"], [.sha256]),
        (["sha-256=:AAAA:"], []), (["sha-256"], []), (["sha-256=\"\(Samples.sha256)\""], []),
        (["SHA-256=:\(Samples.sha256):"], []),
        (["sha-256=(:\(Samples.sha256):)"], []), (["sha-256=:\(Samples.sha256):,"], []),
        (["sha-256=:\(Samples.sha256)"], []),
        (["sha-256=:\(Samples.sha256):, @"], []),
        (["sha-256=:\(Samples.sha256):", String(repeating: "a", count: 5_000)], []),
    ]

    @Test("Fields are read as dictionaries", arguments: fields)
    func reads(lines: [String], expected: [DigestAlgorithm]) {
        let digests = DigestField.digests(lines, .contentField)
        expectEqual(digests.map(\.algorithm), expected)
        for digest in digests { expectEqual(digest.value, Self.hasher(digest.algorithm).digest()) }
    }

    @Test("The content of a 200 is the file, and the strongest digest is verified") func whole() throws {
        let both = try Self.expected(
            200, ["Content-Digest": "sha-256=:\(Samples.sha256):", "Repr-Digest": "sha-512=:\(Samples.sha512):"])
        expectEqual(both.fileAlgorithm, .sha512)
        expectEqual(both.file.map(\.source), [.representationField])
        #expect(both.content.isEmpty)
        let equal = try Self.expected(
            200, ["Content-Digest": "sha-256=:\(Samples.sha256):", "Repr-Digest": "sha-256=:\(Samples.sha256):"])
        expectEqual(equal.file.count, 2)
    }

    @Test("The content of a 206 is the part") func part() throws {
        let digests = try Self.expected(
            206, ["Content-Digest": "sha-256=:\(Samples.sha256):", "Repr-Digest": "sha-512=:\(Samples.sha512):"])
        expectEqual(digests.contentAlgorithm, .sha256)
        expectEqual(digests.content.map(\.source), [.contentField])
        expectEqual(digests.file.map(\.source), [.representationField])
    }

    @Test("Digests of coded bytes do not apply to a decoded file") func coded() throws {
        let fields: KeyValuePairs = ["Content-Digest": "sha-256=:\(Samples.sha256):"]
        try expectEqual(Self.expected(200, fields, isCoded: true), Self.expected(200, [:]))
        try expectEqual(Self.expected(200, fields, isCoded: true, caller: Self.hex).file.map(\.source), [.caller])
    }

    @Test("With a caller's digest, the file is hashed once") func caller() throws {
        let digests = try Self.expected(
            200, ["Content-Digest": "sha-256=:\(Samples.sha256):", "Repr-Digest": "sha-512=:\(Samples.sha512):"],
            caller: Self.hex)
        expectEqual(digests.file.map(\.source), [.caller, .contentField])
        expectEqual(digests.fileAlgorithm, .sha256)
    }

    @Test(
        "A SHA-256 is read", arguments: [hex, hex.uppercased(), Samples.sha256, String(Samples.sha256.dropLast())])
    func callers(text: String) throws {
        try expectEqual(ExpectedDigest(sha256: text).value, Self.hasher(.sha256).digest())
    }

    @Test(
        "An invalid SHA-256 is refused",
        arguments: [
            "", "44af", String(repeating: "g", count: 64), Samples.sha512, "sha256-" + Samples.sha256, hex + " ",
        ])
    func refuses(text: String) throws {
        let error = try #require(throws: SternaError.self) { try ExpectedDigest(sha256: text) }
        expectEqual(error.kind, .invalidRequest)
    }

    @Test("The error names the algorithm and the digests") func verdict() throws {
        let digests = try Self.expected(200, ["Content-Digest": "sha-256=:\(Samples.sha256):"], caller: Self.hex)
        expectNil(Self.hasher(.sha256).verdict(digests.file, of: "the file a"))
        let other = Self.hasher(.sha256, ["x"])
        let error = try #require(other.verdict(digests.file, of: "the file a"))
        expectEqual(error.kind, .digestMismatch)
        expectEqual(error.phase, .read)
        #expect(error.requestSent)
        for part in ["sha-256", "the file a", Self.hex, HexText.text(of: other.digest()), "given for the download"] {
            #expect(error.detail.contains(part))
        }
        let server = try Self.expected(200, ["Repr-Digest": "sha-256=:\(Samples.sha256):"])
        expectEqual(other.verdict(server.file, of: "the file a")?.detail.contains("Repr-Digest"), true)
        expectNil(other.verdict([], of: "the file a"))
    }
}
