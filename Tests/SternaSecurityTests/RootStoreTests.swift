import SternaCore
import SternaPlatform
import Testing

@testable import SternaSecurity
@testable import SternaTestSupport

@Suite("Root certificates")
struct RootStoreTests {
    private static let bad = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"

    private func inFile<R>(_ text: String, _ work: (String) throws -> R) throws -> R {
        let path = FileManager.default.temporaryDirectory.appending(path: "sterna-roots-\(UUID().uuidString).pem").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(text.utf8).write(to: URL(filePath: path))
        return try work(path)
    }

    @Test("SSL_CERT_FILE and SSL_CERT_DIR replace the places of the distributions; empty ones are none")
    func environment() {
        let both = SystemRoots.sources(environment: ["SSL_CERT_FILE": "/elsewhere/roots.pem", "SSL_CERT_DIR": "/a:/b"])
        expectEqual(both, [.file("/elsewhere/roots.pem"), .folder("/a"), .folder("/b")])
        expectEqual(SystemRoots.sources(environment: ["SSL_CERT_FILE": "/a.pem"]), [.file("/a.pem")])
        expectEqual(SystemRoots.sources(environment: ["SSL_CERT_DIR": "/a"]), [.folder("/a")])
        let usual = SystemRoots.sources(environment: [:])
        expectEqual(SystemRoots.sources(environment: ["SSL_CERT_FILE": "", "SSL_CERT_DIR": ""]), usual)
        if case .file(let path)? = usual.first { #expect(SystemRoots.locations.contains(path)) }
    }

    @Test("A malformed certificate is skipped, not the whole file")
    func skipped() throws {
        let text =
            try Self.bad + Forge.root("One").pem + "\n" + WeakCertificates.shortAuthority + "\n" + Forge.root("Two").pem
        let roots = try inFile(text) { try RootStore().roots(.file($0)) }
        expectEqual(roots.count, 2)
        expectEqual(roots.skipped, 2)
        try expectEqual(RootStore().roots(.pem(text)).count, 2)
    }

    @Test("Comments, other objects, line ends and cut blocks do no harm")
    func forms() throws {
        let pem = try Forge.root().pem
        let windows = "# A comment\r\n\r\n" + pem.split(separator: "\n").joined(separator: "\r\n") + "\r\n"
        let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
        for text in [
            windows, key + pem, "-----BEGIN CERTIFICATE-----\nAAAA\n" + pem, pem + "\n-----BEGIN CERTIFICATE-----\nMII",
            "\u{FEFF}# x\n" + pem,
        ] {
            try expectEqual(RootStore().roots(.pem(text)).count, 1)
        }
    }

    @Test("Roots without a valid certificate are an error", arguments: ["", "\n", "hello", bad])
    func empty(text: String) throws {
        let ofText = #expect(throws: SternaError.self) { try RootStore().roots(.pem(text)) }
        expectEqual(ofText?.kind, .certificateRejected)
        expectEqual(ofText?.phase, .tls)
        try inFile(text) { path in
            let ofFile = #expect(throws: SternaError.self) { try RootStore().roots(.file(path)) }
            expectEqual(ofFile?.kind, .certificateRejected)
            expectEqual(ofFile?.description.contains(path), true)
        }
    }

    @Test("A missing file and a directory are errors that name them")
    func missing() {
        let folder = FileManager.default.temporaryDirectory.path
        for path in ["\(folder)/sterna-no-such-file.pem", folder] {
            let error = #expect(throws: SternaError.self) { try RootStore().roots(.file(path)) }
            expectEqual(error?.kind, .certificateRejected)
            expectEqual(error?.description.contains(path), true)
        }
    }

    @Test("A file is read once; after a failure it is read again")
    func cache() throws {
        let store = RootStore()
        let path = FileManager.default.temporaryDirectory.appending(path: "sterna-roots-\(UUID().uuidString).pem").path
        #expect(throws: SternaError.self) { try store.roots(.file(path)) }
        try Data(try Forge.root().pem.utf8).write(to: URL(filePath: path))
        try expectEqual(store.roots(.file(path)).count, 1)
        try FileManager.default.removeItem(atPath: path)
        try expectEqual(store.roots(.file(path)).count, 1)
    }

    @Test("A policy whose roots cannot be read refuses every server, and says why")
    func verdict() async throws {
        let leaf = try Forge.root().issueLeaf().der
        let path = "\(FileManager.default.temporaryDirectory.path)/sterna-no-such-file.pem"
        let verdict = await SecurityPolicy.authority(file: path).evaluate(
            chain: [leaf], host: Forge.host, time: Forge.now
        ).verdict
        guard case .rejected(let failure) = verdict else {
            Issue.record("accepted")
            return
        }
        #expect(failure.reason.contains(path))
    }
}
