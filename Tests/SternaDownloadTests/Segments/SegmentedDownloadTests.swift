import NIOCore
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Downloads: several connections for a file", .timeLimit(.minutes(5)))
struct SegmentedDownloadTests {
    private static let count = 4 << 20
    private static let content = Downloading.alphabet(count)

    /// The SHA-256 of `content`.
    private static let digest = "f2bcbf4281cc30e36ce6b7d49fabf4da570e03c0bb03ab5609f27a4955d9f248"

    /// Four connections, as soon as there is anything to share.
    private static func options(_ most: Int = 4) -> DownloadOptions {
        var options = DownloadOptions()
        options.maxSegments = most
        options.segmentRules = SegmentRules(
            leastMissing: 1 << 20, leastPart: 64 << 10, leastTime: 0, interval: 0, gain: -1, loss: 2)
        return options
    }

    private static func download(
        _ server: TestServer, in folder: String, _ options: DownloadOptions = options()
    ) throws -> DownloadTask {
        try Downloading.session(server).download("big", to: .file("\(folder)/x"), options: options)
    }

    @Test(
        "Over four connections, or streams of one, the file, its digest and its progress are the same",
        arguments: [false, true])
    func same(isHTTP2: Bool) async throws {
        try await TestServer.withServer(.init(http2: isHTTP2 ? .byPriorKnowledge : [])) { server in
            try await Downloading.withFolder { folder in
                let file = SegmentedFile(Self.content)
                // The first response stops early, until four parts have been requested.
                file.serve(on: server) { number in
                    if number == 3 { file.release.open() }
                    return .part
                }
                var options = Self.options()
                options.sha256 = Self.digest
                let api = try Downloading.session(server) { if isHTTP2 { $0.network.http2 = .priorKnowledge } }
                let task = api.download("big", to: .file("\(folder)/x"), options: options)
                let result = try await task.value
                try expectEqual(Downloading.bytes(result.path), Self.content)
                expectEqual(result.length, Int64(Self.count))
                expectEqual(result.resumedAt, 0)
                #expect(task.requests.count >= 5)
                if isHTTP2 { expectEqual(server.totalConnections, 1) }
                expectEqual(task.progress.current.completed, Int64(Self.count))
                try expectEqual(Downloading.names(in: folder), ["x"])
            }
        }
    }

    @Test("One connection is used by default, and for a small rest")
    func one() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                let first = api.download("range/9000000", to: .file("\(folder)/a"))
                _ = try await first.value
                expectEqual(first.requests.count, 1)
                var options = DownloadOptions()
                options.maxSegments = 16
                let second = api.download("range/8000000", to: .file("\(folder)/b"), options: options)
                try expectEqual(
                    Downloading.bytes(try await second.value.path), Downloading.alphabet(8_000_000))
                expectEqual(second.requests.count, 1)
            }
        }
    }

    @Test("A server that sends the whole file is not asked for further parts")
    func ignored() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let file = SegmentedFile(Self.content)
                file.serve(on: server) { _ in
                    file.release.open()
                    return .whole("\"1\"", Self.content)
                }
                let task = try Self.download(server, in: folder)
                try expectEqual(Downloading.bytes(try await task.value.path), Self.content)
                expectNil(task.requests.first?.headers[.range])
            }
        }
    }

    @Test("A file that is replaced half-way is the old or the new one, never a mixture", arguments: [true, false])
    func replaced(ignoresIfRange: Bool) async throws {
        let new = [UInt8](repeating: 7, count: Self.count)
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let file = SegmentedFile(Self.content)
                file.serve(on: server) { number in
                    guard number > 0 else { return .part }
                    file.replace(by: new)
                    file.release.open()
                    return ignoresIfRange ? .partOf("\"2\"", new) : .whole("\"2\"", new)
                }
                let task = try Self.download(server, in: folder)
                let bytes = try Downloading.bytes(try await task.value.path)
                #expect(bytes == Self.content || bytes == new)
            }
        }
    }

    @Test("A part whose connection is lost is requested again")
    func lost() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let file = SegmentedFile(Self.content)
                file.serve(on: server) { number in
                    guard number == 0 else { return .part }
                    file.release.open()
                    return .cut(100_000)
                }
                let task = try Self.download(server, in: folder)
                try expectEqual(Downloading.bytes(try await task.value.path), Self.content)
                expectNil(task.error)
            }
        }
    }

    @Test("Parts that receive a 204 are fetched over the first connection")
    func nothing() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let file = SegmentedFile(Self.content)
                file.serve(on: server) { _ in
                    file.release.open()
                    return .nothing
                }
                let task = try Self.download(server, in: folder)
                try expectEqual(Downloading.bytes(try await task.value.path), Self.content)
            }
        }
    }

    @Test("The download fails with its last connection, and can be resumed")
    func allLost() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let file = SegmentedFile(Self.content, cutsWhole: true)
                file.serve(on: server) { number in
                    file.release.open()
                    return .cut(50_000)
                }
                let task = try Self.download(server, in: folder)
                let error = await #expect(throws: SternaError.self) { try await task.value }
                #expect([.truncated, .connectionClosed].contains(error?.kind), "\(String(describing: error))")
                let data = try #require(error?.resumeData)
                #expect(data.receivedBytes > 0)
                try expectEqual(Downloading.names(in: folder), ["x.sterna-part", "x.sterna-resume"])
            }
        }
    }

    @Test("An interrupted download resumes at its gaps, over any number of connections", arguments: [1, 4])
    func gaps(most: Int) async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let file = SegmentedFile(Self.content)
                file.serve(on: server) { _ in .part }
                let first = try Self.download(server, in: folder)
                // More than the first response has sent.
                for await step in first.progress where step.completed > 1 << 20 { break }
                let data = try #require(await first.cancelProducingResumeData())
                #expect(data.ranges.count >= 2)
                let asked = file.requests
                let api = try Downloading.session(server)
                let second = api.downloadTask(resuming: try ResumeData(data: data.data), options: Self.options(most))
                let result = try await second.value
                expectEqual(result.resumedAt, data.receivedBytes)
                try expectEqual(Downloading.bytes(result.path), Self.content)
                #expect(file.requests > asked)
                try expectEqual(Downloading.names(in: folder), ["x"])
            }
        }
    }

    @Test("Cancellation ends all connections, and leaves no file")
    func cancelled() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let file = SegmentedFile(Self.content)
                file.serve(on: server) { _ in .part }
                let task = try Self.download(server, in: folder)
                for await step in task.progress where step.completed > 1 << 20 { break }
                task.cancel()
                let error = await #expect(throws: SternaError.self) { try await task.value }
                expectEqual(error?.kind, .cancelled)
                #expect(try Downloading.names(in: folder).isEmpty)
                file.release.open()
            }
        }
    }

    @Test("A download that is suspended beyond its grace closes all connections, and resumes at its gaps")
    func suspended() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let file = SegmentedFile(Self.content)
                file.serve(on: server) { _ in .held(400_000) }
                var options = Self.options()
                options.suspensionGrace = .milliseconds(50)
                let task = try Self.download(server, in: folder, options)
                // The first response and at least one part have sent what they may.
                for await step in task.progress where step.completed > 600_000 { break }
                task.suspend()
                file.release.open()
                // The sidecar is written when the connections are given up.
                #expect(
                    await eventually {
                        (try? Downloading.names(in: folder)) == ["x.sterna-part", "x.sterna-resume"]
                    })
                expectEqual(task.state, .suspended)
                task.resume()
                try expectEqual(Downloading.bytes(try await task.value.path), Self.content)
                try expectEqual(Downloading.names(in: folder), ["x"])
            }
        }
    }
}

