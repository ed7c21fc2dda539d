import Sterna
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Authentication: stores")
struct CredentialFileTests {
    private static func space(_ url: String, _ realm: String? = nil) throws -> ProtectionSpace {
        ProtectionSpace(origin: try HTTPURL(url).origin, realm: realm)
    }

    @Test("A file's credentials are parsed, and written back unchanged") func roundTrip() throws {
        let file = try CredentialFile(parsing: Array(Samples.credentialFile.utf8))
        expectEqual(file.credentials.count, 3)
        #expect(
            file.credentials[try Self.space("https://a.test/x", "Staff “1”")]
                == Credential(user: "ada", password: "s3cret"))
        #expect(file.credentials[try Self.space("http://127.0.0.1:8080")] == .bearer("t0ken"))
        #expect(file.credentials[try Self.space("https://[::1]:443", "")] == Credential(user: "", password: ""))
        try expectEqual(CredentialFile(parsing: file.content()), file)
    }

    static let item = #"{"origin": "https://a.test", "user": "ada", "password": "s3cret"}"#

    @Test(
        "Nothing else is",
        arguments: [
            "", "{}", "[]", "null", #"{"version": 1}"#, #"{"version": 2, "credentials": []}"#,
            #"{"version": "1", "credentials": []}"#, #"{"version": 1, "credentials": {}}"#,
            #"{"version": 1, "credentials": [], "more": 1}"#, #"{"version": 1, "credentials": [1]}"#,
            "{\"version\": 1, \"credentials\": [\(item), \(item)]}", "{\"version\": 1, \"credentials\": [\(item)]} x",
            "{\"version\": 1, \"credentials\": [\(item.replacing("https://a.test", with: "https://a.test/"))]}",
            "{\"version\": 1, \"credentials\": [\(item.replacing("https://a.test", with: "https://A.test"))]}",
            "{\"version\": 1, \"credentials\": [\(item.replacing("https://a.test", with: "ftp://a.test"))]}",
            "{\"version\": 1, \"credentials\": [\(item.replacing("https://a.test", with: "https://u@a.test"))]}",
            "{\"version\": 1, \"credentials\": [\(item.replacing("\"user\"", with: "\"token\""))]}",
            "{\"version\": 1, \"credentials\": [\(item.replacing("\"ada\"", with: "null"))]}",
            "{\"version\": 1, \"credentials\": [\(item.replacing("}", with: ", \"realm\": null}"))]}",
            "{\"version\": 1, \"credentials\": [\(item.replacing("}", with: ", \"more\": 1}"))]}",
        ])
    func strict(text: String) {
        let fault = #expect(throws: CredentialFile.Fault.self) { try CredentialFile(parsing: Array(text.utf8)) }
        expectEqual(fault?.reason.contains("s3cret"), false)
    }

    @Test("A file is made for its owner alone, and replaced as a whole") func file() async throws {
        try await CredentialFolder.with { folder in
            let path = folder + "/credentials.json"
            let store = try FileCredentialStore(path: path)
            let space = try Self.space("https://a.test/", "x")
            try await expectNil(store.credential(for: space))
            expectNil(CredentialFolder.mode(path))
            try await store.setCredential(Credential(user: "ada", password: "s3cret"), for: space)
            expectEqual(CredentialFolder.mode(path), 0o600)
            try await expectEqual(store.credential(for: space), Credential(user: "ada", password: "s3cret"))
            #expect(try await store.credential(for: Self.space("http://a.test/", "x")) == nil)
            #expect(try await store.credential(for: Self.space("https://a.test/", "y")) == nil)
            // Another store sees it, and each change of many at once.
            let other = try FileCredentialStore(path: path)
            try await expectEqual(other.credential(for: space)?.user, "ada")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    let space = try Self.space("https://h\(number).test/")
                    group.addTask { try await store.setCredential(.bearer("t"), for: space) }
                }
                try await group.waitForAll()
            }
            try expectEqual(
                CredentialFile(parsing: Array((CredentialFolder.text(path) ?? "").utf8)).credentials.count, 51)
            try await store.setCredential(nil, for: space)
            try await expectNil(other.credential(for: space))
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), ["credentials.json"])
        }
    }

    @Test(
        "A file that others can read, a link and what is no such file are refused and left as they are",
        arguments: ["mode", "link", "content", "folder"])
    func refused(what: String) async throws {
        try await CredentialFolder.with { folder in
            let path = folder + "/credentials.json"
            let store = try FileCredentialStore(path: path)
            switch what {
            case "mode": try CredentialFolder.write(Samples.credentialFile, to: path, mode: 0o640)
            case "link":
                try CredentialFolder.write(Samples.credentialFile, to: folder + "/target")
                expectEqual(symlink(folder + "/target", path), 0)
            case "content": try CredentialFolder.write("s3cret", to: path)
            default: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            let before = CredentialFolder.text(path)
            let space = try Self.space("https://a.test/")
            let made = #expect(throws: SternaError.self) { try FileCredentialStore(path: path) }
            let read = await #expect(throws: SternaError.self) { try await store.credential(for: space) }
            let written = await #expect(throws: SternaError.self) {
                try await store.setCredential(.bearer("s3cret"), for: space)
            }
            for error in [made, read, written] {
                expectEqual(error?.kind, .fileUnreadable)
                expectEqual(error.map { "\($0)" + dumped($0) }?.contains("s3cret"), false)
            }
            expectEqual(CredentialFolder.text(path), before)
        }
    }

    @Test("No folder, no file") func missingFolder() async throws {
        let store = try FileCredentialStore(path: "/nonexistent/credentials.json")
        let error = await #expect(throws: SternaError.self) {
            try await store.setCredential(.bearer("t"), for: Self.space("https://a.test/"))
        }
        expectEqual(error?.kind, .writeFailed)
    }

    @Test("Memory") func memory() throws {
        let space = try Self.space("https://a.test/", "x")
        let store = MemoryCredentialStore([space: Credential(user: "ada", password: "s3cret")])
        expectEqual(store.credential(for: space)?.user, "ada")
        #expect(!dumped(store).contains("s3cret"))
        store.setCredential(nil, for: space)
        expectNil(store.credential(for: space))
    }
}
