import Sterna
import SternaPlatform
import SternaSigning
import Testing

@testable import SternaTestSupport

/// Signatures beside those of botocore, which `.ci/interop-servers` installs.
@Suite(
    "Interop: AWS signatures of botocore",
    .enabled(if: InteropPython.isThere, "botocore is not there: .ci/interop-servers installs it"),
    .timeLimit(.minutes(5)))
struct AWSSignatureInteropTests {
    /// A request, as botocore's side reads it.
    struct Case: Codable, Sendable {
        var kind: String
        var access: String
        var secret: String
        var token: String?
        var service: String
        var region: String
        var method: String
        var url: String
        var headers: [[String]]
        var body: [UInt8]
        var expires: Int
        var unsigned: Bool
    }

    /// 30 August 2015, 12:36 UTC.
    private static let seconds: Int64 = 1_440_938_160

    private static let script = """
        import datetime, json, sys
        import botocore.auth as auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials

        auth.get_current_datetime = lambda *a, **k: datetime.datetime(2015, 8, 30, 12, 36, 0)

        class Unsigned:
            s3 = {"payload_signing_enabled": False}

        for line in sys.stdin:
            c = json.loads(line)
            credentials = Credentials(c["access"], c["secret"], c.get("token"))
            request = AWSRequest(method=c["method"], url=c["url"], data=bytes(c["body"]))
            for name, value in c["headers"]:
                request.headers.add_header(name, value)
            if c["unsigned"]:
                request.context["payload_signing_enabled"] = False
                request.context["client_config"] = Unsigned
            own = {"header": auth.SigV4Auth, "s3": auth.S3SigV4Auth,
                   "query": auth.SigV4QueryAuth, "s3query": auth.S3SigV4QueryAuth}[c["kind"]]
            more = {"expires": c["expires"]} if c["kind"].endswith("query") else {}
            own(credentials, c["service"], c["region"], **more).add_auth(request)
            print(json.dumps(request.url if more else request.headers["Authorization"]))
        """

    @Test("Random requests have the signatures that botocore gives them", arguments: [1, 2, 3] as [UInt64])
    func equal(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let cases = try (0..<1_000).map {
            try Self.makeCase(kind: ["header", "s3", "query", "s3query"][$0 % 4], &random)
        }
        let encoder = JSONEncoder()
        var input: [UInt8] = []
        for given in cases { input += try encoder.encode(given) + [0x0A] }
        let output = try await ChildProcess.run([InteropPython.path, "-c", Self.script], input: input)
        let decoder = JSONDecoder()
        let theirs = try output.split(separator: 0x0A).map { line in
            try decoder.decode([String].self, from: Data([UInt8(ascii: "[")] + Array(line) + [UInt8(ascii: "]")]))
        }
        try #require(theirs.count == cases.count)
        for (given, expected) in zip(cases, theirs) {
            let own = try Self.sign(given)
            expectEqual([own], expected, "seed \(seed): \(given)")
            if [own] != expected { break }
        }
    }

