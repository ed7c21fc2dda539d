import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Responses: lines, and values of JSON lines", .timeLimit(.minutes(5)))
struct ResponseLineTests {
    private struct Line: Decodable, Equatable { var id: Int }

    private func read<R>(
        _ text: String, type: String = "application/x-ndjson", _ read: (Response) async throws -> R
    ) async throws -> R {
        let (api, _) = try mocked(by: MockTransport { _ in .text(text, mediaType: type) })
        return try await api.withResponse(to: .get("lines")) { try await read($0) }
    }

    @Test("A streamed response is read as it arrives")
    func streamed() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            try await api.withResponse(to: .get("stream/500")) { response in
                var count = 0
                for try await line in response.lines {
                    #expect(line.hasPrefix("{"))
                    count += 1
                }
                expectEqual(count, 500)
            }
            let ids = try await api.withResponse(to: .get("stream/500")) { response in
                var ids: [Int] = []
                for try await line in response.decode(lines: Line.self) { ids.append(line.id) }
                return ids
            }
            expectEqual(ids, Array(0..<500))
        }
    }

    @Test("Line ends, empty lines, a last line without an end, and any media type are accepted")
    func ends() async throws {
        let lines = try await read("a\r\n\nb") { response in
            var lines: [String] = []
            for try await line in response.lines { lines.append(line) }
            return lines
        }
        expectEqual(lines, ["a", "", "b"])
        let values = try await read("{\"id\":1}\n \n{\"id\":2}", type: "text/plain") { response in
            var values: [Line] = []
            for try await line in response.decode(lines: Line.self) { values.append(line) }
            return values
        }
        expectEqual(values, [Line(id: 1), Line(id: 2)])
    }

    @Test("The reply of a verb is read any number of times")
    func reply() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .text("a\nb") })
        let response = try await api.get("lines").response
        for _ in 1...2 {
            var lines: [String] = []
            for try await line in response.lines { lines.append(line) }
            expectEqual(lines, ["a", "b"])
        }
    }

    @Test("A line that does not decode, and one that is too long, throw")
    func failures() async throws {
        let misfit = await #expect(throws: SternaError.self) {
            try await read("{\"id\":1}\n{\"id\":\"x\"}\n") { response in
                for try await _ in response.decode(lines: Line.self) {}
            }
        }
        expectEqual(misfit?.kind, .decodingFailed)
        let broken = await #expect(throws: SternaError.self) {
            try await read("{") { response in for try await _ in response.decode(lines: Line.self) {} }
        }
        expectEqual(broken?.kind, .decodingFailed)
        let long = await #expect(throws: SternaError.self) {
            try await read("12345\n123456\n") { response in for try await _ in response.lines(upTo: 5) {} }
        }
        expectEqual(long?.kind, .limitExceeded)
    }

    @Test("A line that is too long closes the connection")
    func cancelled() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            await #expect(throws: SternaError.self) {
                try await api.withResponse(to: .get("stream-bytes/3000000?seed=1")) { response in
                    for try await _ in response.lines(upTo: 1) {}
                }
            }
            try await server.waitForOpenConnections(0)
        }
    }
}
