import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Files: paths and Foundation's URLs alike")
struct FileReferenceTests {
    @Test("Every function that takes a file accepts a file URL")
    func urls() async throws {
        try await Downloading.withFolder { folder in
            let path = "\(folder)/content.txt"
            try Array("terns".utf8).withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: path)) }
            let url = URL(fileURLWithPath: path)
            expectEqual(try Body.file(url).length, 5)
            expectEqual(try FileRange(wholeFile: url).path, path)
            var builder = BodyBuilder(memoryLimit: 0, path: URL(fileURLWithPath: "\(folder)/builder"))
            try await builder.append(.file(url))
            expectEqual(builder.length, 5)
            var form = FormBuilder()
            try form.add(file: url, for: "bird")
            #expect(!form.isEmpty)
            let authority = try CertificateAuthority()
            let roots = URL(fileURLWithPath: "\(folder)/roots.pem")
            try authority.writePEM(toPath: roots.path)
            expectEqual(try Pin.certificates(at: roots), try Pin.certificates(at: roots.path))
            expectEqual(try Pin.publicKeys(at: URL(fileURLWithPath: folder)).count, 1)
            expectEqual(SecurityPolicy.authority(file: roots).roots, .file(roots.path))
            let store = try FileCredentialStore(path: URL(fileURLWithPath: "\(folder)/credentials"))
            expectEqual(store.path, "\(folder)/credentials")
            let jar = CookieJar(path: URL(fileURLWithPath: "\(folder)/cookies"))
            let cookie = try Cookie(
                name: "a", value: "1", domain: "example.com", expires: Date(timeIntervalSinceNow: 3_600))
            jar.restore(CookieSnapshot(cookies: [cookie]))
            try await jar.save()
            #expect(try CookieSnapshot(contentsOf: URL(fileURLWithPath: "\(folder)/cookies")) != nil)
            _ = HSTSStore(path: URL(fileURLWithPath: "\(folder)/hsts"))
            _ = ResponseCache.folder(URL(fileURLWithPath: "\(folder)/cache"))
            _ = NetrcFile.path(URL(fileURLWithPath: "\(folder)/netrc"))
        }
    }

    @Test("A URL that is not a file URL fails, and its error shows no secret")
    func others() async throws {
        let url = try #require(URL(string: "https://ada:s3cret@example.com/roots.pem?token=s3cret"))
        let body = #expect(throws: SternaError.self) { try Body.file(url) }
        expectEqual(body?.kind, .fileUnreadable)
        let pins = #expect(throws: SternaError.self) { try Pin.certificates(at: url) }
        expectEqual(pins?.kind, .fileUnreadable)
        expectEqual(SecurityPolicy.authority(file: url).roots, .file("https:/roots.pem"))
    }

    @Test("Streams of bytes, data and text are bodies")
    func pieces() async throws {
        func content(_ body: Body) async throws -> String? {
            var request = Request(.post, try HTTPURL("http://example.com/"))
            request.body = try await body.collected()
            return request.givenText
        }
        try await expectEqual(content(.stream(stream([[0x61], [0x62, 0x63]] as [[UInt8]]))), "abc")
        try await expectEqual(content(.stream(stream([Data([0x61]), Data([0x62])]))), "ab")
        try await expectEqual(content(.stream(stream(["tern", "é"]))), "terné")
        try await expectEqual(content(.stream(stream("a b".split(separator: " ")))), "ab")
        try await expectEqual(content(.stream(stream([Bytes(string: "x")]))), "x")
    }

    private func stream<Piece: Sendable>(_ pieces: [Piece]) -> AsyncStream<Piece> {
        AsyncStream { continuation in
            for piece in pieces { continuation.yield(piece) }
            continuation.finish()
        }
    }
}
