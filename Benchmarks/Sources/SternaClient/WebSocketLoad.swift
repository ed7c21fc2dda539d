import BenchKit
import Sterna

/// Messages of WebSockets, by sockets that are open before the time counts.
enum WebSocketLoad {
    /// The bytes of a message that is echoed.
    private static let messageBytes = 64

    static func run(_ arguments: Arguments, by session: Session) async throws -> Outcome {
        try await arguments.work == .messages ? echo(arguments, by: session) : receive(arguments, by: session)
    }

    /// Sends messages, one in flight on each socket.
    private static func echo(_ arguments: Arguments, by session: Session) async throws -> Outcome {
        let (count, width) = (arguments.count, arguments.concurrency)
        var sockets: [WebSocket] = []
        for _ in 0..<width { sockets.append(try await session.webSocket(arguments.url)) }
        let start = Usage.now()
        let bytes = try await withThrowingTaskGroup(of: Int.self) { group in
            for (number, socket) in sockets.enumerated() {
                let share = count / width + (number < count % width ? 1 : 0)
                group.addTask {
                    guard arguments.isOnLoop else { return try await echo(share, over: socket) }
                    return try await session.onEventLoop { try await echo(share, over: socket) }
                }
            }
            return try await group.reduce(0, +)
        }
        let used = Usage.now() - start
        for socket in sockets { try await socket.close() }
        return outcome(count, bytes, used)
    }

    private static func echo(_ count: Int, over socket: WebSocket) async throws -> Int {
        let text = String(repeating: "a", count: messageBytes)
        var messages = socket.makeAsyncIterator()
        var bytes = 0
        for _ in 0..<count {
            try await socket.send(text)
            guard case .text(let echoed)? = try await messages.next() else { throw Refused() }
            bytes += echoed.utf8.count
        }
        return bytes
    }

    /// Receives messages until the server closes, which it does with 1000.
    private static func receive(_ arguments: Arguments, by session: Session) async throws -> Outcome {
        let start = Usage.now()
        var bytes = 0
        for _ in 0..<arguments.count {
            let receiving: @Sendable () async throws -> Int = {
                let socket = try await session.webSocket(arguments.url)
                var bytes = 0
                for try await message in socket {
                    guard case .binary(let content) = message else { throw Refused() }
                    bytes += content.count
                }
                return bytes
            }
            bytes += try await arguments.isOnLoop ? session.onEventLoop { try await receiving() } : receiving()
        }
        return outcome(arguments.count, bytes, Usage.now() - start)
    }

    private static func outcome(_ count: Int, _ bytes: Int, _ used: Usage) -> Outcome {
        var outcome = Outcome(requests: count, wall: used.wall, cpu: used.cpu)
        outcome.bytes = bytes
        return outcome
    }
}
