import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Servers that cut a download and then lie, or serve another file: a named error or a complete file, never a mixture.
@Suite("Downloads: hostile servers", .timeLimit(.minutes(5)))
struct HostileServerTests {
    /// The behaviour of a server after it has cut the first response at 40,000 of 100,000 bytes.
    private struct Lie: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var validator = ("ETag", "\"1\"")
        /// Responds to a request for the rest; requests for the whole file get the new one.
        let rest: @Sendable (_ first: Int) -> ServerResponse
        /// The acceptable files; empty if only an error is.
        var files: Set<File> = []
        /// The acceptable errors.
        var errors: Set<SternaError.Kind> = []
    }

    private enum File: Sendable {
        case old, new, longer, shorter

        var content: [UInt8] {
            switch self {
            case .old: [UInt8](repeating: 1, count: 100_000)
            case .new: [UInt8](repeating: 2, count: 100_000)
            case .longer: [UInt8](repeating: 3, count: 150_000)
            case .shorter: [UInt8](repeating: 4, count: 20_000)
            }
        }
    }

    private static let cut: [SternaError.Kind] = [.truncated, .connectionClosed]

    /// A part with any fields; the bytes are those of a file, which are the same at all places.
    private static func part(
        _ range: String?, tag: String? = "\"1\"", of file: File = .old, count: Int, isChunked: Bool = false,
        adding fields: [(String, String)] = []
    ) -> ServerResponse {
        var headers = ServerHeaders()
        if let range { headers["Content-Range"] = "bytes \(range)" }
        if let tag { headers["ETag"] = tag }
        for (name, value) in fields { headers.add(name, value) }
        let bytes = [UInt8](repeating: file.content[0], count: count)
        return ServerResponse(
            status: 206, headers: headers,
            body: isChunked ? .stream(length: nil) { try await $0.write(bytes) } : .bytes(bytes))
    }

    private static func whole(_ file: File, tag: String = "\"2\"") -> ServerResponse {
        ServerResponse(headers: ["ETag": tag], body: .bytes(file.content))
    }

    /// A response whose head is written as it is.
    private static func raw(_ head: String, _ body: [UInt8]) -> ServerResponse {
        ServerResponse(
            body: .raw { connection in
                try await connection.write(head + "\r\n\r\n")
                try await connection.write(body)
            })
    }

    private static let rest = 60_000

    // MARK: Another file

    private static let replaced: [Lie] = [
        Lie(testDescription: "a longer file", rest: { _ in whole(.longer) }, files: [.longer]),
        Lie(testDescription: "a shorter file", rest: { _ in whole(.shorter) }, files: [.shorter]),
        Lie(testDescription: "a file of equal length", rest: { _ in whole(.new) }, files: [.new]),
        Lie(
            testDescription: "a shorter file, to which the range does not apply",
            rest: { _ in
                ServerResponse(status: 416, headers: ["Content-Range": "bytes */20000", "ETag": "\"2\""])
            }, files: [.new]),
        Lie(
            testDescription: "a part of a file of equal length with another tag",
            rest: { part("\($0)-99999/100000", tag: "\"2\"", of: .new, count: rest) }, files: [.new]),
        Lie(
            testDescription: "a part of a file of equal length with a weak tag",
            rest: { part("\($0)-99999/100000", tag: "W/\"1\"", of: .new, count: rest) }, files: [.new]),
        Lie(
            testDescription: "a part of a file of equal length without a tag",
            rest: { part("\($0)-99999/100000", tag: nil, of: .new, count: rest) }, files: [.new]),
        Lie(
            testDescription: "a part with two tags",
            rest: { part("\($0)-99999/100000", of: .new, count: rest, adding: [("ETag", "\"2\"")]) }, files: [.new]),
        Lie(
            testDescription: "a part with another date",
            validator: ("Last-Modified", "Thu, 01 Jan 2015 00:00:00 GMT"),
            rest: {
                part(
                    "\($0)-99999/100000", tag: nil, of: .new, count: rest,
                    adding: [("Last-Modified", "Fri, 02 Jan 2015 00:00:00 GMT")])
            }, files: [.new]),
        Lie(
            testDescription: "a part without a date", validator: ("Last-Modified", "Thu, 01 Jan 2015 00:00:00 GMT"),
            rest: { part("\($0)-99999/100000", tag: nil, of: .new, count: rest) }, files: [.new]),
        Lie(
            testDescription: "a part of a longer file with the same tag",
            rest: { part("\($0)-149999/150000", of: .longer, count: 110_000) }, files: [.new]),
        Lie(
            testDescription: "a part of a shorter file with the same tag",
            rest: { part("\($0)-49999/50000", of: .shorter, count: 10_000) }, files: [.new]),
    ]

    // MARK: Other ranges and lengths

    private static let misplaced: [Lie] = [
        Lie(
            testDescription: "a part that begins earlier",
            rest: { part("\($0 - 1)-99999/100000", count: rest + 1) }, errors: [.malformedResponse]),
        Lie(
            testDescription: "a part that begins at 0", rest: { _ in part("0-99999/100000", count: 100_000) },
            errors: [.malformedResponse]),
        Lie(
            testDescription: "a part that ends before it begins", rest: { part("\($0)-10/100000", count: rest) },
            errors: [.malformedResponse]),
        Lie(
            testDescription: "positions beyond 64 bits",
            rest: { part("\($0)-99999999999999999999/100000000000000000000", count: rest) },
            errors: [.malformedResponse]),
        Lie(
            testDescription: "a part up to the largest number, of unknown length",
            rest: { part("\($0)-9223372036854775806/*", count: rest, isChunked: true) }, files: [.new]),
        Lie(
            testDescription: "negative positions", rest: { _ in part("-5-99999/100000", count: rest) },
            errors: [.malformedResponse]),
        Lie(
            testDescription: "two ranges",
            rest: {
                part("\($0)-99999/100000", count: rest, adding: [("Content-Range", "bytes 0-59999/100000")])
            }, errors: [.malformedResponse]),
        Lie(
            testDescription: "more bytes than the range has",
            rest: { part("\($0)-99999/100000", count: rest + 1, isChunked: true) }, errors: [.malformedResponse]),
        Lie(
            testDescription: "fewer bytes than the range has, in chunks",
            rest: { first in part("\(first)-99999/100000", count: min(30_000, 100_000 - first), isChunked: true) },
            files: [.old]),
        Lie(
            testDescription: "a part of unknown length", rest: { part("\($0)-99999/*", count: rest) }, files: [.old]),
        Lie(
            testDescription: "a compressed part",
            rest: { part("\($0)-99999/100000", count: rest, adding: [("Content-Encoding", "gzip")]) },
            errors: [.malformedResponse]),
        Lie(
            testDescription: "a length that differs from the range",
            rest: { part("\($0)-99999/100000", count: 100) }, errors: [.malformedResponse]),
        Lie(
            testDescription: "complete, which it is not",
            rest: { _ in
                ServerResponse(status: 416, headers: ["Content-Range": "bytes */100000", "ETag": "\"1\""])
            }, files: [.new]),
        Lie(
            testDescription: "complete, as long as what is there",
            rest: { _ in ServerResponse(status: 416, headers: ["Content-Range": "bytes */40000", "ETag": "\"1\""]) },
            files: [.new]),
        Lie(
            testDescription: "no content", rest: { _ in ServerResponse(status: 204, headers: ["ETag": "\"1\""]) },
            errors: [.unacceptableStatus]),
        Lie(
            testDescription: "accepted, with a page that says so",
            rest: { _ in .text("Wait.", status: 202, headers: ["ETag": "\"1\""]) }, errors: [.unacceptableStatus]),
        Lie(
            testDescription: "not modified", rest: { _ in ServerResponse(status: 304, headers: ["ETag": "\"1\""]) },
            errors: [.unacceptableStatus]),
    ]

    // MARK: Content-Length

    private static let lengths: [Lie] = [
        Lie(
            testDescription: "a whole file that is longer by Content-Length",
            rest: { _ in raw("HTTP/1.1 200 OK\r\nETag: \"2\"\r\nContent-Length: 100001", File.new.content) },
            errors: Set(cut)),
        Lie(
            testDescription: "a part that is longer by Content-Length",
            rest: {
                raw(
                    "HTTP/1.1 206 Part\r\nETag: \"1\"\r\nContent-Range: bytes \($0)-99999/100000\r\nContent-Length: 60001",
                    [UInt8](repeating: 1, count: rest))
            }, errors: [.malformedResponse]),
        Lie(
            testDescription: "a part that ends early",
            rest: {
                raw(
                    "HTTP/1.1 206 Part\r\nETag: \"1\"\r\nContent-Range: bytes \($0)-99999/100000\r\nContent-Length: 60000",
                    [UInt8](repeating: 1, count: 10))
            }, errors: Set(cut)),
        Lie(
            testDescription: "two lengths",
            rest: { _ in
                raw(
                    "HTTP/1.1 200 OK\r\nETag: \"2\"\r\nContent-Length: 100000\r\nContent-Length: 5", File.new.content)
            }, errors: [.malformedResponse]),
        Lie(
            testDescription: "a length beyond 64 bits",
            rest: { _ in
                raw("HTTP/1.1 200 OK\r\nETag: \"2\"\r\nContent-Length: 99999999999999999999", File.new.content)
            }, errors: [.malformedResponse, .limitExceeded]),
        Lie(
            testDescription: "the largest length",
            rest: { _ in
                raw("HTTP/1.1 200 OK\r\nETag: \"2\"\r\nContent-Length: 9223372036854775807", File.new.content)
            }, errors: [.malformedResponse, .limitExceeded, .truncated, .connectionClosed]),
        Lie(
            testDescription: "a whole file in chunks that end early",
            rest: { _ in
                raw("HTTP/1.1 200 OK\r\nETag: \"2\"\r\nTransfer-Encoding: chunked\r\n\r\n186A0", File.shorter.content)
            }, errors: Set(cut)),
    ]

    @Test("The result is an error or a complete file, never a wrong one", arguments: replaced + misplaced + lengths)
    private func lies(lie: Lie) async throws {
        try await TestServer.withServer { server in
            let answered = Mutex(0)
            server.route("GET", "/file") { request in
                let number = answered.withLock { count in
                    count += 1
                    return count
                }
                if number > 1 {
                    guard let first = request.firstOfRange else { return Self.whole(.new) }
                    return lie.rest(first)
                }
                return ServerResponse(
                    headers: [lie.validator.0: lie.validator.1],
                    body: .stream(length: 100_000) { writer in
                        try await writer.write([UInt8](repeating: 1, count: 40_000))
                        throw RangedFile.Cut()
                    })
            }
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                let first = await #expect(throws: SternaError.self) {
                    try await api.download("file", to: .file("\(folder)/x")).value
                }
                expectEqual(first?.resumeData?.receivedBytes, 40_000)
                do {
                    let file = try await api.download("file", to: .file("\(folder)/x")).value
                    let got = try Downloading.bytes(file.path)
                    #expect(lie.files.contains { $0.content == got }, "\(got.count) bytes, the first \(got.prefix(1))")
                    try expectEqual(Downloading.names(in: folder), ["x"])
                } catch let error as SternaError {
                    #expect(lie.errors.contains(error.kind), "\(error)")
                    let names = try Downloading.names(in: folder)
                    #expect(!names.contains("x"))
                }
            }
        }
    }

    // MARK: Changes that no range shows

    @Test(
        "A file that was replaced under the same tag fails the caller's digest",
        arguments: [true, false])
    func sameTag(isWhole: Bool) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/file") { request in
                guard let first = request.firstOfRange else {
                    return ServerResponse(
                        headers: ["ETag": "\"1\""],
                        body: .stream(length: 10) { writer in
                            try await writer.write("hello")
                            throw RangedFile.Cut()
                        })
                }
                if isWhole { return ServerResponse(headers: ["ETag": "\"1\""], body: .bytes(Array("HELLOWORLD".utf8))) }
                return Self.part("\(first)-9/10", of: .new, count: 5)
            }
            try await Downloading.withFolder { folder in
                var options = DownloadOptions()
                // Of "helloworld".
                options.sha256 = "936a185caaa266bb9cbe981e9e05cb78cd732b0b3280eb944412bb6f8f8f07af"
                let api = try Downloading.session(server)
                for kind in [nil, SternaError.Kind.digestMismatch] {
                    let error = await #expect(throws: SternaError.self) {
                        try await api.download("file", to: .file("\(folder)/x"), options: options).value
                    }
                    if let kind { expectEqual(error?.kind, kind) } else { #expect(error?.resumeData != nil) }
                }
                #expect(try Downloading.names(in: folder).isEmpty)
            }
        }
    }

    @Test("A server that sends little for each range receives as many requests as that takes")
    func parts() async throws {
        let content = RangedFile.content(150 << 16, seed: 1)
        try await TestServer.withServer { server in
            server.route("GET", "/file") { request in
                guard let first = request.firstOfRange else {
                    return ServerResponse(
                        headers: ["ETag": "\"1\""],
                        body: .stream(length: content.count) { writer in
                            try await writer.write(Array(content.prefix(1 << 16)))
                            throw RangedFile.Cut()
                        })
                }
                let end = min(first + (1 << 16), content.count)
                return ServerResponse(
                    status: 206,
                    headers: ["ETag": "\"1\"", "Content-Range": "bytes \(first)-\(end - 1)/\(content.count)"],
                    body: .bytes(Array(content[first..<end])))
            }
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                await #expect(throws: SternaError.self) {
                    try await api.download("file", to: .file("\(folder)/x")).value
                }
                let file = try await api.download("file", to: .file("\(folder)/x")).value
                try expectEqual(Data(contentsOf: file.url), Data(content))
            }
        }
    }

    @Test("A part that was not requested is refused, and leaves no file")
    func unasked() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/file") { _ in Self.part("0-99999/200000", count: 100_000) }
            try await Downloading.withFolder { folder in
                let error = await #expect(throws: SternaError.self) {
                    try await Downloading.session(server).download("file", to: .file("\(folder)/x")).value
                }
                expectEqual(error?.kind, .malformedResponse)
                let names = try Downloading.names(in: folder)
                #expect(names.isEmpty)
            }
        }
    }
}
