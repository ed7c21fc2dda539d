import NIOCore
import Synchronization

/// The events of a source, and of those derived from it, from the moment that this value was made. Programs see it as an opaque
/// sequence.
package struct SternaEvents: AsyncSequence, Sendable {
    package typealias Element = SternaEvent
    package typealias Failure = Never

    private let reading: Reading

    package init(of source: EventSource, _ families: SternaEvent.Families, capacity: Int) {
        reading = Reading(
            EventReader(of: ObjectIdentifier(source), families, capacity: capacity), in: source.buffer)
    }

    package func makeAsyncIterator() -> Iterator { Iterator(reading: reading) }

    /// Waits for events.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let reading: Reading

        /// Returns the next event; nil after the last one, or if the Swift task is cancelled.
        package func next(isolation: isolated (any Actor)?) async -> SternaEvent? { await reading.reader.next() }
    }

    /// The place of a reader in a buffer, which its last reference gives up.
    fileprivate final class Reading: Sendable {
        let reader: EventReader
        private let buffer: EventBuffer

        init(_ reader: EventReader, in buffer: EventBuffer) {
            (self.reader, self.buffer) = (reader, buffer)
            buffer.add(reader)
        }

        deinit { buffer.remove(reader) }
    }
}

/// The events that a sequence has not read yet.
final class EventReader: Sendable {
    private struct State {
        var events = CircularBuffer<SternaEvent>()
        var lost = 0
        var isOpen = false
        var isEnded = false

        mutating func takeLoss() -> SternaEvent? {
            guard lost > 0 else { return nil }
            defer { lost = 0 }
            return SternaEvent(.dropped(lost))
        }
    }

    private enum Next {
        case event(SternaEvent), end, wait
    }

    let source: ObjectIdentifier
    let families: SternaEvent.Families
    private let capacity: Int
    private let state = Mutex(State())
    private let changes = UpdateChannel(())

    init(of source: ObjectIdentifier, _ families: SternaEvent.Families, capacity: Int) {
        (self.source, self.families, self.capacity) = (source, families, max(1, capacity))
    }

    /// Receives events from now on.
    func open() { state.withLock { $0.isOpen = true } }

    func add(_ event: SternaEvent) {
        guard event.isPart(of: families) else { return }
        let isNew = state.withLock { state in
            guard state.isOpen, !state.isEnded else { return false }
            guard state.events.count < capacity else {
                state.lost += 1
                return false
            }
            if let loss = state.takeLoss() { state.events.append(loss) }
            state.events.append(event)
            return true
        }
        if isNew { changes.report(()) }
    }

    func end() {
        state.withLock { $0.isEnded = true }
        changes.end()
    }

    func next(isolation: isolated (any Actor)? = #isolation) async -> SternaEvent? {
        while !Task.isCancelled {
            let seen = changes.version
            switch take() {
            case .event(let event): return event
            case .end: return nil
            case .wait: guard await changes.change(after: seen) != nil else { return nil }
            }
        }
        return nil
    }

    private func take() -> Next {
        state.withLock { state in
            if let event = state.events.popFirst() ?? state.takeLoss() { return .event(event) }
            return state.isEnded ? .end : .wait
        }
    }
}
