import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Bytes of bodies after their content coding was undone, whoever reads them.
@Suite("Metrics of streamed responses", .timeLimit(.minutes(5)))
struct StreamedMetricsTests {
    private func session(
        _ url: String, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try DialScene.session(url) {
            $0.events.collectsMetrics = true
            configure(&$0)
        }
    }

    /// Answers `/row` with bytes that do not compress, so that none of the two lengths is taken for the other.
    private func serve(_ server: TestServer, _ length: Int, isCoded: Bool, status: Int = 200) {
        let plain = Wire.pattern(length)
        let body = isCoded ? Zlib.gzip(plain) : plain
        let headers: ServerHeaders = isCoded ? ["Content-Encoding": "gzip"] : [:]
        server.route("GET", "/row") { _ in .bytes(body, status: status, headers: headers) }
    }

    @Test("The bytes read of a stream count, after decoding", arguments: [1_000, 600_000], [false, true])
    func streamed(length: Int, isCoded: Bool) async throws {
        try await TestServer.withServer { server in
            serve(server, length, isCoded: isCoded)
            let ends = EventLog(.network)
            let api = try session(server.url) { $0.events.observers = [ends.observer] }
            let response = try await api.withResponse(to: .get("row")) { response in
                var count = 0
                for try await piece in response.body { count += piece.readableBytes }
                expectEqual(count, length)
                return response
            }
            let metrics = try #require(response.metrics)
            MetricsCheck.expectOrder(metrics)
            expectEqual(metrics.attempts.map(\.decodedBytes), [Int64(length)])
            #expect(metrics.bytesReceived > Int64(length))
            await api.flushEvents()
            expectEqual(ends.metrics.map { $0.attempts.map(\.decodedBytes) }, [[Int64(length)]])
        }
    }

    @Test("The bytes collected of a stream count", arguments: [1_000, 600_000], [false, true])
    func collected(length: Int, isCoded: Bool) async throws {
        try await TestServer.withServer { server in
            serve(server, length, isCoded: isCoded)
            let api = try session(server.url)
            let response = try await api.withResponse(to: .get("row")) { response in
                let body = try await response.body.collect(upTo: 1 << 20)
                expectEqual(body.count, length)
                return response
            }
            expectEqual(response.metrics?.attempts.map(\.decodedBytes), [Int64(length)])
        }
    }

    @Test("Unread bytes do not count", arguments: [false, true])
    func abandoned(isCoded: Bool) async throws {
        // Much more than is kept for a reader.
        let length = 8_000_000
        try await TestServer.withServer { server in
            serve(server, length, isCoded: isCoded)
            let api = try session(server.url)
            let read = Counter()
            let response = try await api.withResponse(to: .get("row")) { response in
                for try await piece in response.body {
                    read.add(piece.readableBytes)
                    if read.value >= 100_000 { break }
                }
                return response
            }
            let decoded = try #require(response.metrics?.attempts.last?.decodedBytes)
            expectEqual(decoded, Int64(read.value))
            #expect(decoded < Int64(length))
        }
    }

    @Test("After a redirect they count for the last attempt")
    func redirected() async throws {
        try await TestServer.withServer { server in
            serve(server, 600_000, isCoded: true)
            server.route("GET", "/away") { _ in .redirect(to: "/row") }
            let api = try session(server.url)
            let response = try await api.withResponse(to: .get("away")) { response in
                for try await _ in response.body {}
                return response
            }
            expectEqual(response.metrics?.attempts.map(\.status), [302, 200])
            expectEqual(response.metrics?.attempts.map(\.decodedBytes), [0, 600_000])
        }
    }

    @Test("The body of a status that is not accepted counts", arguments: [1_000, 600_000], [false, true])
    func status(length: Int, isCoded: Bool) async throws {
        try await TestServer.withServer { server in
            serve(server, length, isCoded: isCoded, status: 404)
            let ends = EventLog(.network)
            let api = try session(server.url) { $0.events.observers = [ends.observer] }
            let error = await Wire.failure(.unacceptableStatus, .decode) { try await api.get("row") }
            expectEqual(error?.body?.count, length)
            let metrics = try #require(error?.metrics)
            MetricsCheck.expectOrder(metrics)
            expectEqual(metrics.attempts.map(\.status), [404])
            expectEqual(metrics.attempts.map(\.decodedBytes), [Int64(length)])
            await api.flushEvents()
            expectEqual(ends.metrics.map { $0.attempts.map(\.decodedBytes) }, [[Int64(length)]])
        }
    }

    @Test("The bytes read of a broken body count in the error")
    func broken() async throws {
        try await TestServer.withServer { server in
            let hasRead = Gate()
            server.route("GET", "/row") { _ in
                ServerResponse(
                    body: .stream(length: 9) { writer in
                        try await writer.write("half")
                        await hasRead.pass()
                    })
            }
            let api = try session(server.url)
            let read = Counter()
            let error = await Wire.failure(.truncated, .read) {
                try await api.withResponse(to: .get("row")) { response in
                    for try await piece in response.body {
                        read.add(piece.readableBytes)
                        hasRead.open()
                    }
                }
            }
            expectEqual(read.value, 4)
            expectEqual(error?.metrics?.attempts.map(\.decodedBytes), [4])
        }
    }
}
