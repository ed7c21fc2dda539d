import HTTPTypes
import Sterna
import Synchronization
import Tracing

/// Writes a context into the fields of a request; fields of the same names are replaced.
struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        // A propagator may choose any key, and pass on what another program has sent.
        guard let name = HTTPField.Name(key), HTTPField.isValidValue(value) else { return }
        fields[name] = value
    }
}

/// The contexts of calls that join a coalesced request. Its span is linked to theirs.
final class JoinedContexts: JoinedCalls {
    private struct State: Sendable {
        var pending: [ServiceContext] = []
        var count = 0
        var span: (any Span)?
    }

    /// The limit of links that OpenTelemetry's SDKs have by default.
    private static let most = 128

    private let state = Mutex(State())

    func add() {
        guard let context = ServiceContext.current else { return }
        let span = state.withLock { state -> (any Span)? in
            guard state.count < Self.most else { return nil }
            state.count += 1
            if state.span == nil { state.pending.append(context) }
            return state.span
        }
        span?.addLink(SpanLink(context: context, attributes: [:]))
    }

    /// Links the span of the request to the calls that have joined, and to those that will.
    func link(to span: any Span) {
        let pending = state.withLock { state in
            state.span = span
            defer { state.pending = [] }
            return state.pending
        }
        for context in pending { span.addLink(SpanLink(context: context, attributes: [:])) }
    }
}
