import MutationKit
import Sterna
import SternaCore
import SternaPlatform
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: descriptions", .timeLimit(.minutes(5)))
struct TransferDescriptionTests {
    static func make(
        _ url: String = "https://a.example/f?x=1", path: String = "/d/f",
        headers: [[String]] = [["Accept-Language", "de"]],
        context: String? = "note", _ change: (inout TransferOptions) -> Void = { _ in }
    ) throws -> TransferDescription {
        var options = TransferOptions()
        change(&options)
        return try TransferDescription(
            .download, created: 1, url: try HTTPURL(url), path: path, headers: headers, session: "default",
            options: options, context: context)
    }

    @Test("Values that must not be stored are refused, with advice")
    func refused() throws {
        let cases: [(String, () throws -> TransferDescription)] = [
            ("set them on the session", { try Self.make("https://ada:pw@a.example/") }),
            ("let the session sign", { try Self.make("https://a.example/?X-Amz-Signature=s3cret") }),
            ("let the session sign", { try Self.make("https://a.example/?access_token=s3cret") }),
            ("is a secret", { try Self.make(headers: [["Authorization", "Bearer s3cret"]]) }),
            ("is a secret", { try Self.make(headers: [["X-Api-Key", "s3cret"]]) }),
            ("is a secret", { try Self.make(headers: [["Cookie", "sid=s3cret"]]) }),
            ("header fields is invalid", { try Self.make(headers: [["A", "b\r\nc"]]) }),
            ("header fields is invalid", { try Self.make(headers: [["A"]]) }),
            ("an absolute one", { try Self.make(path: "f") }),
            ("an absolute one", { try Self.make(path: "/f\0") }),
            ("64 KiB", { try Self.make(context: String(repeating: "x", count: 65_537)) }),
            ("out of range", { try Self.make { $0.maxAttempts = 0 } }),
            ("out of range", { try Self.make { $0.maxSegments = 17 } }),
            ("not one of http", { try Self.make("wss://a.example/") }),
        ]
        for (text, make) in cases {
            let error = #expect(throws: SternaError.self) { _ = try make() }
            #expect(
                error?.kind == .invalidRequest && error?.message.contains(text) == true, "\(String(describing: error))")
            expectEqual(error.map { "\($0)".contains("s3cret") }, false)
        }
    }

    @Test("A description is read as it was written, only by its owner")
    func roundTrip() throws {
        let folder = StoreFolder(path: TransferTestFolder().path + "/a/b")
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let description = try Self.make { options in
            options.lifetime = .milliseconds(1_500)
            options.sha256 = "00"
            options.replacesFile = true
        }
        let (new, lock) = try folder.begin(description.id)
        try folder.add(description, new)
        try expectEqual(folder.description(of: description.id), description)
        expectEqual(folder.ids(), [description.id])
        let place = folder.files(of: description.id)
        expectEqual(FileStatus(path: place.path)?.permissions, 0o700)
        expectEqual(FileStatus(path: place.description.path)?.permissions, 0o600)
        // Its owner keeps others away until it ends.
        try expectNil(folder.own(description.id))
        lock.release()
        #expect(try folder.own(description.id) != nil)
        try folder.remove(description.id)
        #expect(folder.ids().isEmpty && FileStatus(path: place.path) == nil)
        try folder.remove(description.id)
    }

    @Test("A newer format and an invalid description are refused with a reason")
    func unreadable() throws {
        let folder = StoreFolder(path: TransferTestFolder().path)
        let description = try Self.make()
        try folder.add(description, try folder.begin(description.id).new)
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let file = folder.files(of: description.id).description
        let text = String(decoding: try #require(try file.read(upTo: 1 << 20)), as: UTF8.self)
        for (content, reason) in [
            (
                text.replacing("\"version\" : 1", with: "\"version\" : 2"),
                "its version is 2, and this program knows version 1"
            ),
            (text.replacing(description.id.text, with: TransferID().text), "that of another transfer"),
            (text.replacing("https://a", with: "https://ada:pw@a"), "has credentials"),
            ("{}", "not a description of a transfer"), ("", "not a description of a transfer"),
        ] {
            try file.write(Array(content.utf8))
            let error = #expect(throws: SternaError.self) { try folder.description(of: description.id) }
            #expect(
                error?.kind == .fileUnreadable && error?.message.contains(reason) == true,
                "\(String(describing: error))")
        }
    }

    @Test("Remains of additions and removals by killed processes are deleted; a transfer being added is kept")
    func leftovers() throws {
        let folder = StoreFolder(path: TransferTestFolder().path)
        try folder.make()
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let (new, old, busy) = (TransferID(), TransferID(), TransferID())
        for (prefix, id) in [(".new-", new), (".old-", old), (".new-", busy)] {
            mkdir("\(folder.path)/\(prefix)\(id)", 0o700)
            try PrivateFile(path: "\(folder.path)/\(prefix)\(id)/description.json").write([1])
        }
        let lock = try FileLock.attempt(path: "\(folder.path)/.new-\(busy)/owner")
        folder.tidy()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        expectEqual(names, [".new-\(busy)"])
        lock?.release()
    }

    static let reader = MutatedReader(
        "transfer descriptions",
        seeds: [
            #"{"version":1,"id":"0123456789abcdef0123456789abcdef","created":1,"kind":"download","url":"https://a.example/f","destination":"/d/f","headers":[["A","b"]],"session":"default","options":{"maxAttempts":100,"longestPause":[1,2],"maxSegments":1,"replacesFile":false},"context":"note"}"#
        ],
        tokens: ["{", "}", "[", "]", ",", "null", "-1", "9223372036854775807", "\"", "https://ada:pw@a/", "Cookie"]
    ) { bytes in
        let limits = JSON.ParseLimits(depth: 16, bytes: 1 << 20, values: 16_384)
        guard let json = try? JSON(parsing: Data(bytes), limits: limits),
            let read = try? json.decode(TransferDescription.self)
        else { return .refused }
        guard read.url == read.url.removingUserinfo(), read.path.hasPrefix("/") else {
            throw MutationFailure("\(read) was accepted.")
        }
        return .accepted
    }

    @Test("No mutated description ends the process")
    func mutations() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await TransferDescriptionTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
