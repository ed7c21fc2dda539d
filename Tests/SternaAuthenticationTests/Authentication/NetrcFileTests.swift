import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite(".netrc: the file")
struct NetrcFileTests {
    private static let text = "machine a.test login ada password s3cret"

    @Test(
        "The default file is refused if others can read or change it; one that is named causes a warning",
        arguments: [
            (0o600, true), (0o400, true), (0o700, true), (0o640, false), (0o604, false), (0o644, false), (0o620, false),
            (0o666, false),
        ] as [(mode_t, Bool)])
    func modes(mode: mode_t, isPrivate: Bool) async throws {
        try await CredentialFolder.with { folder in
            let path = folder + "/.netrc"
            try CredentialFolder.write(Self.text, to: path, mode: mode)
            let named = try NetrcFile.load(path, isNamed: true)
            expectEqual(NetrcTests.shown(named.credential(for: "a.test")), "ada/s3cret")
            expectEqual((named.warning == nil), isPrivate)
            #expect(named.warning?.contains("chmod 600") != false)
            guard !isPrivate else {
                let standard = try NetrcFile.load(path, isNamed: false)
                expectNil(standard.warning)
                #expect(standard.credential(for: "a.test") != nil)
                return
            }
            let error = #expect(throws: SternaError.self) { try NetrcFile.load(path, isNamed: false) }
            expectEqual(error?.kind, .fileUnreadable)
            expectEqual(error?.detail.contains("chmod 600"), true)
        }
    }

    @Test("A missing file is an error only if it was named; a folder, a pipe and a huge file always are") func others()
        async throws
    {
        try await CredentialFolder.with { folder in
            try expectNil(NetrcFile.load(folder + "/none", isNamed: false).credential(for: "a.test"))
            #expect(throws: SternaError.self) { try NetrcFile.path(folder + "/none").load() }
            #expect(throws: SternaError.self) { try NetrcFile.path(folder).load() }
            #expect(throws: SternaError.self) { try NetrcFile.path(folder + "/a\u{0}b").load() }
            expectEqual(mkfifo(folder + "/pipe", 0o600), 0)
            #expect(throws: SternaError.self) { try NetrcFile.path(folder + "/pipe").load() }
            try CredentialFolder.write(String(repeating: "# \n", count: 50_000), to: folder + "/huge")
            #expect(throws: SternaError.self) { try NetrcFile.path(folder + "/huge").load() }
            try Data([0x6D, 0xFF, 0xFE]).write(to: URL(fileURLWithPath: folder + "/bytes"))
            #expect(throws: SternaError.self) { try NetrcFile.path(folder + "/bytes").load() }
        }
    }

    @Test("The credential of a challenge is found by the URL's host and user")
    func answers() async throws {
        try await CredentialFolder.with { folder in
            let path = folder + "/netrc"
            try CredentialFolder.write(
                "machine a.test login ada password pw machine a.test login bob password wp", to: path)
            let server = GuardedMock(["Basic realm=x"]) {
                ["Basic YWRhOnB3", "Basic Ym9iOndw"].contains($0.headers[.authorization])
            }
            let (api, mock) = try mocked(nil, by: server.mock) { $0.auth.netrc = .path(path) }
            try await api.get("https://a.test/")
            expectEqual(mock.requests.map { $0.headers[.authorization] }, [nil, "Basic YWRhOnB3"])
            try await api.get("https://bob@A.test:8443/")
            expectEqual(
                mock.requests.suffix(2).map { $0.headers[.authorization] }, ["Basic Ym9iOg==", "Basic Ym9iOndw"])
            for url in ["https://a.test./", "https://b.test/", "https://a.test@b.test/"] {
                let count = mock.requests.count
                let error = await #expect(throws: SternaError.self) { try await api.get(url) }
                expectEqual(error?.status, 401)
                expectEqual(mock.requests.count, count + 1, "\(url)")
            }
        }
    }

    @Test("A file that could not be used is read again by the next request") func mended() async throws {
        try await CredentialFolder.with { folder in
            let path = folder + "/netrc"
            let server = GuardedMock(["Basic realm=x"]) { $0.headers[.authorization] == "Basic YWRhOnB3" }
            let (api, mock) = try mocked("https://a.test/", by: server.mock) { $0.auth.netrc = .path(path) }
            let error = await #expect(throws: SternaError.self) { try await api.get("/") }
            expectEqual(error?.kind, .fileUnreadable)
            try CredentialFolder.write("machine a.test login ada password pw", to: path)
            try await api.get("/")
            expectEqual(mock.requests.map { $0.headers[.authorization] }, [nil, nil, "Basic YWRhOnB3"])
        }
    }

    @Test("A file that cannot be used fails the request") func unusable() async throws {
        let server = GuardedMock(["Basic realm=x"]) { _ in false }
        let (api, mock) = try mocked("https://a.test/", by: server.mock) { $0.auth.netrc = .path("/nonexistent/netrc") }
        let error = await #expect(throws: SternaError.self) { try await api.get("/") }
        expectEqual(error?.kind, .fileUnreadable)
        expectEqual(error?.status, 401)
        expectEqual(mock.requests.count, 1)
    }
}
