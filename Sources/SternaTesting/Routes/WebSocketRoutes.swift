import NIOCore
import Sterna
import SternaCore

extension BuiltInRoutes {
    /// WebSockets under `/ws/`; ``webSocketFaults`` has those that break the protocol.
    ///
    /// | route | what it does |
    /// |---|---|
    /// | `/ws/echo` | sends each message back; `?subprotocols=a,b` agrees on one, `?compress=0` refuses compression |
    /// | `/ws/count/{n}` | sends the texts `1` to `n`, then closes with 1000; `?interval=` waits as many seconds between them |
    /// | `/ws/close/{code}` | closes with a code, valid or not; `?reason=` is the reason |
    static let webSockets: [ServerRoute] = [
        now(["GET"], "/ws/echo") { request in
            let names = (request.query("subprotocols") ?? "").split(separator: ",").map { String($0) }
            return .webSocket(subprotocols: names, compresses: request.query("compress") != "0") { socket in
                for try await message in socket { try await socket.send(message) }
            }
        },
        now(["GET"], "/ws/count/{n}") { request in
            let count = try number("n", of: request, in: 0...1_000_000_000)
            let interval = try seconds(request.query("interval"), default: 0, atMost: 60)
            return .webSocket { socket in
                var sent = 0
                while sent < count {
                    if sent > 0, interval > 0 { try await Task.sleep(for: .seconds(interval)) }
                    sent += 1
                    try await socket.send("\(sent)")
                }
            }
        },
        now(["GET"], "/ws/close/{code}") { request in
            let code = try number("code", of: request, in: 0...Int(UInt16.max))
            let reason = request.query("reason") ?? ""
            return .webSocket { socket in
                try await socket.close(WebSocket.CloseCode(rawValue: UInt16(code)), reason: reason)
            }
        },
    ]
}
