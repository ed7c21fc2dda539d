import SternaPlatform
import Synchronization

#if canImport(ObjectiveC)
import ObjectiveC
#endif

/// Holds the events of a session, and of those derived from it, until observers and readers have received them.
///
/// Posting takes a lock to append. One thread at a time, off the event loops, takes all that waits and delivers it in order; a pause of a
/// millisecond afterwards lets more gather, so that many requests wake it once. Beyond the capacity events are dropped and counted.
package final class EventBuffer: Sendable {
    fileprivate struct Entry: Sendable {
        var event: SternaEvent
        let source: EventSource
    }

    /// What waits for one delivery.
    fileprivate struct Batch: Sendable {
        var entries: [Entry] = []
        /// Closures, each with the number of entries before it.
        var calls: [(position: Int, call: @Sendable () -> Void)] = []

        var isEmpty: Bool { entries.isEmpty && calls.isEmpty }
    }

    fileprivate struct State {
        var waiting = Batch()
        /// The empty list of an earlier delivery, whose memory the next one uses.
        var spare: [Entry] = []
        var lost: [(source: EventSource, count: Int)] = []
        /// The number of times that the entries were taken.
        var takings = 0
        var isDelivering = false
        var readers: [ObjectIdentifier: EventReader] = [:]
    }

    private static let pauseMicroseconds: UInt32 = 1_000
    /// The memory of so many entries is kept.
    private static let usualCount = 1_024

    package let capacity: Int
    private let state = Mutex(State())
    private let wanted = Atomic<UInt8>(0)

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// The families that readers receive.
    var readerFamilies: SternaEvent.Families { SternaEvent.Families(rawValue: wanted.load(ordering: .relaxed)) }

    /// Whether events wait.
    var isFilled: Bool { state.withLock { !$0.waiting.isEmpty } }

    // MARK: Posting

    func post(_ posted: inout PostedEvent, in slot: EventSlot? = nil) {
        let starts = state.withLock { state in
            // The caller releases a replaced or lost event after unlocking: it may have the last reference to its task.
            if let index = state.index(of: slot) {
                guard let entry = posted.entry.take() else { return false }
                posted.entry = state.waiting.entries[index]
                state.waiting.entries[index] = entry
                return false
            }
            guard state.waiting.entries.count < capacity else {
                if let source = posted.entry?.source { state.lose(source) }
                return false
            }
            guard let entry = posted.entry.take() else { return false }
            let position = (state.takings, state.waiting.entries.count)
            slot?.position.withLock { $0 = position }
            state.waiting.entries.append(entry)
            return state.beginsDelivery()
        }
        if starts { beginDelivery() }
    }

    /// Calls a closure after everything that was posted before was delivered.
    package func afterDelivery(_ call: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            state.waiting.calls.append((state.waiting.entries.count, call))
            return state.beginsDelivery()
        }
        if starts { beginDelivery() }
    }

    /// Waits until everything that was posted before was delivered, or until the Swift task is cancelled.
    package func flush() async {
        guard state.withLock({ $0.isDelivering }) else { return }
        let wait = Wait<Void>()
        afterDelivery { wait.end() }
        try? await wait.value()
    }

    // MARK: Delivering

    // In order, so that the thread is this delivery's own: its pauses must not occupy one that other work shares. A timer would cost
    // more than the events of a few requests.
    private func beginDelivery() {
        BlockingWork("sterna.events", inOrder: true).begin {
            while self.deliverInPool() { usleep(Self.pauseMicroseconds) }
        }
    }

    /// Delivers what waits, and on Apple's platforms releases what observers have autoreleased: the thread itself would do so only
    /// at the end of the delivery, which steady traffic puts off without limit.
    private func deliverInPool() -> Bool {
        #if canImport(ObjectiveC)
        return autoreleasepool { deliver() }
        #else
        return deliver()
        #endif
    }

    /// Delivers what waits; returns false if nothing does.
    private func deliver() -> Bool {
        guard var batch = take() else { return false }
        let isUsual = batch.entries.count <= Self.usualCount
        var readers = presentReaders
        var (delivered, called) = (0, 0)
        // Taken from the end, which moves entries and releases each before the next. The array's own `reverse()` would copy them.
        batch.entries.withUnsafeMutableBufferPointer { $0.reverse() }
        while true {
            while called < batch.calls.count, batch.calls[called].position == delivered {
                batch.calls[called].call()
                called += 1
                readers = presentReaders
            }
            guard let entry = batch.entries.popLast() else { break }
            entry.source.deliver(entry.event)
            for reader in readers where entry.source.isPart(of: reader.source) { reader.add(entry.event) }
            delivered += 1
        }
        if isUsual { state.withLock { $0.spare = batch.entries } }
        return true
    }

    /// Returns what waits, with the numbers of lost events behind it; if nothing does, returns nil and ends the delivery.
    private func take() -> Batch? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDelivering = false
                return nil
            }
            var batch = Batch()
            swap(&batch, &state.waiting)
            swap(&state.waiting.entries, &state.spare)
            // They were lost after all that waited, and before anything that follows.
            for loss in state.lost {
                batch.entries.append(Entry(event: SternaEvent(.dropped(loss.count)), source: loss.source))
            }
            state.lost = []
            state.takings += 1
            return batch
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
    /// Returns whether the delivery has to be begun for what was added.
    fileprivate mutating func beginsDelivery() -> Bool {
        defer { isDelivering = true }
        return !isDelivering
    }

    /// Returns the index of an earlier event that still waits.
    fileprivate func index(of slot: EventSlot?) -> Int? {
        guard let (taking, index) = slot?.position.withLock({ $0 }), taking == takings,
            waiting.entries.indices.contains(index)
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

/// An event that is being posted; the buffer takes it out, which moves it.
// A structure, since the runtime would have to look up a bare optional's type to destroy it.
package struct PostedEvent: Sendable {
    fileprivate var entry: EventBuffer.Entry?

    package init(_ event: consuming SternaEvent, of source: EventSource) {
        entry = EventBuffer.Entry(event: event, source: source)
    }
}

/// The position in a buffer of an event that a later one replaces: progress, of which observers need only the newest.
package final class EventSlot: Sendable {
    fileprivate let position = Mutex<(taking: Int, index: Int)>((-1, 0))

    package init() {}
}
