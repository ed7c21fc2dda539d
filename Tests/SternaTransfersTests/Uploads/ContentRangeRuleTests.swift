import HTTPTypes
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Uploads: sessions with Content-Range", .timeLimit(.minutes(2)))
struct ContentRangeRuleTests {
    private static let create = UploadStep.create(0..<0, completes: false)
    private static let part = UploadStep.append(100..<300, completes: false)
    private static let last = UploadStep.append(100..<1_000, completes: true)
    private static let u1 = "https://example.com/files/1"

    @Test(
        "Each response leads to its outcome",
        arguments: [
            AnswerRow("created", create, 201, [("Location", "/files/1")], "proceed 0 current \(u1)"),
            AnswerRow("no Location", create, 200, "fail noLocation"),
            AnswerRow("less encryption", create, 200, [("Location", "http://example.com/")], "fail locationInsecure"),
            AnswerRow("creation failed", create, 503, "again 0 \(u1), unavailable(503)"),
            AnswerRow("nothing there", .ask, 308, "proceed 0 current \(u1)"),
            AnswerRow("some of it", .ask, 308, [("Range", "bytes=0-299")], "proceed 300 current \(u1)"),
            AnswerRow("all, and still waiting", .ask, 308, [("Range", "bytes=0-999")], "proceed 1000 \(u1)"),
            AnswerRow("complete", .ask, 200, "complete 1000"),
            AnswerRow(
                "beyond the end", .ask, 308, [("Range", "bytes=0-1000")],
                "fail offsetBeyondEnd(1001, length: 1000)"),
            AnswerRow("from the middle", .ask, 308, [("Range", "bytes=5-9")], "fail noOffset"),
            AnswerRow("no number", .ask, 308, [("Range", "bytes=0--1")], "fail noOffset"),
            AnswerRow("too large", .ask, 308, [("Range", "bytes=0-999999999999999")], "fail noOffset"),
            AnswerRow("two ranges", .ask, 308, [("Range", "bytes=0-1"), ("Range", "bytes=0-1")], "fail noOffset"),
            AnswerRow("forgotten", .ask, 404, "anew, gone(404)"),
            AnswerRow("stored", part, 308, [("Range", "bytes=0-299")], "proceed 300 current \(u1)"),
            AnswerRow("less stored", part, 308, [("Range", "bytes=0-199")], "proceed 200 current \(u1)"),
            AnswerRow("nothing stored", part, 308, [("Range", "bytes=0-99")], "proceed 100 \(u1)"),
            AnswerRow("the last", last, 201, "complete 1000"),
            AnswerRow("unavailable", last, 503, "again 100 \(u1), unavailable(503)"),
            AnswerRow("refused", last, 403, "fail refused(403, nil)"),
            AnswerRow("cancelled", .cancel, 499, "complete 0"),
        ])
    func responses(row: AnswerRow) throws {
        let state = try UploadScene.state(.contentRange, offset: row.step == .ask || row.step == Self.create ? 0 : 100)
        let response = try UploadScene.response(row.status, row.fields, at: Self.u1)
        expectEqual(UploadScene.text(UploadRule.decide(response, to: row.step, state)), row.expected)
    }

    @Test("Requests create a session, ask for the offset and send content with Content-Range")
    func requests() throws {
        let (plan, state) = (try UploadScene.plan(), try UploadScene.state(.contentRange, offset: 100))
        let made = try UploadRule.request(Self.create, try UploadScene.state(.contentRange), plan)
        #expect(made.method == .post && made.url.href == "https://example.com/files" && made.content == 0..<0)
        expectEqual(made.headers["X-Upload-Content-Length"], "1000")
        let asked = try UploadRule.request(.ask, state, plan)
        #expect(asked.method == .put && asked.headers["Content-Range"] == "bytes */1000" && asked.content == 0..<0)
        let sent = try UploadRule.request(Self.last, state, plan)
        #expect(sent.method == .put && sent.headers["Content-Range"] == "bytes 100-999/1000")
        try expectEqual(UploadRule.request(.cancel, state, plan).method, .delete)
        try expectEqual(
            UploadRule.request(.append(0..<0, completes: true), state, plan).headers["Content-Range"], "bytes */1000")
    }

    @Test("Content is cut at multiples of 256 KiB, unless it is the last or smaller")
    func sizes() throws {
        let length: Int64 = 2_000_000
        var plan = try UploadScene.plan(length)
        let state = try UploadScene.state(.contentRange, length: length, offset: 0)
        for (most, expected) in [(300_000, 262_144), (262_144, 262_144), (100, 100), (1_000_000, 786_432)]
            as [(Int64, Int64)]
        {
            plan.largestAppend = most
            expectEqual(UploadRule.next(state, plan), .append(0..<expected, completes: false))
        }
        plan.largestAppend = 3_000_000
        expectEqual(UploadRule.next(state, plan), .append(0..<length, completes: true))
    }

    @Test("A file arrives despite a cut, by a session of the store")
    func stored() async throws {
        let folder = TransferTestFolder()
        let content = StoredUploadTests.content
        let path = folder.path + "/a"
        try content.write(to: URL(filePath: path))
        try await TestServer.withServer { server async throws in
            let received = Mutex(Data())
            let ranges = Mutex<[String]>([])
            server.route("POST", "/new") { _ in
                ServerResponse(status: 200, headers: ["Location": "/session"])
            }
            server.route("PUT", "/session") { request in
                let range = request.headers["Content-Range"] ?? ""
                let isFirst = ranges.withLock { ranges in
                    ranges.append(range)
                    return ranges.count == 1
                }
                var taken = 0
                for try await piece in request.body {
                    received.withLock { $0 += Data(piece) }
                    taken += piece.count
                    // The rest of the first request is lost with its connection.
                    if isFirst, taken > 50_000 {
                        return ServerResponse(body: .raw { await $0.reset() })
                    }
                }
                let count = received.withLock { $0.count }
                guard count < content.count else { return ServerResponse(status: 201, body: .bytes([0x6F, 0x6B])) }
                return ServerResponse(status: 308, headers: count > 0 ? ["Range": "bytes=0-\(count - 1)"] : [:])
            }
            let session = try Session(baseURL: server.url)
            let store = try TransferStore(folder: folder.path + "/store")
            let transfer = try await store.upload(file: path, to: "new", with: session, .init(.contentRange))
            try await expectEqual(transfer.end(), .finished(path: path, length: 300_000))
            expectEqual(received.withLock { $0 }, content)
            #expect(transfer.response?.status == 201 && transfer.response?.body == Data("ok".utf8))
            let seen = ranges.withLock { $0 }
            #expect(seen.first == "bytes 0-299999/300000" && seen.dropFirst().first == "bytes */300000")
        }
    }
}
