import HTTPTypes
import Sterna
import SternaPlatform
import Testing

@testable import SternaTestSupport

@Suite("tern serve: uploads", .timeLimit(.minutes(5)))
struct ServeUploadsTests {
    /// Starts a server; returns it with its URL.
    private static func start(_ folder: String) async throws -> (TernProcess, String) {
        let process = try TernProcess(["serve", "--port", "0", "--uploads", folder])
        let line = try #require(await process.lines(1).first)
        let url = try #require(line.firstRange(of: "http://").map { line[$0.lowerBound...].prefix { $0 != ";" } })
        return (process, String(url))
    }

    @Test("After a kill in the middle of content, a new server reports the bytes in its files")
    func kill() async throws {
        let folder = try TemporaryFolder()
        let bytes = noise(1 << 20)
        let session = try Session { ($0.retry, $0.redirects) = (.none, .doNotFollow) }
        let (first, url) = try await Self.start(folder.path)
        let created = try await session.post(
            "\(url)/uploads/tus?slow=400000", headers: ["Tus-Resumable": "1.0.0", "Upload-Length": "\(bytes.count)"])
        let location = try #require(created.headers[.location])
        let id = try #require(location.split(separator: "/").last)
        func content(at offset: Int) -> Headers {
            [
                "Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream",
                "Upload-Offset": "\(offset)",
            ]
        }
        let firstFields = content(at: 0)
        let sending = Task {
            try await session.patch(location, body: .bytes(bytes), headers: firstFields)
        }
        let file = "\(folder.path)/\(id).content"
        var stored = 0
        while stored < 100_000 {
            stored = FileManager.default.contents(atPath: file)?.count ?? 0
            try await Task.sleep(for: .milliseconds(5))
        }
        first.signal(SIGKILL)
        await #expect(throws: SternaError.self) { try await sending.value }
        _ = try await first.outcome()

        let (second, other) = try await Self.start(folder.path)
        defer { second.signal(SIGKILL) }
        let asked = try await session.head("\(other)/uploads/\(id)", headers: ["Tus-Resumable": "1.0.0"])
        let kept = try #require(FileManager.default.contents(atPath: file))
        let offset = try #require(HTTPField.Name("Upload-Offset").flatMap { asked.headers[$0] }.flatMap { Int($0) })
        #expect(offset == kept.count && kept == Data(bytes.prefix(offset)))
        #expect(offset >= 100_000 && offset < bytes.count)
        _ = try await session.patch(
            "\(other)/uploads/\(id)", body: .bytes(Array(bytes[offset...])), headers: content(at: offset))
        let status = try await session.get("\(other)/uploads/\(id)/status").json()
        expectEqual(status["complete"].bool, true)
        expectEqual(FileManager.default.contents(atPath: file), Data(bytes))
        // Bytes received before the kill count, too.
        #expect((status["received"].int ?? 0) >= bytes.count)
    }

    @Test("A folder that cannot be created is an error")
    func folder() async throws {
        let outcome = try await TernProcess.run("serve", "--port", "0", "--uploads", "/dev/null/uploads")
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("cannot be used for uploads"))
    }
}
