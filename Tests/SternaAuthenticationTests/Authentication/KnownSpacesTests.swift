import NIOCore
import Sterna
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Authentication: known protection spaces")
struct KnownSpacesTests {
    private static let ada = Credential(user: "ada", password: "s3cret")

    private static func entry(_ url: String, _ paths: [String], realm: String = "x", _ credential: Credential = ada)
        throws
        -> KnownSpaces.Entry
    {
        KnownSpaces.Entry(
            space: ProtectionSpace(origin: try HTTPURL(url).origin, realm: realm), credential: credential,
            source: .session, scheme: .basic, isShared: true, paths: paths)
    }

    private static func add(_ entry: KnownSpaces.Entry, to spaces: inout KnownSpaces) throws {
        try spaces.update(entry) { (_) throws(SternaError) in }
    }

    static let folders: [(String, [String])] = [
        ("https://a.test", ["/"]), ("https://a.test/a", ["/"]), ("https://a.test/a/", ["/a/"]),
        ("https://a.test/a/b?c=/d/", ["/a/"]), ("https://a.test/a/../b/c", ["/b/"]),
    ]

    @Test("Basic covers what is at and below the last slash", arguments: folders)
    func basic(url: String, paths: [String]) throws {
        expectEqual(CoveredPaths.paths(.basic, of: try HTTPURL(url)), paths)
    }

    static let domains: [(String?, [String])] = [
        (nil, ["/"]), ("", ["/"]), ("/", ["/"]), ("/p /q/r", ["/p", "/q/r"]), ("https://a.test/p", ["/p"]),
        ("https://a.test:443/p", ["/p"]), ("http://a.test/p", ["/d/"]), ("https://b.test/", ["/d/"]),
        ("https://a.test:8443/ /p", ["/p"]), ("//b.test/p", ["/d/"]), ("p", ["/d/p"]), ("https://[", ["/d/"]),
    ]

    @Test("Digest covers the origin, or its domain there", arguments: domains)
    func digest(domain: String?, paths: [String]) throws {
        var line = #"Digest realm="x", nonce="n""#
        if let domain { line += ", domain=\"\(domain)\"" }
        let challenge = try #require(
            SternaCore.AuthenticationChallenge.parse([line]).first.flatMap { DigestChallenge($0) })
        #expect(CoveredPaths.paths(.digest(challenge), of: try HTTPURL("https://a.test/d/e")) == paths)
    }

    @Test(
        "Below means whole segments",
        arguments: [
            ("/a/", "/a/", true), ("/a/b", "/a/", true), ("/a", "/a/", false), ("/ab", "/a", false), ("/a", "/a", true),
            ("/a/b", "/a", true), ("/", "/a/", false), ("/b/a/", "/a/", false), ("/A/", "/a/", false),
            ("/a%2Fb", "/a/", false),
        ])
    func below(path: String, covered: String, isBelow: Bool) {
        expectEqual((CoveredPaths.match(path, in: [covered]) != nil), isBelow)
    }

    @Test("Paths are merged, up to a limit") func merged() {
        var paths = ["/a/b/", "/c/"]
        CoveredPaths.merge(["/a/", "/c/d/"], into: &paths)
        expectEqual(paths, ["/c/", "/a/"])
        CoveredPaths.merge((0..<100).map { "/\($0)/" }, into: &paths)
        expectEqual(paths.count, CoveredPaths.most)
        expectEqual(paths.last, "/99/")
    }

    @Test(
        "Nothing is known after a change of scheme, host or port",
        arguments: [
            ("https://a.test/p/q", true), ("https://a.test:443/p/", true), ("https://A.TEST/p/", true),
            ("http://a.test/p/", false), ("http://a.test:443/p/", false), ("https://a.test:8443/p/", false),
            ("https://b.test/p/", false), ("https://a.test./p/", false), ("https://x.a.test/p/", false),
            ("https://a.test/", false),
        ])
    func origins(url: String, isKnown: Bool) throws {
        var spaces = KnownSpaces()
        try Self.add(try Self.entry("https://a.test/", ["/p/"]), to: &spaces)
        expectEqual((spaces.entry(for: try HTTPURL(url)) { _ in true } != nil), isKnown)
    }

    @Test("The allowed entry with the longest matching path is used") func longest() throws {
        var spaces = KnownSpaces()
        let bob = Credential(user: "bob", password: "s3cret")
        try Self.add(try Self.entry("https://a.test/", ["/"]), to: &spaces)
        try Self.add(try Self.entry("https://a.test/", ["/b/"], realm: "y", bob), to: &spaces)
        let url = try HTTPURL("https://a.test/b/c")
        expectEqual(spaces.entry(for: url) { _ in true }?.credential, bob)
        expectEqual(spaces.entry(for: url) { $0.credential != bob }?.credential, Self.ada)
        expectNil(spaces.entry(for: url) { _ in false })
        #expect(spaces.entry(for: try HTTPURL("https://a.test/c")) { _ in true }?.credential == Self.ada)
    }

    @Test("Origins, spaces and refusals are bounded; the origin that was used last stays") func bounded() throws {
        var spaces = KnownSpaces()
        let first = try HTTPURL("https://first.test/")
        try Self.add(try Self.entry("https://first.test/", ["/"]), to: &spaces)
        for number in 0..<2 * KnownSpaces.Limits.origins {
            try Self.add(try Self.entry("https://h\(number).test/", ["/"]), to: &spaces)
            #expect(spaces.entry(for: first) { _ in true } != nil)
        }
        expectEqual(spaces.count, KnownSpaces.Limits.origins)
        for number in 0..<100 {
            try Self.add(try Self.entry("https://first.test/", ["/"], realm: "\(number)"), to: &spaces)
        }
        expectEqual(spaces.count, KnownSpaces.Limits.origins + KnownSpaces.Limits.spaces - 1)
        let now = NIODeadline.uptimeNanoseconds(1)
        for number in 0..<2 * KnownSpaces.Limits.refusals {
            spaces.refuse(
                .init(
                    space: ProtectionSpace(origin: first.origin, realm: "\(number)"), credential: Self.ada,
                    source: .session), at: now)
        }
        #expect(spaces.refused(at: first.origin, now: now).count <= KnownSpaces.Limits.refusals)
    }

    @Test("A refused credential is forgotten, and remembered as refused for five minutes") func refused() throws {
        var spaces = KnownSpaces()
        let entry = try Self.entry("https://a.test/", ["/"])
        try Self.add(entry, to: &spaces)
        let now = NIODeadline.uptimeNanoseconds(1_000)
        spaces.refuse(.init(space: entry.space, credential: Self.ada, source: .session), at: now)
        #expect(spaces.entry(for: try HTTPURL("https://a.test/")) { _ in true } == nil)
        let refusal = AuthenticationRule.Refusal(space: entry.space, credential: Self.ada)
        expectEqual(spaces.refused(at: entry.space.origin, now: now + .minutes(4)), [refusal])
        #expect(spaces.refused(at: entry.space.origin, now: now + .minutes(5)).isEmpty)
        #expect(spaces.refused(at: try HTTPURL("http://a.test/").origin, now: now).isEmpty)
        spaces.forgetRefusal(entry.space, Self.ada)
        #expect(spaces.refused(at: entry.space.origin, now: now).isEmpty)
        spaces.refuse(.init(space: entry.space, credential: Self.ada, source: .request), at: now)
        #expect(spaces.refused(at: entry.space.origin, now: now).isEmpty)
    }
}
