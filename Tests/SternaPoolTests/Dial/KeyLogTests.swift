import NIOCore
import NIOPosix
import SternaCore
import SternaPlatform
import SternaSecurity
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("Key logs that cannot be opened")
struct KeyLogTests {
    private func detail(_ path: String, location: SourceLocation = #_sourceLocation) -> String {
        var options = TLSOptions()
        options.keyLogFile = path
        // What an earlier call left here has nothing to do with the file.
        errno = EDEADLK
        let error = #expect(throws: SternaError.self, sourceLocation: location) {
            _ = try TLSContexts().context(options, nil, protocols: [])
        }
        expectEqual(error?.kind, .tlsFailed, sourceLocation: location)
        return error?.detail ?? ""
    }

    @Test("An impossible path is refused")
    func nul() {
        let text = detail("keys\0log")
        #expect(text.contains("its path contains a control character"), "\(text)")
    }

    @Test("The error has the system's reason")
    func reasons() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sterna-keys-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: "\(folder)/none")
        for (path, code) in [("\(folder)/none/keys", ENOENT), (folder, EISDIR), ("\(folder)/link", ELOOP)] {
            let text = detail(path)
            #expect(text.hasSuffix("cannot be opened: \(String(cString: strerror(code)))."), "\(text)")
        }
    }

    @Test("An impossible path of a body is refused")
    func body() async throws {
        let range = FileRange(path: "a\0b", offset: 0, length: 1)
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let error = await #expect(throws: SternaError.self) { _ = try await OpenFile.open(range, on: loop).get() }
        #expect(error?.underlying as? BodyFault == .controlCharacter(in: "its path"))
    }
}
