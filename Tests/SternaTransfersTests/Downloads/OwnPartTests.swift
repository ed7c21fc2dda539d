import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: the partial file of a download", .timeLimit(.minutes(2)))
struct OwnPartTests {
    @Test("Another download to the same file does not write into a paused transfer's partial file")
    func foreign() async throws {
        let folder = TransferTestFolder()
        try await TestServer.withServer { server async throws in
            let (size, half) = (4 << 20, 2 << 20)
            let gate = Gate()
            for (path, letter) in [("/own", 0x61 as UInt8), ("/other", 0x62)] {
                server.route("GET", path) { request in
                    let start = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
                    var headers: ServerHeaders = ["ETag": "\"\(letter)\"", "Accept-Ranges": "bytes"]
                    if start > 0 { headers["Content-Range"] = "bytes \(start)-\(size - 1)/\(size)" }
                    return ServerResponse(
                        status: start > 0 ? 206 : 200, headers: headers,
                        body: .stream(length: size - start) { writer in
                            if start < half { try await writer.write(Array(repeating: letter, count: half - start)) }
                            await gate.wait()
                            try await writer.write(Array(repeating: letter, count: size - max(half, start)))
                        })
                }
            }
            let session = try Session(baseURL: server.url)
            let store = try TransferStore(folder: folder.path + "/store")
            let path = folder.path + "/file"
            let transfer = try await store.download("own", to: path, with: session)
            for await status in transfer.updates where status.progress.completed >= 1 << 20 { break }
            try await transfer.pause()

            let other = session.downloadTask(RequestDraft(.get, "other"), to: .file(path))
            other.resume()
            for await progress in other.progress where progress.completed >= 1 << 20 { break }
            await other.cancelProducingResumeData()

            gate.open()
            try await transfer.resume()
            try await expectEqual(transfer.end(), .finished(path: path, length: Int64(size)))
            expectEqual(FileManager.default.contents(atPath: path), Data(repeating: 0x61, count: size))
            #expect(server.requests().last?.headers["Range"] != nil)
        }
    }
}
