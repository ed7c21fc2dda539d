import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// A WebSocket over a stream in memory.
struct SocketScene {
    let stream = DuplexDouble()
    let socket: WebSocket

    var connection: WebSocketConnection { socket.connection }

    init(_ configure: (inout WebSocketSettings) -> Void = { _ in }) throws {
        var settings = WebSocketSettings()
        configure(&settings)
        let connection = WebSocketConnection(stream, settings)
        connection.start()
        let response = Response(status: .init(code: 101), url: try HTTPURL("http://a.example/"))
        socket = WebSocket(connection, response: response)
    }

    /// Reads all messages; the error that ended them, if any.
    func readAll() async -> ([WebSocket.Message], SternaError?) {
        var messages: [WebSocket.Message] = []
        do {
            for try await message in socket { messages.append(message) }
            return (messages, nil)
        } catch {
            return (messages, error as? SternaError)
        }
    }

    /// Returns a task that sends a text, once it waits for its turn.
    func queued(_ text: String) async -> Task<Void, any Error> {
        let before = connection.waitingSenders
        let task = Task { [socket] in try await socket.send(text) }
        #expect(await eventually { connection.waitingSenders == before + 1 })
        return task
    }

    /// Returns a task that sends a text, once it has the turn and waits for room.
    func stuck(_ text: String) async -> Task<Void, any Error> {
        stream.setCapacity(0)
        let task = Task { [socket] in try await socket.send(text) }
        #expect(await eventually { stream.waitingCount == 1 })
        return task
    }

    /// Returns a task that reads the next message, once it waits.
    func reading() async -> Task<WebSocket.Message?, any Error> {
        let task = Task { [socket] in
            var messages = socket.makeAsyncIterator()
            return try await messages.next(isolation: nil)
        }
        #expect(await eventually { connection.isAwaited })
        return task
    }
}

/// Returns the error of work.
func socketError(_ work: () async throws -> Void) async -> SternaError? {
    do {
        try await work()
        return nil
    } catch {
        return error as? SternaError
    }
}
