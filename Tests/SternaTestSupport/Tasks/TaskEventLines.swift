import NIOCore
import Sterna
import SternaPlatform
import Synchronization

/// The events, in order.
final class TaskEventLines: Sendable {
    private let all = Mutex<[String]>([])

    // A list of its own, here and in other logs that tests read while events arrive: the sanitizer does not see that a list which is
    // read outside of the lock is copied before it is changed.
    var lines: [String] { all.withLock { $0.map { $0 } } }

    func add(_ line: String) { all.withLock { $0.append(line) } }

    /// The lines without progress, which is coalesced.
    var steps: [String] { lines.filter { !$0.contains("bodyDataSent") && !$0.contains("bytesWritten") } }

    /// The lines that begin with one of these words.
    func lines(_ words: String...) -> [String] { lines.filter { line in words.contains { line.hasPrefix($0) } } }

    /// Waits until the last line is this one; returns whether it arrived.
    func ends(with line: String) async -> Bool { await eventually { lines.last == line } }

    /// Records the events of tasks, and scheduled retries.
    func observer(_ name: String = "") -> EventObserver {
        let prefix = name.isEmpty ? "" : name + " "
        return EventObserver { [self] event in
            if let line = Self.line(event) { add(prefix + line) }
        }
    }

    private static func end(_ path: String) -> Substring { path.split(separator: "/").last ?? "" }

    private static func kind(_ error: SternaError?) -> String { error.map { " \($0.kind)" } ?? "" }

    /// Returns the line of an event; nil for those of the network.
    private static func line(_ event: SternaEvent) -> String? {
        let name = event.kind.name
        switch event.kind {
        case .taskCreated(let request): return "\(name) \(request?.url.path ?? "")"
        case .requestAdapted(let received, let adapted):
            return "\(name) \(received.headers[.userAgent] == "adapted") \(adapted.headers[.userAgent] == "adapted")"
        case .retryScheduled(let retry): return "\(name) \(retry.number): \(retry.reason)"
        case .redirectDecided(let response, let decision):
            let word =
                switch decision {
                case .follow(let request): "follow \(request.url.path)"
                case .deliver: "deliver"
                case .refuse: "refuse"
                }
            return "\(name) \(response.status.code) \(word)"
        case .newBodyNeeded(let request, let isProvided): return "\(name) \(request.url.path) \(isProvided)"
        case .bodyDataSent(let progress), .bytesWritten(let progress): return "\(name) \(progress.completed)"
        case .responseReceived(let response): return "\(name) \(response.status.code)"
        case .responseValidated(let response, let error): return "\(name) \(response.status.code)\(kind(error))"
        case .valueParsed(.success(let value)): return "\(name) \((value as? Data)?.count ?? -1)"
        case .valueParsed(.failure(let error)), .adaptationFailed(_, let error): return "\(name)\(kind(error))"
        case .dataReceived(let bytes): return "\(name) \(bytes)"
        case .downloadResumed(let offset, let length): return "\(name) \(offset) \(length ?? -1)"
        case .destinationChosen(let path), .downloadFinished(let path): return "\(name) \(end(path))"
        case .downloadNotMoved(let path, let error): return "\(name) \(end(path))\(kind(error))"
        case .taskCompleted(let error): return "\(name)\(kind(error))"
        default: return event.kind.family == .tasks ? name : nil
        }
    }
}
