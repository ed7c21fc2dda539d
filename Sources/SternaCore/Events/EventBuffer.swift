import SternaPlatform
import Synchronization

#if canImport(ObjectiveC)
import ObjectiveC
#endif

/// Holds the events of a session, and of those derived from it, until observers and readers have received them.
///
/// Posting appends the event under a lock. One thread at a time, off the event loops, takes all pending events and delivers them
/// in order. It then pauses for a millisecond, so that the events of many requests wake it once. Events that exceed the capacity
/// are dropped and counted.
package final class EventBuffer: Sendable {
    fileprivate struct Entry: Sendable {
        var event: SternaEvent
        let source: EventSource
    }

    /// The pending entries and closures of one delivery.
    fileprivate struct Batch: Sendable {
        var entries: [Entry] = []
        /// Closures, each with the number of entries to deliver before it; the maximum until the batch is taken for all of them.
        var calls: [(position: Int, call: @Sendable () -> Void)] = []

        var isEmpty: Bool { entries.isEmpty && calls.isEmpty }
    }

    fileprivate struct State {
        var waiting = Batch()
        /// The empty list of an earlier delivery, whose memory the next one uses.
        var spare: [Entry] = []
        var lost: [(source: EventSource, count: Int)] = []
        /// The number of batches taken so far.
        var takings = 0
        var isDelivering = false
        var readers: [ObjectIdentifier: EventReader] = [:]
    }

    private static let pauseMicroseconds: UInt32 = 1_000
    /// The maximum number of entries of a batch whose memory is reused.
    private static let usualCount = 1_024

    package let capacity: Int
    private let state = Mutex(State())
    private let wanted = Atomic<UInt8>(0)

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// The families that at least one reader receives.
    var readerFamilies: SternaEvent.Families { SternaEvent.Families(rawValue: wanted.load(ordering: .relaxed)) }

    /// Whether events are pending.
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

    /// Calls a closure after the delivery of all events that were posted before.
    package func afterDelivery(_ call: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            // The numbers of events that are lost by now are delivered behind the pending ones.
            state.waiting.calls.append((state.lost.isEmpty ? state.waiting.entries.count : .max, call))
            return state.beginsDelivery()
        }
        if starts { beginDelivery() }
    }

    /// Waits for the delivery of all events that were posted before, or for the cancellation of the Swift task.
    package func flush() async {
        guard state.withLock({ $0.isDelivering }) else { return }
        let wait = Wait<Void>()
        afterDelivery { wait.end() }
        try? await wait.value()
    }

    // MARK: Delivering

    // `inOrder` gives the delivery a thread of its own, so that its pauses block no other work. A timer would cost more than the
    // events of a few requests.
    private func beginDelivery() {
        BlockingWork("sterna.events", inOrder: true).begin {
            while self.deliverInPool() { usleep(Self.pauseMicroseconds) }
        }
    }

    /// Delivers the pending events. On Apple's platforms it then releases the objects that observers autoreleased: the thread would
    /// release them only at the end of the delivery, which steady traffic postpones without limit.
    private func deliverInPool() -> Bool {
        #if canImport(ObjectiveC)
        return autoreleasepool { deliver() }
        #else
        return deliver()
        #endif
    }

    /// Delivers the pending events; returns false if there are none.
    private func deliver() -> Bool {
        guard var batch = take() else { return false }
        let isUsual = batch.entries.count <= Self.usualCount
        var readers = presentReaders
        var (delivered, called) = (0, 0)
        // Entries are popped from the end, which moves each and releases it before the next. `Array.reverse()` would copy them.
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

    /// Returns the pending events, followed by the numbers of dropped ones; returns nil and ends the delivery if there are none.
    private func take() -> Batch? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDelivering = false
                return nil
            }
            var batch = Batch()
            swap(&batch, &state.waiting)
            swap(&state.waiting.entries, &state.spare)
            // Events were dropped after all pending ones, and before those that are posted from now on.
            for loss in state.lost {
                batch.entries.append(Entry(event: SternaEvent(.dropped(loss.count)), source: loss.source))
            }
            state.lost = []
            for index in batch.calls.indices where batch.calls[index].position == .max {
                batch.calls[index].position = batch.entries.count
            }
            state.takings += 1
            return batch
        }
    }

    // MARK: Readers

    private var presentReaders: [EventReader] { state.withLock { Array($0.readers.values) } }

    func add(_ reader: EventReader) {
        change { $0[ObjectIdentifier(reader)] = reader }
        // The reader receives only events that are posted from now on.
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
    /// Records that a delivery runs; returns whether the caller must begin it.
    fileprivate mutating func beginsDelivery() -> Bool {
        defer { isDelivering = true }
        return !isDelivering
    }

    /// Returns the index of a slot's event; nil if it is no longer pending.
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
