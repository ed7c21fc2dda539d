import HTTPTypes
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Downloads: content codings", .timeLimit(.minutes(5)))
struct CodedDownloadTests {
    private static let content = Array("the Arctic tern flies further than any other animal".utf8)
    private static let coded = Zlib.gzip(content)

    /// A destination, and whether the file has the coded bytes there.
    struct Row: Sendable, CustomTestStringConvertible {
        var url = "a.csv"
        var fields: ServerHeaders = [:]
        /// The name of the file that the caller gives; nil for the server's.
        var name: String?
        var saved: String
        var isCoded: Bool

        var testDescription: String { "\(url) \(fields.fields.isEmpty ? "" : "named") \(name ?? "-")" }
    }

    private static let named: ServerHeaders = ["Content-Disposition": "attachment; filename=a.tar.gz"]

    private static let rows = [
        Row(saved: "a.csv", isCoded: false), Row(url: "a", saved: "a", isCoded: false),
        Row(url: "a.tar.gz", saved: "a.tar.gz", isCoded: true),
        Row(url: "a.tgz?b=c.csv", saved: "a.tgz", isCoded: true),
        Row(url: "a.csv", fields: named, saved: "a.tar.gz", isCoded: true),
        Row(url: "a.csv.gz", name: "b.csv", saved: "b.csv", isCoded: false),
        Row(url: "a.csv", name: "b.csv.gz", saved: "b.csv.gz", isCoded: true),
        Row(url: "a.csv", fields: named, name: "b.csv", saved: "b.csv", isCoded: false),
    ]

    private func serve(
        _ server: TestServer, _ body: [UInt8] = Self.coded, coding: String = "gzip", fields: ServerHeaders = [:]
    ) {
        server.route("GET", "/files/*") { _ in
            var headers: ServerHeaders = ["Content-Encoding": coding]
            for field in fields { headers.add(field.name, field.value) }
            return ServerResponse(headers: headers, body: .bytes(body))
        }
    }

    @Test("A content coding is decoded, unless it is the file's own", arguments: rows, [nil, "gzip"])
    func names(row: Row, accepted: String?) async throws {
        try await TestServer.withServer { server in
            serve(server, fields: row.fields)
            try await Downloading.withFolder { folder in
                var headers = Headers()
                if let accepted { headers["Accept-Encoding"] = accepted }
                let file = try await Downloading.session(server).download(
                    "files/\(row.url)", to: row.name.map { .file("\(folder)/\($0)") } ?? .folder(folder),
                    headers: headers
                ).value
                expectEqual(server.requests().last?.headers["Accept-Encoding"], accepted ?? "identity")
                try expectEqual(Downloading.names(in: folder), [row.saved])
                try expectEqual(Downloading.bytes(file.path), row.isCoded ? Self.coded : Self.content)
                expectEqual(file.length, Int64(row.isCoded ? Self.coded.count : Self.content.count))
                expectEqual(file.response.headers[.contentEncoding], row.isCoded ? "gzip" : nil)
            }
        }
    }

    @Test(
        "Of several codings, the file's own stays; with an unknown one, all stay",
        arguments: [
            ("gzip, gzip", "a.tar.gz", 1), ("gzip, gzip", "a.csv", 0), ("identity, x-gzip", "a.tar.gz", 2),
            ("br", "a.csv", 2), ("br, gzip", "a.csv", 2),
        ])
    func lists(coding: String, name: String, layers: Int) async throws {
        try await TestServer.withServer { server in
            let twice = Zlib.gzip(Self.coded)
            serve(server, twice, coding: coding)
            try await Downloading.withFolder { folder in
                let file = try await Downloading.session(server).download("files/\(name)", to: .folder(folder)).value
                try expectEqual(Downloading.bytes(file.path), [Self.content, Self.coded, twice][layers])
            }
        }
    }

