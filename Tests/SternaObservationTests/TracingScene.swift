import InMemoryTracing
import Sterna
import SternaTracing
import Tracing

@testable import SternaTestSupport

/// A tracer in memory, with sessions that report to it.
struct TracingScene {
    let tracer = InMemoryTracer()

    func session(
        _ base: String? = "https://api.example.com", wholeCalls: Bool = false,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: base) {
            $0.network.engine = Engine()
            $0.retry = .none
            $0.responseSerializer = .data
            $0.events.trace(by: tracer, wholeCalls: wholeCalls)
            configure(&$0)
        }
    }

    /// The finished spans of requests, in the order of their ends.
    var requests: [FinishedInMemorySpan] { tracer.finishedSpans.filter { $0.kind == .client } }

    /// The finished spans of calls.
    var calls: [FinishedInMemorySpan] { tracer.finishedSpans.filter { $0.kind == .internal } }

    /// The values of an attribute in the spans of requests; `-` for none.
    func values(_ name: String) -> [String] { requests.map { $0.texts[name] ?? "-" } }
}

extension SpanAttributes {
    /// The attributes as text.
    var texts: [String: String] {
        var texts: [String: String] = [:]
        forEach { name, value in
            switch value {
            case .string(let text): texts[name] = text
            case .int64(let number): texts[name] = "\(number)"
            case .int32(let number): texts[name] = "\(number)"
            default: texts[name] = "\(value)"
            }
        }
        return texts
    }
}

extension FinishedInMemorySpan {
    var texts: [String: String] { attributes.texts }

    var isError: Bool { status?.code == .error }

    /// All that is exported of the span, as text.
    var exported: String {
        var text = "\(operationName) \(texts) \(status?.message ?? "")"
        for event in events { text += " \(event.name) \(event.attributes.texts)" }
        for error in errors { text += " \(error.error)" }
        return text
    }
}
