import HTTPTypes
import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Responses of servers and mocks", .timeLimit(.minutes(5)))
struct ServerResponseTests {
    private struct Row: Sendable {
        var response: ServerResponse
        var text = ""
        var type: String?
        var status = 200
    }

    // Made anew for each request: a pulled body can be read once.
    private static var rows: [Row] {
        [
            Row(response: .json(["a": [1, "two"]]), text: #"{"a":[1,"two"]}"#, type: "application/json"),
            Row(
                response: .json([:], status: 503, headers: ["X-A": "b"]), text: "{}", type: "application/json",
                status: 503),
            Row(response: .text("é"), text: "é", type: "text/plain; charset=utf-8"),
            Row(
                response: .text("<a/>", mediaType: "text/xml", status: 404), text: "<a/>", type: "text/xml", status: 404
            ),
            Row(response: .bytes([0x61, 0x62]), text: "ab", type: "application/octet-stream"),
            Row(response: .bytes(Bytes(string: "ab"), mediaType: "a/b"), text: "ab", type: "a/b"),
            Row(response: .data(Data("ab".utf8), mediaType: "a/b", status: 201), text: "ab", type: "a/b", status: 201),
            Row(
                response: .message("no", status: 400), text: #"{"message": "no"}"#, type: "application/json",
                status: 400),
            Row(response: ServerResponse(status: 204), status: 204),
            Row(response: ServerResponse(headers: ["Content-Type": "a/b"]), type: "a/b"),
            Row(response: ServerResponse(body: ResponseBody(Bytes(string: "whole"))), text: "whole"),
            Row(response: ServerResponse(body: ResponseBody(CountedText(["one ", "two"]))), text: "one two"),
            Row(response: ServerResponse(body: written(nil, ["one ", "", "two"])), text: "one two"),
            Row(response: ServerResponse(body: written(7, ["one ", "two"])), text: "one two"),
            Row(response: ServerResponse(body: written(0, []))),
        ]
    }

    private static func written(_ length: Int?, _ pieces: [String]) -> ServerResponse.Body {
        .stream(length: length) { writer in for piece in pieces { try await writer.write(piece) } }
    }

    @Test("Each response is received alike from a mock and from a server", arguments: 0..<15)
    func alike(index: Int) async throws {
        for isMock in [true, false] {
            let row = Self.rows[index]
            try await TestServer.withServer { server in
                server.route("GET", "/a") { _ in row.response }
                let api = try Session(baseURL: server.url) {
                    if isMock { $0.network.transport = MockTransport { _ in row.response } }
                    $0.network.engine = Engine()
                    $0.retry = .none
                    $0.acceptsAnyStatus = true
                }
                let reply = try await api.get("a")
                expectEqual(reply.status, row.status)
                expectEqual(reply.body.text, row.text)
                expectEqual(reply.headers["Content-Type"], row.type)
                expectEqual(reply.headers["X-A"], row.response.headers["X-A"])
            }
        }
    }

    @Test("Repeated fields stay separate lines, a redirect adds its own, and typed names find them")
    func fields() async throws {
        var response = ServerResponse.redirect(
            to: "/b", status: 307, headers: ["Set-Cookie": "a=1", "Set-Cookie": "b=2"])
        expectEqual(response.headers[.location], "/b")
        response.headers[.retryAfter] = "1"
        expectEqual(response.headers["retry-after"], "1")
        response.headers[.retryAfter] = nil
        let mock = MockTransport { [response] _ in response }
        let reply = try await mocked(by: mock) { $0.redirects = .doNotFollow }.api.get("a")
        expectEqual(reply.status, 307)
        expectEqual(reply.headers[values: .setCookie], ["a=1", "b=2"])
        expectEqual(ServerHeaders(reply.headers).all("set-cookie"), ["a=1", "b=2"])
        expectNil(reply.headers[.retryAfter])
    }

    @Test("A mock passes on the reason phrase and the trailers")
    func rest() async throws {
        let response = ServerResponse(
            reason: "Fine", body: Self.written(nil, ["x"]), trailers: ["X-Sum": "9"])
        let mock = MockTransport { _ in response }
        try await mocked(by: mock).api.withResponse(to: .get("a")) { response in
            expectEqual(response.reasonPhrase, "Fine")
            expectNil(response.body.trailers)
            for try await piece in response.body { expectEqual(piece.text, "x") }
            expectEqual(response.body.trailers?[HTTPField.Name("X-Sum") ?? .age], "9")
        }
    }

    @Test("A mock fails for what only a server can send")
    func impossible() async throws {
        let responses = [
            ServerResponse(body: .raw { _ in }), ServerResponse(headers: ["a b": "c"]),
            ServerResponse(headers: ["A": "b\r\nC: d"]),
            ServerResponse(body: Self.written(nil, []), trailers: ["": "x"]),
        ]
        for response in responses {
            let (api, _) = try mocked(by: MockTransport { _ in response }) { $0.retry = .none }
            let error = await #expect(throws: SternaError.self) { try await api.get("a") }
            expectEqual(error?.kind, .malformedResponse)
        }
    }

    @Test("A mock's body that ends early, is too long, or fails is truncated")
    func broken() async throws {
        struct Fault: Error {}
        let bodies: [ServerResponse.Body] = [
            Self.written(5, ["four"]), Self.written(3, ["four"]),
            .stream(length: nil) { writer in
                try await writer.write("x")
                throw Fault()
            },
        ]
        for body in bodies {
            let (api, _) = try mocked(by: MockTransport { _ in ServerResponse(body: body) }) { $0.retry = .none }
            let error = await #expect(throws: SternaError.self) { try await api.get("a") }
            expectEqual(error?.kind, .truncated)
        }
    }

    @Test("The writer of a mock's body waits for its reader, and ends with it", arguments: [false, true])
    func pace(isReleased: Bool) async throws {
        let written = Counter()
        let (ended, isEnded) = AsyncStream<SternaError.Kind?>.makeStream()
        let response = ServerResponse(
            body: .stream(length: nil) { writer in
                do {
                    while true {
                        try await writer.write("piece")
                        written.add()
                    }
                } catch {
                    isEnded.yield((error as? SternaError)?.kind)
                    isEnded.finish()
                    throw error
                }
            })
        let (api, _) = try mocked(by: MockTransport { _ in response })
        try await api.withResponse(to: .get("a")) { response in
            var pieces = response.body.makeAsyncIterator()
            for _ in 0..<3 { try await expectEqual(pieces.next()?.text, "piece") }
            #expect(written.value <= 3)
            if !isReleased { response.body.cancel() }
        }
        for await kind in ended { expectEqual(kind, .cancelled) }
    }

    @Test("The writer of a mock's body in a Swift task that is cancelled stops waiting, and its piece is left out")
    func cancelledWriter() async throws {
        let (ends, ended) = AsyncStream<Bool>.makeStream()
        let response = ServerResponse(
            body: .stream(length: 9) { writer in
                try await writer.write("first")
                let task = Task { try await writer.write("more") }
                task.cancel()
                do {
                    try await task.value
                    ended.yield(false)
                } catch {
                    ended.yield(error is CancellationError)
                }
                ended.finish()
                try await writer.write("last")
            })
        let (api, _) = try mocked(by: MockTransport { _ in response })
        try await api.withResponse(to: .get("a")) { response in
            var pieces = response.body.makeAsyncIterator()
            try await expectEqual(pieces.next()?.text, "first")
            // Nothing is read meanwhile.
            for await isCancelled in ends { #expect(isCancelled) }
            try await expectEqual(pieces.next()?.text, "last")
            let rest = try await pieces.next()
            expectNil(rest)
        }
    }

    @Test("A reader of a mock's body that is cancelled stops waiting")
    func cancelled() async throws {
        let gate = Gate()
        let response = ServerResponse(
            body: .stream(length: nil) { writer in
                try await writer.write("x")
                await gate.wait()
            })
        let (api, _) = try mocked(by: MockTransport { _ in response })
        let began = Gate()
        let work = Task {
            try await api.withResponse(to: .get("a")) { response in
                for try await _ in response.body { began.open() }
            }
        }
        await began.wait()
        work.cancel()
        await expectEqual(failure(of: work), .cancelled)
        gate.open()
    }
}

/// A body of texts that is pulled.
private final class CountedText: BodyStream {
    private let rest: Mutex<ArraySlice<String>>

    init(_ pieces: [String]) { rest = Mutex(pieces[...]) }

    func next() async throws -> Bytes? { rest.withLock { $0.popFirst() }.map { Bytes(string: $0) } }

    func cancel() {}
    var length: Int64? { nil }
    var trailers: HTTPFields? { nil }
}
