import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Tasks: streams", .timeLimit(.minutes(5)))
struct DataStreamTaskTests {
    private struct Line: Decodable, Sendable {
        let id: Int
    }

    private func session(_ server: TestServer) throws -> Session {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.responseSerializer = .data
        }
    }

    @Test("Bytes, as they arrive", arguments: [0, 10, 3_000_000])
    func bytes(count: Int) async throws {
        try await TestServer.withServer { server in
            let task = try session(server).streamTask(.get("stream-bytes/\(count)"))
            var all = 0
            for try await piece in task.bytes { all += piece.readableBytes }
            expectEqual(all, count)
            try await task.finished()
            expectEqual(task.state, .completed)
            expectEqual(task.progress.current.completed, Int64(count))
        }
    }

    @Test("Lines, and values of JSON lines")
    func lines() async throws {
        try await TestServer.withServer { server in
            let api = try session(server)
            var count = 0
            for try await line in api.streamTask(.get("stream/500")).lines {
                #expect(line.hasPrefix("{"))
                count += 1
            }
            expectEqual(count, 500)
            var ids: [Int] = []
            for try await line in api.streamTask(.get("stream/500")).jsonLines(of: Line.self) { ids.append(line.id) }
            expectEqual(ids, Array(0..<500))
        }
    }

    @Test("JSON lines may have any media type", arguments: ["application/x-ndjson", "text/plain", nil])
    func linesOfAnyType(type: String?) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/lines") { _ in
                let headers: ServerHeaders = if let type { ["Content-Type": type] } else { [:] }
                return ServerResponse(
                    headers: headers, body: .bytes(Array("{\"id\":1}\n\n{\"id\":2}\n".utf8)))
            }
            var ids: [Int] = []
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            for try await line in api.streamTask(.get("lines")).jsonLines(of: Line.self) { ids.append(line.id) }
            expectEqual(ids, [1, 2])
        }
    }

    @Test("A line above the limit ends the task")
    func longLine() async throws {
        try await TestServer.withServer { server in
            let task = try session(server).streamTask(.get("stream-bytes/3000000?seed=1"))
            let error = await #expect(throws: SternaError.self) {
                for try await _ in task.lines(upTo: 1) {}
            }
            expectEqual(error?.kind, .limitExceeded)
            await #expect(throws: SternaError.self) { try await task.finished() }
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("A status that is rejected throws before the first byte")
    func rejected() async throws {
        try await TestServer.withServer { server in
            let task = try session(server).streamTask(.get("status/500"))
            let error = await #expect(throws: SternaError.self) {
                for try await _ in task.bytes { Issue.record("bytes of an error") }
            }
            expectEqual(error?.kind, .unacceptableStatus)
            expectEqual(task.error?.kind, .unacceptableStatus)
        }
    }

    private struct Refused: Error {}

    @Test("Media types and closures of `validating` are checked at the head")
    func validated() async throws {
        try await TestServer.withServer { server in
            let api = try session(server)
            let data = DataResponseSerializer()
            let serializers: [(any ResponseSerializer, SternaError.Kind?)] = [
                (data.validating(mediaTypes: ["text/event-stream"]), .unacceptableMediaType),
                (data.validating(mediaTypes: ["application/*"]), nil),
                (data.validating { _, _ in throw Refused() }, .unacceptableResponse),
                (data.validating { _, _ in throw Refused() }.map(\.count), .unacceptableResponse),
                (data.validating { _, body in expectEqual(body.count, 0) }, nil),
                // A stream is read as bytes or text, so the types of serializers that read these count.
                (.imageData, .unacceptableMediaType),
                (ImageDataResponseSerializer().map(\.count), .unacceptableMediaType),
                (
                    TextResponseSerializer(validation: ResponseValidation(mediaTypes: ["text/*"])),
                    .unacceptableMediaType
                ),
                (.text, nil),
                // The types of a serializer that reads something else do not count.
                (.json, nil),
                (JSONResponseSerializer().map { $0.description }, nil),
            ]
            for (serializer, kind) in serializers {
                let ofSession = api.with { $0.responseSerializer = serializer }
                for task in [
                    api.streamTask(.get("stream-bytes/100") { $0.responseSerializer = serializer }),
                    ofSession.streamTask(.get("stream-bytes/100")),
                ] {
                    do {
                        for try await _ in task.bytes { expectNil(kind) }
                        expectNil(kind)
                    } catch {
                        expectEqual((error as? SternaError)?.kind, kind)
                        expectEqual((error as? SternaError)?.status, 200)
                    }
                }
                // The request's own replaces the session's.
                let task = ofSession.streamTask(.get("stream-bytes/100") { $0.responseSerializer = .data })
                var count = 0
                for try await piece in task.bytes { count += piece.readableBytes }
                expectEqual(count, 100)
            }
        }
    }

    @Test("A reader that leaves its loop, or whose Swift task is cancelled, ends the task")
    func abandoned() async throws {
        try await TestServer.withServer { server in
            let api = try session(server)
            let task = api.streamTask(.get("bytes/100000000"))
            for try await _ in task.bytes { break }
            await #expect(throws: SternaError.self) { try await task.finished() }
            expectEqual(task.error?.kind, .cancelled)
            let other = api.streamTask(.get("drip?duration=60"))
            let reader = Task { for try await _ in other.bytes {} }
            reader.cancel()
            await #expect(throws: SternaError.self) { try await other.finished() }
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("A stream is cancelled between two pieces; a suspended one continues")
    func cancel() async throws {
        try await TestServer.withServer { server in
            let task = try session(server).streamTask(.get("bytes/100000000"))
            var reader = task.bytes.makeAsyncIterator()
            _ = try await reader.next()
            task.suspend()
            expectEqual(task.state, .suspended)
            task.resume()
            #expect(try await reader.next() != nil)
            task.cancel()
            await #expect(throws: SternaError.self) { while try await reader.next() != nil {} }
            await #expect(throws: SternaError.self) { try await task.finished() }
            try await server.waitForOpenConnections(0)
        }
    }
}
