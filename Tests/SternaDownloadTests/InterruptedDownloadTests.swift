import NIOCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Downloads: interrupted and resumed", .timeLimit(.minutes(5)))
struct InterruptedDownloadTests {
    /// A file on a server that sends at most a given number of bytes per response, and then closes the connection.
    private struct Offer: Sendable {
        var content: [UInt8]
        var tag = "\"1\""
        var cut: Int?
        var range: @Sendable (Int, [UInt8]) -> (Int, [(String, String)]) = { first, content in
            (206, [("Content-Range", "bytes \(first)-\(content.count - 1)/\(content.count)")])
        }
        var ignoresIfRange = false
    }

    private func serve(_ server: TestServer, _ offer: @escaping @Sendable (_ number: Int) -> Offer) -> AskedRanges {
        let asked = AskedRanges()
        server.route("GET", "/file") { request in
            let number = asked.add(request.headers["Range"])
            let offer = offer(number)
            var first = 0
            var status = 200
            var headers: ServerHeaders = ["ETag": offer.tag]
            if let range = request.headers["Range"], let start = Int(range.dropFirst(6).dropLast()),
                offer.ignoresIfRange || request.headers["If-Range"] == offer.tag
            {
                first = start
                let (code, fields) = offer.range(start, offer.content)
                status = code
                for (name, value) in fields { headers[name] = value }
            }
            let rest = Array(offer.content.dropFirst(first))
            let part = Array(rest.prefix(offer.cut ?? rest.count))
            return ServerResponse(
                status: status, headers: headers,
                body: .stream(length: rest.count) { writer in
                    try await writer.write(part)
                    if part.count < rest.count { throw Cut() }
                })
        }
        return asked
    }

    private struct Cut: Error {}

