import Sterna
import Synchronization

/// Keeps the events that it receives.
final class EventLog: Sendable {
    private let kept = Mutex<[SternaEvent]>([])
    private let families: SternaEvent.Families

    init(_ families: SternaEvent.Families = .all) { self.families = families }

    var observer: EventObserver {
        EventObserver(families) { [self] event in kept.withLock { $0.append(event) } }
    }

    var events: [SternaEvent] { kept.withLock { $0.map { $0 } } }

    /// Returns the closure's lines for the events of the n-th call.
    func lines(ofCall number: Int = 0, _ line: (SternaEvent) -> String?) -> [String] {
        let all = events
        let ids = Set(all.compactMap(\.call?.id)).sorted()
        guard ids.indices.contains(number) else { return [] }
        return all.filter { $0.call?.id == ids[number] }.compactMap(line)
    }

    /// Returns the closure's lines for the events of the last call.
    func lastLines(_ line: (SternaEvent) -> String?) -> [String] {
        lines(ofCall: Set(events.compactMap(\.call?.id)).count - 1, line)
    }

    /// The metrics of the calls that have ended.
    var metrics: [RequestMetrics] {
        events.compactMap { event in
            if case .requestEnded(let metrics) = event.kind { metrics } else { nil }
        }
    }
}
