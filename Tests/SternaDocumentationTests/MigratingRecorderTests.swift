import Sterna
import SternaPlatform
import SternaRecorder
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows about recorders of the pages for people who come from elsewhere.
@Suite("Coming from other libraries: recorders", .timeLimit(.minutes(5)))
struct MigratingRecorderTests {
    @Test("A recorder in a folder, and its file")
    func recorder() async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "sterna-recorder-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: place) }
        let (folder, file) = ("\(place)/exchanges", "\(place)/api.har")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let recorder = try Recorder(folder: folder)
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) {
                $0.events.record(with: recorder)
            }
            try await api.get("get")
        }
        try await recorder.har().write(to: file)
        try expectEqual(HARDocument(file: file).entries.map(\.response.status), [200])
    }
}
