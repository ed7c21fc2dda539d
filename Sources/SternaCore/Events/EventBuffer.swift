import DequeModule
import Synchronization

/// Holds the events of a session, and of those derived from it, until observers and readers have received them.
///
/// Posting takes a lock to append. One thread at a time, off the event loops, takes all that waits and delivers it in order; a pause of a
/// millisecond afterwards lets more gather, so that many requests wake it once. Beyond the capacity events are dropped and counted.
package final class EventBuffer: Sendable {
    fileprivate enum Entry: Sendable {
        case event(SternaEvent, EventSource)
        case call(@Sendable () -> Void)
    }

    fileprivate struct State {
        var entries = Deque<Entry>()
        /// The empty list of an earlier delivery, whose memory the next one uses.
        var spare = Deque<Entry>()
        /// The number of events among the entries.
        var count = 0
        var lost: [(source: EventSource, count: Int)] = []
        /// The number of times that the entries were taken.
        var takings = 0
        var isDelivering = false
        var readers: [ObjectIdentifier: EventReader] = [:]
    }

    private static let pause = Duration.milliseconds(1)
    /// The memory of so many entries is kept.
    private static let usualCount = 1_024
    private static let work = BlockingWork("sterna.events")

    package let capacity: Int
    private let state = Mutex(State())
    private let wanted = Atomic<UInt8>(0)

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// The families that readers receive.
    var readerFamilies: SternaEvent.Families { SternaEvent.Families(rawValue: wanted.load(ordering: .relaxed)) }

    /// Whether events wait.
    var isFilled: Bool { state.withLock { !$0.entries.isEmpty } }

    // MARK: Posting

    func post(_ event: consuming SternaEvent, of source: EventSource, in slot: EventSlot?) {
        // A variable that the closure below empties: appending a captured constant would copy the event.
        var posted: Entry? = .event(event, source)
        let starts = state.withLock { state in
            if let index = state.index(of: slot) {
                guard let entry = posted.take() else { return false }
                posted = state.entries[index]
                state.entries[index] = entry
                return false
            }
            guard state.count < capacity, let entry = posted.take() else {
                state.lose(source)
                return false
            }
            let position = (state.takings, state.entries.count)
            slot?.position.withLock { $0 = position }
            state.count += 1
            return state.append(entry)
        }
        // An event that was replaced or lost may have the last reference to its task, and is released after unlocking.
        _ = posted
        if starts { Self.work.begin { self.deliver() } }
    }

    /// Calls a closure after everything that was posted before was delivered.
    package func afterDelivery(_ call: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.append(.call(call)) }) { Self.work.begin { self.deliver() } }
    }

    /// Waits until everything that was posted before was delivered, or until the Swift task is cancelled.
    package func flush() async {
        guard state.withLock({ $0.isDelivering }) else { return }
        let wait = Wait<Void>()
        afterDelivery { wait.end() }
        try? await wait.value()
    }

    // MARK: Delivering

    private func deliver() {
        guard var entries = take() else { return }
        let isUsual = entries.count <= Self.usualCount
        var readers = presentReaders
        // Popped, so that the entries are moved rather than copied.
        while let entry = entries.popFirst() {
            switch consume entry {
            case .event(let event, let source):
                source.deliver(event)
                for reader in readers where source.isPart(of: reader.source) { reader.add(event) }
            case .call(let call):
                call()
                readers = presentReaders
            }
        }
        if isUsual { state.withLock { $0.spare = entries } }
        Self.work.begin(after: Self.pause) { self.deliver() }
    }

    /// Returns what waits, the numbers of lost events among it; nil and the delivery ends if nothing does.
    private func take() -> Deque<Entry>? {
        state.withLock { state in
            guard !state.entries.isEmpty else {
                state.isDelivering = false
                return nil
            }
            var entries = Deque<Entry>()
            swap(&entries, &state.entries)
            swap(&state.entries, &state.spare)
            // They were lost after all that waited, and before anything that follows.
            for loss in state.lost { entries.append(.event(SternaEvent(.dropped(loss.count)), loss.source)) }
            (state.count, state.lost) = (0, [])
            state.takings += 1
            return entries
        }
    }

    // MARK: Readers

    private var presentReaders: [EventReader] { state.withLock { Array($0.readers.values) } }

    func add(_ reader: EventReader) {
        change { $0[ObjectIdentifier(reader)] = reader }
        // It receives nothing that was posted before.
        afterDelivery { reader.open() }
    }

    func remove(_ reader: EventReader) { change { $0[ObjectIdentifier(reader)] = nil } }

    func endReaders(of source: ObjectIdentifier) {
        guard !readerFamilies.isEmpty else { return }
        for reader in presentReaders where reader.source == source {
            remove(reader)
            reader.end()
        }
    }

    private func change(_ change: (inout [ObjectIdentifier: EventReader]) -> Void) {
        // A removed reader releases its events after unlocking.
        let before = state.withLock { state in
            let before = state.readers
            change(&state.readers)
            let families = state.readers.values.reduce(into: SternaEvent.Families()) { $0.formUnion($1.families) }
            wanted.store(families.rawValue, ordering: .relaxed)
            return before
        }
        _ = before
    }
}

extension EventBuffer.State {
    /// Appends an entry; returns whether the delivery has to be begun.
    fileprivate mutating func append(_ entry: consuming EventBuffer.Entry) -> Bool {
        entries.append(entry)
        defer { isDelivering = true }
        return !isDelivering
    }

    /// Returns the index of an earlier event that still waits.
    fileprivate func index(of slot: EventSlot?) -> Int? {
        guard let (taking, index) = slot?.position.withLock({ $0 }), taking == takings, entries.indices.contains(index)
        else { return nil }
        return index
    }

    fileprivate mutating func lose(_ source: EventSource) {
        if let index = lost.firstIndex(where: { $0.source === source }) {
            lost[index].count += 1
        } else {
            lost.append((source, 1))
        }
    }
}

/// The position in a buffer of an event that a later one replaces: progress, of which observers need only the newest.
package final class EventSlot: Sendable {
    fileprivate let position = Mutex<(taking: Int, index: Int)>((-1, 0))

    package init() {}
}