/// A file whose server sends the first 256 KiB of the whole, and the rest after a signal. A closure decides about parts.
private final class SegmentedFile: Sendable {
    enum Answer: Sendable {
        case part
        /// A given number of the part's bytes, and the rest after the signal.
        case held(Int)
        /// A part of another file, whatever If-Range says.
        case partOf(String, [UInt8])
        case whole(String, [UInt8])
        /// A given number of the part's bytes, then the end of the connection.
        case cut(Int)
        /// 204.
        case nothing
    }

    let release = Gate()
    private let cutsWhole: Bool
    private let state: Mutex<(content: [UInt8], tag: String, parts: Int, all: Int)>

    private struct Cut: Error {}
    private static let held = 256 << 10

    init(_ content: [UInt8], cutsWhole: Bool = false) {
        state = Mutex((content, "\"1\"", 0, 0))
        self.cutsWhole = cutsWhole
    }

    /// The number of requests so far.
    var requests: Int { state.withLock { $0.all } }

    /// Replaces the file for requests of the whole.
    func replace(by content: [UInt8]) {
        state.withLock { ($0.content, $0.tag) = (content, "\"2\"") }
    }

    /// Adds `/big`.
    ///
    /// - Parameter answer: called with the number of the part, from 0.
    func serve(on server: TestServer, _ answer: @escaping @Sendable (Int) -> Answer) {
        server.route("GET", "/big") { [self] request in
            guard let range = request.headers["Range"] else {
                let (content, tag) = state.withLock { state in
                    state.all += 1
                    return (state.content, state.tag)
                }
                return response(
                    200, tag, content, 0..<content.count, stop: Self.held, waits: true, isCut: cutsWhole)
            }
            let number = state.withLock { state in
                defer { (state.parts, state.all) = (state.parts + 1, state.all + 1) }
                return state.parts
            }
            let content = state.withLock { $0.content }
            switch answer(number) {
            case .part: return response(206, "\"1\"", content, Self.part(range, of: content.count))
            case .held(let count):
                return response(
                    206, "\"1\"", content, Self.part(range, of: content.count), stop: count, waits: true)
            case .partOf(let tag, let other):
                return response(206, tag, other, Self.part(range, of: other.count))
            case .whole(let tag, let other): return response(200, tag, other, 0..<other.count)
            case .nothing: return ServerResponse(status: 204)
            case .cut(let count):
                return response(
                    206, "\"1\"", content, Self.part(range, of: content.count), stop: count, isCut: true)
            }
        }
    }

    private static func part(_ range: String, of count: Int) -> Range<Int> {
        let ends = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        let first = ends.first.flatMap { Int($0) } ?? 0
        let last = ends.last.flatMap { Int($0) } ?? count - 1
        return first..<max(first, last + 1)
    }

    private func response(
        _ status: Int, _ tag: String, _ content: [UInt8], _ range: Range<Int>, stop: Int? = nil,
        waits: Bool = false, isCut: Bool = false
    ) -> ServerResponse {
        var headers: ServerHeaders = ["ETag": tag, "Accept-Ranges": "bytes"]
        if status == 206 {
            headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"
        }
        let body = Array(content[range])
        return ServerResponse(
            status: status, headers: headers,
            body: .stream(length: body.count) { [release] writer in
                let first = min(stop ?? body.count, body.count)
                try await writer.write(Array(body[..<first]))
                guard first < body.count else { return }
                if waits { await release.wait() }
                if isCut { throw Cut() }
                try await writer.write(Array(body[first...]))
            })
    }
}
