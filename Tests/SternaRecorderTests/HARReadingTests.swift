import Sterna
import SternaPlatform
import SternaRecorder
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("HAR: reading", .timeLimit(.minutes(5)))
struct HARReadingTests {
    @Test("A document of Chromium")
    func chromium() throws {
        let har = try HARDocument(parsing: HARFixtures.chromium.utf8)
        expectEqual(har.entries.count, 5)
        expectEqual(har.log["creator"]["name"].string, "WebInspector")
        let page = har.entries[0]
        expectEqual(page.started?.timeIntervalSince1970, 1_796_029_200.25)
        expectEqual(page.time, 41.25)
        expectEqual(page.request.headers[0].name, ":authority")
        expectEqual(page.request.queryString.map(\.value), ["tern", "2026"])
        expectEqual(page.response.content.bytes, Array("<p>nests</p>".utf8))
        expectEqual(page.serverIPAddress, "[2001:db8::7]")
        expectEqual(page.connection, "31")
        expectEqual(page.json["_resourceType"].string, "document")
        let timings = page.timings
        expectEqual([timings.blocked, timings.dns, timings.connect, timings.ssl], [1.25, 2, 20, 8])
        // The handshake is a part of the connection.
        expectEqual(timings.sum, 41.25)
        let image = har.entries[1]
        expectEqual(image.response.content.bytes, [0x89, 0x50, 0x4E, 0x47])
        expectNil(image.timings.connect)
        expectNil(image.serverIPAddress)
        let failed = har.entries[2]
        expectEqual(failed.response.status, 0)
        expectEqual(failed.failure, "net::ERR_NAME_NOT_RESOLVED")
        let messages = har.entries[3].webSocketMessages ?? []
        expectEqual(messages.map(\.isSent), [true, false, false])
        expectEqual(messages.map(\.bytes), [Array("hello".utf8), Array("welcome".utf8), [0, 1, 2]])
        expectEqual(har.entries[4].events?.map(\.data), [#"{"tern":3}"#])
        expectNil(har.entries[4].webSocketMessages)
    }

    @Test("A document of Firefox")
    func firefox() throws {
        let har = try HARDocument(parsing: HARFixtures.firefox.utf8)
        let entry = har.entries[0]
        expectEqual(
            entry.started.map { ($0.timeIntervalSince1970 * 1_000).rounded() }, 1_796_029_200_123)
        expectEqual(entry.request.cookies.map(\.value), ["12"])
        expectEqual(entry.request.postData?.params.map(\.name), ["item", "count"])
        // The text is what was sent; the pairs are how the browser read it.
        expectEqual(entry.request.postData?.bytes, Array("item=egg&count=2x".utf8))
        expectEqual(entry.response.redirectURL, "http://shop.example/cart/7")
        expectNil(entry.response.content.bytes)
        expectEqual(har.log["comment"].string, "exported")
    }

    @Test("A document of Firefox whose sizes are others than those of the bytes")
    func firefoxSizes() throws {
        let har = try HARDocument(parsing: HARFixtures.firefox153.utf8)
        let (style, eggs) = (har.entries[0], har.entries[1])
        expectNil(style.timings.blocked)
        expectEqual(style.response.content.bytes, Array(String(repeating: "nest { }\n", count: 5).utf8))
        expectEqual(style.response.content.size, 30)
        expectEqual(style.response.bodySize, 190)
        expectEqual(eggs.request.postData?.bytes, Array(#"{"bird":"tern é"}"#.utf8))
        expectEqual(eggs.request.postData?.params.count, 0)
        expectEqual(eggs.request.bodySize, 17)
        expectEqual(eggs.request.queryString.map(\.name), ["q", "é"])
        expectEqual(eggs.response.content.bytes, Array("none".utf8))
    }

    @Test("A document of mitmproxy")
    func mitmproxy() throws {
        let har = try HARDocument(parsing: HARFixtures.mitmproxy.utf8)
        let entry = har.entries[0]
        expectEqual(entry.started.map { ($0.timeIntervalSince1970 * 1_000_000).rounded() }, 1_796_029_200_123_456)
        expectEqual(entry.request.queryString, [])
        expectEqual(entry.request.bodySize, 16)
        expectNil(entry.timings.connect)
        expectNil(entry.timings.dns)
        expectEqual(entry.timings.sum, 30.5)
    }

    @Test(
        "What is read is written alike, with all members",
        arguments: [HARFixtures.chromium, HARFixtures.firefox, HARFixtures.firefox153, HARFixtures.mitmproxy])
    func roundTrip(text: String) throws {
        let har = try HARDocument(parsing: text.utf8)
        try expectEqual(har.json, JSON(parsing: text))
        let written = try har.serialized(showsSecrets: true)
        let again = try HARDocument(parsing: written)
        expectEqual(again, har)
        try expectEqual(again.serialized(showsSecrets: true), written)
        // Without the secrets, entries keep their places and numbers.
        try expectEqual(HARDocument(parsing: har.serialized()).entries.count, har.entries.count)
    }

    @Test("A byte order mark is skipped")
    func byteOrderMark() throws {
        let har = try HARDocument(parsing: [0xEF, 0xBB, 0xBF] + Array(HARFixtures.firefox.utf8))
        expectEqual(har.entries.count, 1)
    }

    @Test(
        "Dates",
        arguments: [
            ("2026-11-30T09:00:00Z", 1_796_029_200), ("2026-11-30T09:00:00", 1_796_029_200),
            ("2026-11-30T10:30:00.5+0130", 1_796_029_200.5), ("2026-11-30T04:00:00.25-05", 1_796_029_200.25),
            ("1970-01-01T00:00:00.000Z", 0), ("1969-12-31T23:59:59Z", -1), ("2024-02-29T00:00:00Z", 1_709_164_800),
            ("2026-13-30T09:00:00Z", nil), ("2026-11-30", nil), ("2026-11-30T09:00:00.Z", nil), ("", nil),
            ("2026-11-30T09:00:00Zx", nil), ("2026-11-30T09:00:00+1", nil),
        ] as [(String, Double?)])
    func dates(text: String, seconds: Double?) {
        let entry = HARDocument.Entry(json: ["startedDateTime": JSON(text)])
        expectEqual(entry.started?.timeIntervalSince1970, seconds)
    }

    @Test(
        "Texts that are no documents",
        arguments: [
            ("", "not valid JSON"), ("{}", "log.entries"), (#"{"log":{"entries":{}}}"#, "log.entries"),
            (#"{"log":{"entries":[1]}}"#, "Entry 1"),
            (#"{"log":{"entries":[{"request":{"method":"GET"}}]}}"#, "Entry 1"),
        ])
    func refused(text: String, reason: String) {
        let error = #expect(throws: SternaError.self) { try HARDocument(parsing: text.utf8) }
        expectEqual(error?.kind, .decodingFailed)
        #expect(error?.detail.contains(reason) == true, "\(error?.detail ?? "")")
    }

    @Test("Limits of entries, bytes and depth")
    func limits() throws {
        let many = #expect(throws: SternaError.self) {
            try HARDocument(parsing: HARFixtures.chromium.utf8, entries: 4)
        }
        expectEqual(many?.kind, .limitExceeded)
        #expect(throws: SternaError.self) {
            try HARDocument(parsing: HARFixtures.firefox.utf8, limits: .init(bytes: 100))
        }
        #expect(throws: SternaError.self) {
            try HARDocument(parsing: HARFixtures.firefox.utf8, limits: .init(depth: 3))
        }
    }

    @Test("Members of wrong kinds count as missing")
    func wrongKinds() throws {
        let text = #"""
            {"log":{"entries":[{"request":{"method":"GET","url":"x","headers":{"a":1},"postData":[],"bodySize":"9"},
            "response":[],"timings":7,"time":"long","startedDateTime":5,"_webSocketMessages":{}}]}}
            """#
        let entry = try HARDocument(parsing: text.utf8).entries[0]
        #expect(entry.request.headers.isEmpty && entry.request.postData == nil && entry.request.bodySize == nil)
        #expect(entry.response.status == 0 && entry.response.content.bytes == nil && entry.timings.sum == 0)
        #expect(entry.time == 0 && entry.started == nil && entry.webSocketMessages == nil)
    }

    @Test("A missing file, a folder, and a file")
    func files() throws {
        let folder = try TestFolder()
        let missing = #expect(throws: SternaError.self) { try HARDocument(file: folder.path + "/none.har") }
        expectEqual(missing?.kind, .fileUnreadable)
        let folderError = #expect(throws: SternaError.self) { try HARDocument(file: folder.path) }
        expectEqual(folderError?.kind, .fileUnreadable)
        let har = try HARDocument(parsing: HARFixtures.mitmproxy.utf8)
        try har.write(to: folder.path + "/a.har", showsSecrets: true)
        try expectEqual(HARDocument(file: folder.path + "/a.har"), har)
    }
}