    @Test("The server's name decides if a closure chooses the destination; a setting turns decoding off")
    func others() async throws {
        try await TestServer.withServer { server in
            serve(server)
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                for (url, isCoded) in [("a.csv", false), ("a.csv.gz", true)] {
                    let place = "\(folder)/chosen \(url)"
                    _ = try await api.download("files/\(url)", to: .choose { _, _ in place }).value
                    try expectEqual(Downloading.bytes(place), isCoded ? Self.coded : Self.content)
                }
                let left = try await api.download("files/a.csv", to: .folder(folder)) { $0.decodesContent = false }
                    .value
                try expectEqual(Downloading.bytes(left.path), Self.coded)
                var ready = Request(.get, try HTTPURL(server.url("/files/b.csv")))
                ready.headers[.acceptEncoding] = "gzip"
                let file = try await api.downloadTask(ready, to: .folder(folder)).value
                try expectEqual(Downloading.bytes(file.path), Self.content)
            }
        }
    }

    @Test("The server's digests cover the coded bytes, the caller's covers the file")
    func digests() async throws {
        // Digests of other bytes than those of the file.
        let digest = "sha-256=:\(String(repeating: "A", count: 43))=:"
        try await TestServer.withServer { server in
            serve(server, fields: ["Repr-Digest": digest, "Content-Digest": digest])
            try await Downloading.withFolder { folder in
                var options = DownloadOptions()
                options.sha256 = "a652980aa6042b4a1ca92562d08d602fa27826f114fd68acf65eeb1db6949a21"
                let file = try await Downloading.session(server).download(
                    "files/a.csv", to: .folder(folder), options: options
                ).value
                try expectEqual(Downloading.bytes(file.path), Self.content)
            }
        }
    }

    @Test("A decompression bomb is refused, and leaves no file")
    func bomb() async throws {
        try await TestServer.withServer { server in
            serve(server, Zlib.gzip([UInt8](repeating: 0, count: 16 << 20)))
            try await Downloading.withFolder { folder in
                let task = try Downloading.session(server).download("files/a.csv", to: .folder(folder))
                let error = await #expect(throws: SternaError.self) { try await task.value }
                expectEqual(error?.kind, .limitExceeded)
                try expectEqual(Downloading.names(in: folder), [])
            }
        }
    }

    private struct Cut: Error {}

    @Test("A decoded download that broke off is not resumed by a range", arguments: [1, 4])
    func cut(segments: Int) async throws {
        let content = noise(200_000)
        let coded = Zlib.gzip(content)
        let isFirst = Mutex(true)
        try await TestServer.withServer { server in
            server.route("GET", "/files/*") { _ in
                let isCut = isFirst.withLock { first in
                    defer { first = false }
                    return first
                }
                return ServerResponse(
                    headers: ["Content-Encoding": "gzip", "ETag": "\"1\"", "Accept-Ranges": "bytes"],
                    body: .stream(length: coded.count) { writer in
                        try await writer.write(isCut ? Array(coded.prefix(coded.count / 2)) : coded)
                        if isCut { throw Cut() }
                    })
            }
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                var options = DownloadOptions()
                options.maxSegments = segments
                options.segmentRules.leastMissing = 1_000
                let task = api.download("files/a.csv", to: .folder(folder), options: options)
                let error = await #expect(throws: SternaError.self) { try await task.value }
                expectEqual(error?.kind, .truncated)
                expectNil(error?.resumeData)
                try expectEqual(Downloading.names(in: folder), [])
                let file = try await api.download("files/a.csv", to: .folder(folder), options: options).value
                try expectEqual(Downloading.bytes(file.path), content)
                expectEqual(server.requests().map { $0.headers["Range"] }, [nil, nil])
            }
        }
    }

    @Test("A coded whole file, in response to a range request, replaces the received bytes")
    func wholeInsteadOfRest() async throws {
        let count = Mutex(0)
        try await TestServer.withServer { server in
            server.route("GET", "/files/*") { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                guard number == 1 else {
                    return ServerResponse(
                        headers: ["Content-Encoding": "gzip", "ETag": "\"1\""], body: .bytes(Self.coded))
                }
                return ServerResponse(
                    headers: ["ETag": "\"1\""],
                    body: .stream(length: Self.content.count) { writer in
                        try await writer.write(Array(Self.content.prefix(20)))
                        throw Cut()
                    })
            }
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                await #expect(throws: SternaError.self) {
                    try await api.download("files/a.csv", to: .folder(folder)).value
                }
                let file = try await api.download("files/a.csv", to: .folder(folder)).value
                expectEqual(server.requests().last?.headers["Range"], "bytes=20-")
                try expectEqual(Downloading.bytes(file.path), Self.content)
                expectEqual(file.resumedAt, 0)
            }
        }
    }
}
