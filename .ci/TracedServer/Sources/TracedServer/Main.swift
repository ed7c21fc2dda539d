import Hummingbird
import InMemoryTracing
import Logging
import Tracing

/// Answers `GET /span`, on a port of the loopback, with the numbers of the trace and of the parent of the span that Hummingbird has
/// made of the request, as the tracer in memory propagates them.
@main
struct Main {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let port = Int(CommandLine.arguments[1]) else { throw Usage() }
        InstrumentationSystem.bootstrap(InMemoryTracer())
        let router = Router()
        router.add(middleware: TracingMiddleware())
        router.get("span") { _, _ -> String in
            let span = ServiceContext.current?.inMemorySpanContext
            return "\(span?.traceID ?? "-") \(span?.parentSpanID ?? "-")"
        }
        var logger = Logger(label: "TracedServer")
        logger.logLevel = .error
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)), logger: logger)
        try await application.runService()
    }

    struct Usage: Error {}
}
