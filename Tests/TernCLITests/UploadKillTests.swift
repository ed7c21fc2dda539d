import Crypto
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// Uploads whose client or server is killed at random moments; `STERNA_LONG_TESTS=1` makes 256 MiB and 50 kills of 8 MiB and 4.
@Suite("Uploads: killed clients and servers", .timeLimit(.minutes(30)))
struct UploadKillTests {
    private static let isLong = ProcessInfo.processInfo.environment["STERNA_LONG_TESTS"] == "1"
    private static let size: Int64 = isLong ? 256 << 20 : 8 << 20
    private static let kills = isLong ? 50 : 4

    /// Bytes a second: an upload takes some seconds, whatever the machine.
    private static let rate: Int64 = isLong ? 60_000_000 : 8_000_000

    /// The state of an upload at the server.
    private struct Status: Decodable {
        let offset: Int64
        let complete: Bool
        let received: Int64
        let sha256: String
    }

    private func makeFile(_ folder: TemporaryFolder) async throws -> (path: String, digest: String) {
        let path = folder.path("file")
        let piece = Data(noise(1 << 20, seed: .random(in: 0 ... .max)))
        var (content, digest) = (Data(), SHA256())
        for number in 0..<Int(Self.size >> 20) {
            // Each MiB begins with its number, so that none is taken for another.
            let start = Data("\(number)".utf8)
            let next = start + piece.dropFirst(start.count)
            content += next
            digest.update(data: next)
        }
        try content.write(to: URL(filePath: path))
        let text = digest.finalize().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return (path, text)
    }

    private func command(_ folder: TemporaryFolder, _ path: String, _ url: String, _ name: String) throws -> TernProcess
    {
        try TernProcess(["upload", path, url, "--resumable", name, "--store", folder.path("store"), "-s"])
    }

    @Test("An upload survives repeated kills of the client", arguments: ["ietf", "tus"])
    func client(name: String) async throws {
        let folder = try TemporaryFolder()
        let (path, digest) = try await makeFile(folder)
        try await TestServer.withServer { server async throws in
            let uploads = try UploadServer(.init(folder: folder.path("uploads")))
            uploads.serve(on: server)
            let url = server.url("/uploads/\(name)?slow=\(Self.rate)")
            var done = 0
            for kill in 0..<Self.kills {
                let process = try command(folder, path, url, name)
                // Some part of the way, also before the first byte.
                let goal =
                    Self.size * Int64(kill) / Int64(Self.kills) + Int64.random(in: 0..<Self.size / Int64(Self.kills))
                let end = ContinuousClock.now.advanced(by: .seconds(120))
                while (uploads.statuses.first?.offset ?? 0) < goal, ContinuousClock.now < end {
                    try await Task.sleep(for: .milliseconds(1))
                }
                process.signal(SIGKILL)
                if try await process.outcome().status < 0 { done += 1 }
            }
            let last = try await command(folder, path, url, name).outcome()
            expectEqual(last.status, 0, "\(last.errors)")
            try await check(
                name, try Session(baseURL: server.url), uploads.statuses.map(\.id), digest, kills: done, kind: "client")
        }
    }

    private func check(
        _ name: String, _ session: Session, _ ids: [String], _ digest: String, kills: Int, kind: String
    ) async throws {
        expectEqual(ids.count, 1, "An upload is created once.")
        let status: Status = try await session.get("uploads/\(ids.first ?? "")/status").decode()
        #expect(status.complete && status.offset == Self.size && status.sha256 == digest)
        let twice = status.received - Self.size
        print("upload by \(name), \(kind) killed: \(kills) kills, \(twice) bytes twice")
        #expect(twice <= Self.size / 100 + Int64(kills) * (4 << 20))
    }

    @Test("An upload survives repeated kills of the server", arguments: ["ietf", "tus"])
    func server(name: String) async throws {
        let folder = try TemporaryFolder()
        let (path, digest) = try await makeFile(folder)
        func serve(_ port: String) async throws -> (TernProcess, String) {
            let process = try TernProcess(["serve", "--port", port, "--uploads", folder.path("uploads")])
            let line = await process.lines(1).first ?? ""
            let url = line.split(separator: " ").first { $0.hasPrefix("http://") }.map {
                String($0.dropLast($0.hasSuffix(";") ? 1 : 0))
            }
            return (process, try #require(url, "\(line)"))
        }
        var (server, url) = try await serve("0")
        let port = try #require(url.split(separator: ":").last.map(String.init))
        let client = try command(folder, path, "\(url)/uploads/\(name)?slow=\(Self.rate)", name)
        let session = try Session(baseURL: url)
        var done = 0
        for kill in 0..<min(Self.kills, 10) {
            let goal = Self.size * Int64(kill) / Int64(Self.kills) + Int64.random(in: 0..<Self.size / Int64(Self.kills))
            let end = ContinuousClock.now.advanced(by: .seconds(120))
            while storedBytes(folder) < goal, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(2))
            }
            server.signal(SIGKILL)
            if try await server.outcome().status < 0 { done += 1 }
            (server, url) = try await serve(port)
        }
        let outcome = try await client.outcome()
        expectEqual(outcome.status, 0, "\(outcome.errors)")
        let ids = (try? FileManager.default.contentsOfDirectory(atPath: folder.path("uploads")))?.filter {
            $0.hasSuffix(".json")
        }.map { String($0.dropLast(5)) }
        try await check(name, session, ids ?? [], digest, kills: done, kind: "server")
        server.signal(SIGTERM)
        _ = try await server.outcome()
    }

    private func storedBytes(_ folder: TemporaryFolder) -> Int64 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path("uploads"))) ?? []
        return names.filter { !$0.hasSuffix(".json") }.reduce(0) {
            $0 + (FileStatus(path: "\(folder.path("uploads"))/\($1)")?.size ?? 0)
        }
    }
}
