import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// A body of pieces that are there, and that then ends, fails, or stands still until its reader is cancelled.
private final class PieceBody: BodyStream {
    enum Ending { case end, failure, stall }

    private let pieces: Mutex<ArraySlice<Bytes>>
    private let ending: Ending
    private let state = Mutex((isStalled: false, isCancelled: false))

    init(_ pieces: [String], _ ending: Ending) {
        self.pieces = Mutex(pieces.map { Bytes(text: $0) }[...])
        self.ending = ending
    }

    var isStalled: Bool { state.withLock { $0.isStalled } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    var length: Int64? { nil }
    var trailers: HTTPFields? { nil }

    func cancel() { state.withLock { $0.isCancelled = true } }

    func next() async throws -> Bytes? {
        if let piece = pieces.withLock({ $0.popFirst() }) { return piece }
        switch ending {
        case .end: return nil
        case .failure: throw SternaError(.truncated, phase: .read, "It broke off.")
        case .stall:
            state.withLock { $0.isStalled = true }
            try await Task.sleep(for: .seconds(3_600))
            return nil
        }
    }
}

@Suite("Bodies of error responses that may be long, slow or truncated", .timeLimit(.minutes(5)))
struct BodyPrefixTests {
    private static let clock = Engine.shared.loopClock

    @Test("A body that has arrived whole is read up to the limit")
    func whole() async {
        for (limit, expected) in [(5, "abcde"), (6, "abcde"), (4, "abcd"), (0, "")] {
            let body = ResponseBody(Bytes(text: "abcde"))
            let read = await BodyPrefix.read(body, upTo: limit, on: Self.clock)
            #expect(read.bytes.text == expected && read.isComplete == (limit >= 5))
        }
    }

    @Test("A streamed body is read to its end, or to the limit and then cancelled")
    func streamed() async {
        for (limit, expected) in [(5, "abcde"), (6, "abcde"), (4, "abcd"), (3, "abc"), (0, "")] {
            let stream = PieceBody(["ab", "cd", "e"], .end)
            let read = await BodyPrefix.read(ResponseBody(stream), upTo: limit, on: Self.clock)
            #expect(read.bytes.text == expected && read.isComplete == (limit >= 5))
            expectEqual(stream.isCancelled, (limit < 5))
        }
    }

    @Test("The result has the bytes that arrived before a failure")
    func cut() async {
        let stream = PieceBody(["ab", "c"], .failure)
        let read = await BodyPrefix.read(ResponseBody(stream), on: Self.clock)
        #expect(read.bytes.text == "abc" && !read.isComplete && stream.isCancelled)
    }

    @Test("The result has the bytes that arrived within ten seconds")
    func slow() async {
        let (time, stream) = (TestClock(), PieceBody(["ab", "c"], .stall))
        let clock = LoopClock(time.clock, on: Self.clock.loop)
        let task = Task { await BodyPrefix.read(ResponseBody(stream), on: clock) }
        await time.waitForTimer(within: .seconds(10))
        while !stream.isStalled { await Task.yield() }
        await time.advance(by: .milliseconds(9_999))
        #expect(!stream.isCancelled)
        await time.advance(by: .milliseconds(1))
        let read = await task.value
        #expect(read.bytes.text == "abc" && !read.isComplete && stream.isCancelled)
    }

    @Test("A reader that is cancelled stops waiting")
    func cancelled() async {
        let stream = PieceBody(["ab"], .stall)
        let task = Task { await BodyPrefix.read(ResponseBody(stream), on: Self.clock) }
        while !stream.isStalled { await Task.yield() }
        task.cancel()
        await expectEqual(task.value.isComplete, false)
        #expect(stream.isCancelled)
    }

    // MARK: Over a connection

    @Test("The long body of an error does not hide a download's status")
    func long() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/file") { _ in
                ServerResponse(status: 500, body: .bytes([UInt8](repeating: 0x61, count: 2 << 20)))
            }
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                let error = await #expect(throws: SternaError.self) {
                    try await api.download("file", to: .file("\(folder)/x")).value
                }
                #expect(error?.kind == .unacceptableStatus && error?.status == 500)
                expectEqual(error?.body?.readableBytes, 1 << 20)
                let task = api.streamTask(.get("file"))
                let streamed = await #expect(throws: SternaError.self) { try await task.value }
                #expect(streamed?.kind == .unacceptableStatus && streamed?.status == 500)
            }
        }
    }

    @Test("An error with a slow body fails a download after ten seconds, and closes its connection")
    func drips() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/file") { _ in
                ServerResponse(
                    body: .raw { connection in
                        try await connection.write("HTTP/1.1 500 Slow\r\nContent-Length: 1000\r\n\r\nx")
                        await connection.waitForClose()
                    })
            }
            try await Downloading.withFolder { folder in
                let time = TestClock()
                var options = EngineOptions()
                options.clock = time.clock
                options.idleTimeout = .seconds(3_600)
                let engine = Engine(options: options)
                let api = try Downloading.session(server) {
                    $0.network.engine = engine
                    $0.timeouts.setEach(.seconds(3_600))
                }
                let task = api.download("file", to: .file("\(folder)/x"))
                await time.waitForTimer(within: .seconds(10))
                await time.advance(by: .seconds(10))
                let error = await #expect(throws: SternaError.self) { try await task.value }
                #expect(error?.kind == .unacceptableStatus && error?.status == 500)
                #expect(try Downloading.names(in: folder).isEmpty)
            }
        }
    }
}
