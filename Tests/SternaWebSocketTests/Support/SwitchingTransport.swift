import HTTPTypes
import SternaCore
import Synchronization

@testable import Sterna

/// A transport that switches protocols, with streams in memory.
final class SwitchingTransport: Transport {
    private struct State {
        var requests: [Request] = []
        var streams: [DuplexDouble] = []
    }

    private let state = Mutex(State())
    private let refuse: @Sendable (Request) -> Response?
    private let change: @Sendable (Request, inout HTTPFields) -> Void
    private let serve: @Sendable (Int, DuplexDouble) -> Void

    /// - Parameters:
    ///   - refuse: answers a request without a switch; nil to switch.
    ///   - change: changes the response's fields.
    ///   - serve: called with the number of each stream, from 0; what it sends has arrived when the program reads.
    init(
        refusing refuse: @escaping @Sendable (Request) -> Response? = { _ in nil },
        changing change: @escaping @Sendable (Request, inout HTTPFields) -> Void = { _, _ in },
        serving serve: @escaping @Sendable (Int, DuplexDouble) -> Void = { _, _ in }
    ) {
        (self.refuse, self.change, self.serve) = (refuse, change, serve)
    }

    var requests: [Request] { state.withLock { $0.requests } }
    var streams: [DuplexDouble] { state.withLock { $0.streams } }

    func send(_ request: Request) async throws -> Response {
        if let refusal = refuse(request) {
            state.withLock { $0.requests.append(request) }
            return refusal
        }
        let stream = DuplexDouble()
        let number = state.withLock { state in
            state.requests.append(request)
            state.streams.append(stream)
            return state.streams.count - 1
        }
        var fields = HTTPFields()
        fields[.upgrade] = request.headers[.upgrade]
        fields[.connection] = "Upgrade"
        if let key = HTTPField.Name("Sec-WebSocket-Key").flatMap({ request.headers[$0] }) {
            fields.append(try Headers.field("Sec-WebSocket-Accept", WebSocketOpening.accept(for: key)))
        }
        change(request, &fields)
        var response = Response(status: .init(code: 101), section: FieldSection(fields), url: request.url)
        response.duplex = stream
        serve(number, stream)
        return response
    }
}
