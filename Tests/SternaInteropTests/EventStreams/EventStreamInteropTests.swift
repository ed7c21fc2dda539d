import Sterna
import SternaPlatform
import Testing

@testable import SternaTestSupport

/// Against servers of PyPI. Skipped where `.ci/interop-servers` has not run; CI runs it.
@Suite(
    "Interop: event streams",
    .enabled(if: EventStreamServers.areThere, "the servers are not there: .ci/interop-servers installs them"),
    .eventStreamServers, .timeLimit(.minutes(5)))
struct EventStreamInteropTests {
    private static func atOnce(_ settings: inout EventStreamSettings) {
        settings.reconnectionTime = .zero
        settings.backoff = RetryBackoff(base: .zero)
    }

    @Test("A stream is read whole, and resumed behind its last event", arguments: EventStreamServers.Way.allCases)
    func whole(way: EventStreamServers.Way) async throws {
        let servers = try #require(EventStreamServers.current)
        let stream = try servers.session(way).events("numbers?last=40", Self.atOnce)
        var events: [ServerSentEvent] = []
        var versions: [HTTPVersion] = []
        for try await update in stream.updates {
            switch update {
            case .opened(let response): versions.append(response.version)
            case .event(let event): events.append(event)
            case .reconnecting(_, let error): expectNil(error)
            }
        }
        expectEqual(events, (1...40).map { .init(data: "\($0)", id: "\($0)") })
        expectEqual(versions, [way.isHTTP2 ? .http2 : .http11])
    }

    @Test(
        "Events arrive while the stream lasts, and the server notices that the client leaves",
        arguments: EventStreamServers.Way.allCases.filter(\.isPrompt), [false, true])
    func left(way: EventStreamServers.Way, isCancelled: Bool) async throws {
        let servers = try #require(EventStreamServers.current)
        let name = "\(UUID().uuidString)"
        let api = try servers.session(way)
        let third = Gate()
        let task = Task {
            defer { third.open() }
            var count = 0
            for try await event in api.events("numbers?client=\(name)") {
                count += 1
                expectEqual(event.id, "\(count)")
                if count == 3 { third.open() }
                if count == 3, !isCancelled { break }
            }
        }
        await third.pass()
        if isCancelled {
            task.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
        } else {
            try await task.value
        }
        let isNoticed = try await eventually { try await servers.left(by: way).contains(name) }
        #expect(isNoticed)
    }
}

/// Against a server that is killed and started again.
@Suite(
    "Interop: event streams of a server that is killed",
    .enabled(if: ServerProgram.Name(description: "python3").mayRun, "python3 is not installed"), .timeLimit(.minutes(5))
)
struct EventStreamRestartTests {
    /// Each process answers one request and is killed at a random byte of its response. Ten times the port is closed for a
    /// moment, too. The last process completes the stream with an event of the type `end`.
    private static let server = #"""
        import os, random, signal, socket, sys, time

        address, end = ("127.0.0.1", int(sys.argv[1])), 1_000_000


        def chunk(text):
            return b"%x\r\n%s\r\n" % (len(text), text)


        def serve(listener, is_last):
            while True:
                client, _ = listener.accept()
                head = b""
                while not head.endswith(b"\r\n\r\n") and (piece := client.recv(65536)):
                    head += piece
                if not head:
                    continue
                fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n") if b": " in line)
                last = int(fields.get(b"last-event-id", b"0"))
                if is_last and last >= end:
                    client.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
                    os._exit(0)
                wire = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                for number in range(last + 1, last + 21):
                    wire += chunk(b"id: %d\n" % number) + chunk(b"data: %d\n\n" % number)
                if is_last:
                    client.sendall(wire + chunk(b"event: end\nid: %d\ndata\n\n" % end) + chunk(b""))
                    client.close()
                else:
                    client.sendall(wire[:random.randrange(1, len(wire))])
                    os.kill(os.getpid(), signal.SIGKILL)


        listener = socket.create_server(address)
        for number in range(101):
            child = os.fork()
            if child == 0:
                serve(listener, number == 100)
            is_closed = number % 10 == 9
            if is_closed:
                listener.close()
            os.waitpid(child, 0)
            if is_closed:
                time.sleep(0.02)
                listener = socket.create_server(address)
        """#

    @Test("A server that is killed and started again 100 times loses no event and repeats none")
    func killed() async throws {
        let python = ServerProgram.Name(description: "python3")
        let program = try await ServerProgram(python) { _, ports, _ in ["-c", Self.server, "\(ports[0])"] }
        let api = try Session(baseURL: "http://127.0.0.1:\(program.ports[0])") { $0.network.engine = Engine() }
        let stream = api.events("numbers") {
            $0.reconnectionTime = .zero
            $0.backoff = RetryBackoff(base: .zero)
        }
        var (events, failures) = ([ServerSentEvent](), 0)
        for try await update in stream.updates {
            switch update {
            case .opened: break
            case .event(let event): events.append(event)
            case .reconnecting(_, let error): failures += error == nil ? 0 : 1
            }
        }
        #expect(failures >= 100, "\(program.complaints())")
        expectEqual(events.last, ServerSentEvent(type: "end", data: "", id: "1000000"))
        expectEqual(
            Array(events.dropLast()), (1..<max(2, events.count)).map { .init(data: "\($0)", id: "\($0)") })
        #expect(events.count > 20)
    }
}
