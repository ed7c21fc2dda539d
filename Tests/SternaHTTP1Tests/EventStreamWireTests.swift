import HTTPTypes
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Event streams over sockets", .timeLimit(.minutes(5)))
struct EventStreamWireTests {
    private static func events(_ write: @escaping @Sendable (ServerBodyWriter) async throws -> Void) -> ServerResponse {
        ServerResponse(headers: ["Content-Type": "text/event-stream"], body: .stream(length: nil, write))
    }

    @Test("Events arrive before the response ends")
    func early() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.route("GET", "/stream") { _ in
                Self.events { writer in
                    try await writer.write("data: first\n\n")
                    await gate.wait()
                    try await writer.write("data: second\n\n")
                }
            }
            let stream = try Wire.session(server.url).events("stream") { $0.reconnects = false }
            var iterator = stream.makeAsyncIterator()
            try await expectEqual(iterator.next()?.data, "first")
            gate.open()
            try await expectEqual(iterator.next()?.data, "second")
            try await expectNil(iterator.next())
        }
    }

    @Test("No event is lost or repeated over connections that are cut at every byte")
    func cut() async throws {
        let all = (1...9).map { "id: \($0)\ndata: \($0)\n\n" }.joined()
        let cuts = Counter()
        try await TestServer.withServer { server in
            server.route("GET", "/stream") { request in
                let last = Int(request.headers["Last-Event-ID"] ?? "0") ?? 0
                guard last < 9 else { return ServerResponse(status: 204) }
                let rest = (last + 1...9).map { "id: \($0)\ndata: \($0)\n\n" }.joined()
                let cut = cuts.add()
                return Self.events { writer in
                    // Later cuts end within later events.
                    try await writer.write(String(rest.prefix(cut)))
                    throw CancellationError()
                }
            }
            let stream = try Wire.session(server.url).events("stream") {
                $0.reconnectionTime = .zero
                $0.backoff = RetryBackoff(base: .zero)
            }
            var events: [ServerSentEvent] = []
            for try await event in stream { events.append(event) }
            expectEqual(events, (1...9).map { .init(data: "\($0)", id: "\($0)") })
            #expect(cuts.value > 9 && cuts.value < all.count)
        }
    }

    @Test("A task that is cancelled closes the connection", arguments: [false, true])
    func cancelled(isReading: Bool) async throws {
        try await TestServer.withServer { server in
            let isOver = Gate()
            server.route("GET", "/stream") { _ in
                Self.events { writer in
                    try await writer.write("data: first\n\n")
                    await isOver.wait()
                }
            }
            let api = try Wire.session(server.url)
            let first = Gate()
            let task = Task {
                for try await _ in api.events("stream") {
                    first.open()
                    // Leaves the loop, or waits for the next event.
                    if !isReading { break }
                }
            }
            await first.wait()
            if isReading { task.cancel() }
            let result = await task.result
            if isReading {
                let error = #expect(throws: SternaError.self) { try result.get() }
                expectEqual(error?.kind, .cancelled)
            }
            try await server.waitForOpenConnections(0)
            isOver.open()
        }
    }

    @Test("A task that is cancelled ends the wait before the next connection")
    func cancelledWait() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/stream") { _ in Self.events { try await $0.write("data: first\n\n") } }
            let time = TestClock()
            var options = Wire.options
            options.clock = time.clock
            let api = try Wire.session(server.url, engine: Engine(options: options))
            let task = Task {
                for try await _ in api.events("stream", { $0.reconnectionTime = .seconds(1_000) }) {}
            }
            await time.waitForTimer(within: .seconds(1_000))
            try await server.waitForRequests(1)
            task.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            expectEqual(server.requestCount, 1)
        }
    }

    @Test("The server's time passes before the next connection")
    func serverTime() async throws {
        try await TestServer.withServer { server in
            let count = Counter()
            server.route("GET", "/stream") { _ in
                count.add() > 1 ? ServerResponse(status: 204) : Self.events { try await $0.write("retry: 5000\n\n") }
            }
            let time = TestClock()
            var options = Wire.options
            options.clock = time.clock
            let engine = Engine(options: options)
            let stream = try Wire.session(server.url, engine: engine).events("stream") { $0.reconnectionTime = .zero }
            let waits = Task {
                var waits: [Duration] = []
                for try await update in stream.updates {
                    if case .reconnecting(let wait, nil) = update { waits.append(wait) }
                }
                return waits
            }
            try await Wire.pass(.seconds(5), on: time) { try await expectEqual(waits.value, [.seconds(5)]) }
            expectEqual(server.requestCount, 2)
        }
    }

    @Test("A stream that is silent for too long counts as lost")
    func silence() async throws {
        try await TestServer.withServer { server in
            let time = TestClock()
            let count = Counter()
            let end = Gate()
            server.route("GET", "/stream") { _ in
                guard count.add() == 1 else { return ServerResponse(status: 204) }
                return Self.events { writer in
                    try await writer.write("data: first\n\n")
                    await end.wait()
                }
            }
            var options = Wire.options
            options.clock = time.clock
            let stream = try Wire.session(server.url, engine: Engine(options: options)).events("stream") {
                $0.silence = .seconds(40)
                $0.reconnectionTime = .zero
                $0.backoff = RetryBackoff(base: .zero)
            }
            let updates = Task {
                var errors: [SternaError.Kind?] = []
                for try await update in stream.updates {
                    if case .reconnecting(_, let error) = update { errors.append(error?.kind) }
                }
                return errors
            }
            try await Wire.pass(.seconds(40), on: time) { try await expectEqual(updates.value, [.timedOut]) }
            end.open()
        }
    }

    @Test("A slow reader slows the server down")
    func backPressure() async throws {
        try await TestServer.withServer { server in
            let written = Counter()
            server.route("GET", "/stream") { _ in
                Self.events { writer in
                    let event = "data: \(String(repeating: "a", count: 1 << 16))\n\n"
                    for _ in 0..<1_000 {
                        try await writer.write(event)
                        written.add()
                    }
                }
            }
            let stream = try Wire.session(server.url).events("stream") { $0.reconnects = false }
            var iterator = stream.makeAsyncIterator()
            _ = try await iterator.next()
            // The server stops when the buffers of both sides are full.
            var (last, pauses) = (-1, 0)
            let stops = await eventually {
                let now = written.value
                pauses = now == last ? pauses + 1 : 0
                last = now
                return pauses == 100
            }
            #expect(stops)
            #expect(written.value < 900)
            var count = 1
            while try await iterator.next() != nil { count += 1 }
            expectEqual(count, 1_000)
        }
    }
}