    @Test(
        "A body that breaks off is requested again by the retry policy only with `retriesBodies`",
        arguments: [false, true])
    func retriesBodies(retries: Bool) async throws {
        let content = noise(30_000)
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let asked = serve(server) { number in Offer(content: content, cut: number < 2 ? 9_000 : nil) }
                let api = try Downloading.session(server) {
                    $0.retry = .standard
                    $0.retry.backoff = .constant(.zero)
                }
                var options = DownloadOptions()
                options.retriesBodies = retries
                let task = api.download("file", to: .file("\(folder)/x"), options: options)
                if retries {
                    try await expectEqual(Downloading.bytes(task.value.path), content)
                    expectEqual(asked.values.count, 3)
                } else {
                    let error = await #expect(throws: SternaError.self) { try await task.value }
                    #expect(error?.kind == .truncated || error?.kind == .connectionClosed)
                    expectEqual(asked.values, [nil])
                }
                // One retry too few for the two cuts.
                guard retries else { return }
                let again = serve(server) { number in Offer(content: content, cut: number < 2 ? 9_000 : nil) }
                let short = api.download("file", to: .file("\(folder)/y"), options: options) { $0.retry.limit = 1 }
                await #expect(throws: SternaError.self) { try await short.value }
                expectEqual(again.values.count, 2)
            }
        }
    }

    @Test("A download that is cut repeatedly at random bytes gives the same file, and few bytes are received twice")
    func cuts() async throws {
        let content = noise(300_000)
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let cuts = (0..<50).map { _ in Int.random(in: 1...12_000) }
                let asked = serve(server) { number in
                    Offer(content: content, cut: number < cuts.count ? cuts[number] : nil)
                }
                let api = try Downloading.session(server)
                var interruptions = 0
                while true {
                    do {
                        let file = try await api.download("file", to: .file("\(folder)/x")).value
                        try expectEqual(Downloading.bytes(file.path), content)
                        break
                    } catch let error as SternaError {
                        interruptions += 1
                        try #require(interruptions <= 60, "\(error)")
                        #expect([.truncated, .connectionClosed].contains(error.kind), "\(error)")
                    }
                }
                #expect(interruptions > 10)
                // Each request begins where the one before was cut.
                let starts = asked.values.compactMap { $0.flatMap { Int($0.dropFirst(6).dropLast()) } }
                expectEqual(starts, starts.sorted())
                for (index, start) in starts.enumerated() {
                    let received = cuts.prefix(index + 1).reduce(0, +)
                    #expect(received - start <= 64 << 10)
                }
                try expectEqual(Downloading.names(in: folder), ["x"])
            }
        }
    }

    @Test("A file that was replaced meanwhile is downloaded anew, even if its length is the same")
    func replaced() async throws {
        let (old, new) = ([UInt8](repeating: 1, count: 100_000), [UInt8](repeating: 2, count: 100_000))
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                _ = serve(server) { number in
                    number == 0 ? Offer(content: old, cut: 40_000) : Offer(content: new, tag: "\"2\"")
                }
                let api = try Downloading.session(server)
                await #expect(throws: SternaError.self) {
                    try await api.download("file", to: .file("\(folder)/x")).value
                }
                let file = try await api.download("file", to: .file("\(folder)/x")).value
                try expectEqual(Downloading.bytes(file.path), new)
                expectEqual(file.resumedAt, 0)
            }
        }
    }

    @Test("A suspended download records the received bytes at once")
    func suspended() async throws {
        let count = 20_000_000
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let release = Gate()
                server.holdBody(of: count, until: release)
                let task = try Downloading.session(server).download("held", to: .file("\(folder)/x"))
                for await step in task.progress where step.completed == Int64(TestServer.heldBytes) { break }
                task.suspend()
                release.open()
                #expect(
                    await eventually {
                        (try? Downloading.names(in: folder)) == ["x.sterna-part", "x.sterna-resume"]
                    })
                let json = try Data(contentsOf: URL(filePath: "\(folder)/x.sterna-resume"))
                #expect(try ResumeData(data: json).receivedBytes >= Int64(TestServer.heldBytes))
                task.resume()
                try expectEqual(Downloading.bytes(try await task.value.path), Downloading.alphabet(count))
            }
        }
    }

    @Test("A running download records the received bytes every few seconds, in case its process is killed")
    func sidecar() async throws {
        let count = 20_000_000
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let (clock, release, last) = (TestClock(), Gate(), Gate())
                var options = EngineOptions()
                options.clock = clock.clock
                server.holdBody(of: count, until: release, andThen: last)
                let task = try Downloading.session(server) { $0.network.engine = Engine(options: options) }
                    .download("held", to: .file("\(folder)/x"))
                // On this clock the last bytes before a pause may stay in the engine.
                let most = Int64(TestServer.heldBytes) - (256 << 10)
                for await step in task.progress where step.completed >= most { break }
                try expectEqual(Downloading.names(in: folder), ["x.sterna-part"])
                await clock.advance(by: .seconds(6))
                release.open()
                #expect(
                    await eventually {
                        (try? Downloading.names(in: folder)) == ["x.sterna-part", "x.sterna-resume"]
                    })
                let json = try Data(contentsOf: URL(filePath: "\(folder)/x.sterna-resume"))
                #expect(try ResumeData(data: json).receivedBytes >= most)
                last.open()
                try expectEqual(Downloading.bytes(try await task.value.path), Downloading.alphabet(count))
                try expectEqual(Downloading.names(in: folder), ["x"])
            }
        }
    }

    @Test("A download whose destination is chosen at the end resumes with a destination, and leaves no other file")
    func chosen() async throws {
        let count = 10_000_000
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let release = Gate()
                server.holdBody(of: count, until: release)
                let api = try Downloading.session(server)
                let place = DownloadDestination.choose { _, _ in "\(folder)/x" }
                let task = api.download("held", to: place)
                for await step in task.progress where step.completed > 0 { break }
                let data = try #require(await task.cancelProducingResumeData())
                release.open()
                #expect(FileManager.default.fileExists(atPath: data.partialPath))
                let nowhere = api.downloadTask(resuming: data)
                let error = await #expect(throws: SternaError.self) { try await nowhere.value }
                expectEqual(error?.kind, .destinationUnusable)
                let file = try await api.downloadTask(resuming: data, to: place).value
                #expect(file.resumedAt > 0)
                try expectEqual(Downloading.bytes(file.path), Downloading.alphabet(count))
                let names = try #require(PartialNames(partialPath: data.partialPath))
                #expect(!FileManager.default.fileExists(atPath: names.partialPath))
                #expect(!FileManager.default.fileExists(atPath: names.sidecarPath))
            }
        }
    }

    @Test("A download from a server that sends one byte per request is given up")
    func crumbs() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                server.route("GET", "/file") { request in
                    let first = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
                    let length = first == 0 ? 1_000 : 1
                    return ServerResponse(
                        status: first == 0 ? 200 : 206,
                        headers: first == 0
                            ? ["ETag": "\"1\""] : ["ETag": "\"1\"", "Content-Range": "bytes \(first)-\(first)/1000"],
                        body: .stream(length: length) { writer in
                            try await writer.write([UInt8](repeating: 1, count: min(length, 10)))
                            if length > 10 { throw Cut() }
                        })
                }
                let api = try Downloading.session(server)
                await #expect(throws: SternaError.self) {
                    try await api.download("file", to: .file("\(folder)/x")).value
                }
                let error = await #expect(throws: SternaError.self) {
                    try await api.download("file", to: .file("\(folder)/x")).value
                }
                expectEqual(error?.kind, .truncated)
                #expect(server.requestCount < 150)
            }
        }
    }

    @Test("Resume data that names another kind of file does not touch it")
    func foreign() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let path = "\(folder)/profile"
                try Data(repeating: 7, count: 5_000).write(to: URL(filePath: path))
                let json = """
                    {"version": 1, "url": "\(server.url)/range/9000", "validator": {"etag": "\\"range9000\\""},
                     "length": 9000, "ranges": [[0, 4000]], "partial": "\(path)", "destination": "\(folder)/x"}
                    """
                let data = try ResumeData(data: Data(json.utf8))
                let file = try await Downloading.session(server).downloadTask(resuming: data).value
                expectEqual(file.resumedAt, 0)
                try expectEqual(Downloading.bytes(file.path), Downloading.alphabet(9_000))
                try expectEqual(Downloading.bytes(path), [UInt8](repeating: 7, count: 5_000))
            }
        }
    }

    private struct Lie: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: @Sendable (inout Offer) -> Void
        /// Nil if the file is downloaded anew and correct.
        let error: SternaError.Kind?
    }

    private static let lies = [
        Lie(
            testDescription: "ignores If-Range, with another tag",
            change: {
                $0.ignoresIfRange = true
                $0.tag = "\"2\""
            }, error: nil),
        Lie(
            testDescription: "another offset",
            change: {
                $0.range = { first, all in
                    (206, [("Content-Range", "bytes \(first + 1)-\(all.count)/\(all.count + 1)")])
                }
            },
            error: .malformedResponse),
        Lie(
            testDescription: "another length",
            change: {
                $0.range = { first, all in
                    (206, [("Content-Range", "bytes \(first)-\(all.count - 1)/\(all.count * 2)")])
                }
            },
            error: nil),
        Lie(
            testDescription: "206 without a range", change: { $0.range = { _, _ in (206, []) } },
            error: .malformedResponse),
        Lie(
            testDescription: "several parts",
            change: { $0.range = { _, _ in (206, [("Content-Type", "multipart/byteranges; boundary=x")]) } },
            error: .malformedResponse),
        Lie(
            testDescription: "416 with another length",
            change: { $0.range = { _, _ in (416, [("Content-Range", "bytes */7")]) } }, error: .malformedResponse),
    ]

    @Test(
        "With a server that lies about ranges, the result is an error or a correct file, never a wrong one",
        arguments: lies)
    private func hostile(lie: Lie) async throws {
        let (old, new) = ([UInt8](repeating: 1, count: 100_000), [UInt8](repeating: 2, count: 100_000))
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let asked = serve(server) { number in
                    var offer = Offer(content: number == 0 ? old : new, cut: number == 0 ? 40_000 : nil)
                    if number > 0 { lie.change(&offer) }
                    return offer
                }
                let api = try Downloading.session(server)
                await #expect(throws: SternaError.self) {
                    try await api.download("file", to: .file("\(folder)/x")).value
                }
                do {
                    let file = try await api.download("file", to: .file("\(folder)/x")).value
                    let got = try Downloading.bytes(file.path)
                    expectEqual(got, new, "neither the old file nor a mixture of both")
                    #expect(lie.error == nil || asked.values.last == .some(nil))
                } catch let error as SternaError {
                    expectEqual(error.kind, lie.error)
                    #expect(!FileManager.default.fileExists(atPath: "\(folder)/x"))
                }
            }
        }
    }
}

/// The Range fields that a server was sent, in order.
private final class AskedRanges: Sendable {
    private let all = Mutex<[String?]>([])

    var values: [String?] { all.withLock { $0 } }

    /// Adds a value; returns how many there were.
    func add(_ value: String?) -> Int {
        all.withLock { all in
            all.append(value)
            return all.count - 1
        }
    }
}