    private static func sign(_ given: Case) throws -> String {
        let credentials = AWSCredentials(
            accessKey: given.access, secretKey: given.secret, sessionToken: given.token)
        var signing = AWSSigning(region: given.region, service: given.service, credentials: credentials)
        let method = try #require(Request.Method(rawValue: given.method))
        var request = Request(method, try HTTPURL(given.url))
        for line in given.headers {
            request.headers.append(try Headers.field(try #require(line.first), try #require(line.last)))
        }
        let isInQuery = given.kind.hasSuffix("query")
        if isInQuery { signing.placement = .query(expires: given.expires) }
        let signer = try AWSRequestSigner(signing, credentials, seconds: seconds)
        let hash =
            given.unsigned || isInQuery && signing.isS3 ? AWSRequestSigner.unsignedPayload : AWSScope.hash(given.body)
        if isInQuery { return try signer.presigned(request, payloadHash: hash).href }
        return try #require(try signer.signed(request, payloadHash: hash).headers[.authorization])
    }

    // MARK: Random requests

    /// Names of a query are different where it is signed, since botocore keeps one value of each then. An encoded slash in a path
    /// is left out: S3 reads it as a slash, botocore signs it as it stands.
    private static func makeCase(kind: String, _ random: inout SeededRandom) throws -> Case {
        let isS3 = kind.hasPrefix("s3")
        let isInQuery = kind.hasSuffix("query")
        var path = ""
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let segment = random.text(isS3 ? "abc Z0-._~+()!é&=%" : "ab é~", 0...6)
            let isRaw = !isS3 && Bool.random(using: &random)
            path += "/" + (isRaw ? random.text("abc(!*)':@&=+$,;~._-", 0...5) : encoded(segment))
        }
        var pairs: [String] = []
        for index in 0..<Int.random(in: 0...4, using: &random) {
            let name = encoded(random.text("ab é&=+~*", 1...3)) + (isInQuery ? "\(index)" : "")
            pairs.append("\(name)=\(encoded(random.text("ab é&=+~/", 0...4)))")
        }
        let port = ["", ":8080", ":443"].randomElement(using: &random) ?? ""
        let host = random.text("abz", 1...5)
        let url = try HTTPURL(
            "https://\(host).example.com\(port)\(path)" + (pairs.isEmpty ? "" : "?\(pairs.joined(separator: "&"))"))
        var headers: [[String]] = []
        for index in 0..<Int.random(in: 0...4, using: &random) {
            headers.append(["X-\(random.text("abC-", 1...3))a\(index)", "v\(random.text("ab  c\t,;", 0...8))v"])
        }
        if Bool.random(using: &random) { headers += [["X-Dup", "a b"], ["X-Dup", " c   d"]] }
        if Bool.random(using: &random) { headers.append(["Content-Type", "text/plain; charset=utf-8"]) }
        if Bool.random(using: &random) { headers.append(["User-Agent", "x"]) }
        let length = isInQuery ? 0 : Int.random(in: 0...40, using: &random)
        return Case(
            kind: kind, access: "AK" + random.text("ABC012", 3...10), secret: random.text("abcXYZ019/+", 10...40),
            token: Bool.random(using: &random) ? random.text("abcXYZ019/+=", 5...20) : nil,
            service: isS3 ? "s3" : "execute-api", region: "eu-central-1",
            method: ["GET", "PUT", "POST", "DELETE"].randomElement(using: &random) ?? "GET", url: url.href,
            headers: headers, body: (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) },
            expires: Int.random(in: 1...604_800, using: &random),
            unsigned: !isInQuery && Int.random(in: 0..<4, using: &random) == 0)
    }

    private static func encoded(_ text: String) -> String {
        AWSCanonicalRequest.encoded(Array(text.utf8), keepsSlashes: false)
    }
}

/// The Python of the environment that `.ci/interop-servers` makes.
enum InteropPython {
    static let path = "\(ChildProcess.package)/.build/interop/venv/bin/python"

    /// Whether it has botocore and moto, or has to because this is CI.
    static var isThere: Bool { has("botocore", "moto") }

    /// Whether it has packages, by their folders, or has to because this is CI.
    static func has(_ packages: String...) -> Bool {
        let library = "\(ChildProcess.package)/.build/interop/venv/lib"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: library)) ?? []
        let hasAll = versions.contains { version in
            packages.allSatisfy { access("\(library)/\(version)/site-packages/\($0)", R_OK) == 0 }
        }
        return ChildProcess.mayNotSkip || hasAll && access(path, X_OK) == 0
    }
}

extension SeededRandom {
    mutating func text(_ characters: String, _ count: ClosedRange<Int>) -> String {
        let all = Array(characters)
        var text = ""
        for _ in 0..<Int.random(in: count, using: &self) { text.append(all[Int.random(in: all.indices, using: &self)]) }
        return text
    }
}
