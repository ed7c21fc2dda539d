import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@Suite("Downloads: interrupted and continued", .timeLimit(.minutes(2)))
struct InterruptedDownloadTests {
    /// A file on a server that sends at most so many bytes a response and then cuts the connection.
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

    @Test("Cut at random bytes again and again, the file is the same in the end, and little is fetched twice")
    func cuts() async throws {
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        try await TestServer.withServer { server in
            try await DownloadTaskTests.withFolder { folder in
                let cuts = (0..<50).map { _ in Int.random(in: 1...12_000) }
                let asked = serve(server) { number in
                    Offer(content: content, cut: number < cuts.count ? cuts[number] : nil)
                }
                let api = try DownloadTaskTests.session(server)
                var interruptions = 0
                while true {
                    do {
                        let file = try await api.download("file", to: .file("\(folder)/x")).value
                        #expect(try DownloadTaskTests.bytes(file.path) == content)
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
                #expect(starts == starts.sorted())
                for (index, start) in starts.enumerated() {
                    let received = cuts.prefix(index + 1).reduce(0, +)
                    #expect(received - start <= 64 << 10)
                }
                #expect(try DownloadTaskTests.names(in: folder) == ["x"])
            }
        }
    }

    @Test("A file that was replaced meanwhile is fetched anew, also one of equal length")
    func replaced() async throws {
        let (old, new) = ([UInt8](repeating: 1, count: 100_000), [UInt8](repeating: 2, count: 100_000))
        try await TestServer.withServer { server in
            try await DownloadTaskTests.withFolder { folder in
                _ = serve(server) { number in
                    number == 0 ? Offer(content: old, cut: 40_000) : Offer(content: new, tag: "\"2\"")
                }
                let api = try DownloadTaskTests.session(server)
                await #expect(throws: SternaError.self) {
                    try await api.download("file", to: .file("\(folder)/x")).value
                }
                let file = try await api.download("file", to: .file("\(folder)/x")).value
                #expect(try DownloadTaskTests.bytes(file.path) == new)
                #expect(file.resumedAt == 0)
            }
        }
    }

    private struct Lie: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: @Sendable (inout Offer) -> Void
        /// Nil if the file is fetched anew and right.
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

    @Test("A server that lies about ranges: an error or a correct file, never a wrong one", arguments: lies)
    private func hostile(lie: Lie) async throws {
        let (old, new) = ([UInt8](repeating: 1, count: 100_000), [UInt8](repeating: 2, count: 100_000))
        try await TestServer.withServer { server in
            try await DownloadTaskTests.withFolder { folder in
                let asked = serve(server) { number in
                    var offer = Offer(content: number == 0 ? old : new, cut: number == 0 ? 40_000 : nil)
                    if number > 0 { lie.change(&offer) }
                    return offer
                }
                let api = try DownloadTaskTests.session(server)
                await #expect(throws: SternaError.self) {
                    try await api.download("file", to: .file("\(folder)/x")).value
                }
                do {
                    let file = try await api.download("file", to: .file("\(folder)/x")).value
                    let got = try DownloadTaskTests.bytes(file.path)
                    #expect(got == new, "neither the old file nor a mixture of both")
                    #expect(lie.error == nil || asked.values.last == .some(nil))
                } catch let error as SternaError {
                    #expect(error.kind == lie.error)
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
