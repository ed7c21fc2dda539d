import DequeModule

/// An element of a priority queue.
protocol PrioritizedWaiter: AnyObject {
    /// The ticket of its entry in a queue; zero outside. Only the queue changes it.
    var ticket: Int { get set }

    /// The number of its first arrival; zero before. It keeps its turn when it is put back. Only the queue changes it.
    var arrival: Int { get set }

    /// The priority, 0, 1 or 2. Higher ones go first. It may change while the element is queued; ``PriorityQueue/reprioritize(_:)``
    /// moves the element.
    var priority: Int { get }

    /// Whether it accepts only an unused connection. It goes ahead of all others, having waited once already.
    var needsFreshConnection: Bool { get }

    /// Whether it only wants a connection to be opened, and sends nothing.
    var isWarmUp: Bool { get }
}

/// An entry of a queue. Not nested, since it would be another type for the runtime to look up when a program starts.
private struct QueueEntry<Element: AnyObject> {
    let element: Element
    let ticket: Int
    let arrival: Int
}

extension QueueEntry: Sendable where Element: Sendable {}

/// A queue in order of priority, then of arrival. Removing an element from the middle costs no search.
struct PriorityQueue<Element: PrioritizedWaiter> {
    private typealias Entry = QueueEntry<Element>

    // One row for elements that need an unused connection, then one for each priority. Elements that left the queue keep a stale
    // entry, which their ticket invalidates.
    private var rows: [Deque<Entry>] = Array(repeating: [], count: 4)
    private var gone = 0
    private var lastTicket = 0

    /// The number of elements.
    private(set) var count = 0

    /// The number of elements that accept only an unused connection.
    private(set) var freshCount = 0

    /// The number of warm-ups.
    private(set) var warmUpCount = 0

    /// The number of the last arrival.
    private(set) var lastArrival = 0

    var isEmpty: Bool { count == 0 }

    // MARK: Adding

    /// Adds an element at the end of its priority.
    mutating func append(_ element: Element) {
        lastArrival += 1
        element.arrival = lastArrival
        rows[row(of: element)].append(enter(element))
    }

    /// Inserts an element at the position that it had before it was taken out.
    mutating func putBack(_ element: Element) {
        guard element.arrival > 0 else { return append(element) }
        let entry = enter(element)
        let row = row(of: element)
        // Few elements stand before it: it was first a moment ago.
        let position = rows[row].firstIndex { $0.arrival > entry.arrival } ?? rows[row].endIndex
        rows[row].insert(entry, at: position)
    }

    /// Moves a queued element whose priority has changed: within its new one it goes after earlier arrivals and ahead of later ones.
    /// Returns whether it was queued.
    @discardableResult
    mutating func reprioritize(_ element: Element) -> Bool {
        guard remove(element) else { return false }
        let entry = enter(element)
        let row = row(of: element)
        rows[row].insert(entry, at: position(behind: entry.arrival, in: rows[row]))
        return true
    }

    // Each row is in order of arrival, stale entries included.
    private func position(behind arrival: Int, in row: Deque<Entry>) -> Int {
        var (first, end) = (row.startIndex, row.endIndex)
        while first < end {
            let middle = first + (end - first) / 2
            if row[middle].arrival <= arrival { first = middle + 1 } else { end = middle }
        }
        return first
    }

    private func row(of element: Element) -> Int {
        element.needsFreshConnection ? 0 : 3 - min(max(element.priority, 0), 2)
    }

    private mutating func enter(_ element: Element) -> Entry {
        lastTicket += 1
        element.ticket = lastTicket
        count(element, 1)
        return Entry(element: element, ticket: lastTicket, arrival: element.arrival)
    }

    private mutating func count(_ element: Element, _ change: Int) {
        count += change
        if element.needsFreshConnection { freshCount += change }
        if element.isWarmUp { warmUpCount += change }
    }

    // MARK: Reading

    /// Returns the element at a position, counted from zero.
    func element(at position: Int) -> Element? {
        guard position < count else { return nil }
        var left = position
        for row in rows {
            for entry in row where entry.element.ticket == entry.ticket {
                if left == 0 { return entry.element }
                left -= 1
            }
        }
        return nil
    }

    /// Returns the position of a queued element, if it is below a limit.
    func position(of element: Element, below limit: Int) -> Int? {
        guard element.ticket != 0 else { return nil }
        var position = 0
        for row in rows {
            for entry in row where entry.element.ticket == entry.ticket {
                if position >= limit { return nil }
                if entry.element === element { return position }
                position += 1
            }
        }
        return nil
    }

    /// Calls a closure for each element in order, with its position.
    func forEach(_ act: (Element, Int) -> Void) {
        var position = 0
        for row in rows {
            for entry in row where entry.element.ticket == entry.ticket {
                act(entry.element, position)
                position += 1
            }
        }
    }

    /// Returns the elements with a higher arrival number, the newest first.
    func newest(after arrival: Int) -> [Element] {
        var found: [Entry] = []
        for row in rows {
            for entry in row.reversed() {
                guard entry.arrival > arrival else { break }
                if entry.element.ticket == entry.ticket { found.append(entry) }
            }
        }
        return found.sorted { $0.arrival > $1.arrival }.map(\.element)
    }

    // MARK: Removing

    /// Removes the first element.
    ///
    /// - Parameter used: whether the connection was used before. An element that needs an unused one then stays, unless the closure
    ///   returns true for it.
    mutating func popFirst(used: Bool = false, unless isFreshEnough: (Element) -> Bool = { _ in false }) -> Element? {
        guard count > 0 else { return nil }
        if !used {
            if let element = popFirst(row: 0) { return element }
        } else if freshCount > 0 {
            for entry in rows[0] where entry.element.ticket == entry.ticket && isFreshEnough(entry.element) {
                remove(entry.element)
                return entry.element
            }
        }
        for row in 1..<4 {
            if let element = popFirst(row: row) { return element }
        }
        return nil
    }

    private mutating func popFirst(row: Int) -> Element? {
        while let entry = rows[row].popFirst() {
            guard entry.element.ticket == entry.ticket else {
                gone -= 1
                continue
            }
            entry.element.ticket = 0
            count(entry.element, -1)
            return entry.element
        }
        return nil
    }

    /// Removes an element. Returns whether it was queued.
    @discardableResult
    mutating func remove(_ element: Element) -> Bool {
        guard element.ticket != 0 else { return false }
        element.ticket = 0
        count(element, -1)
        gone += 1
        // An empty queue keeps no stale entries, and other queues never more of them than elements.
        if gone > count { sweep() }
        return true
    }

    /// Removes all elements that satisfy a predicate, in their order.
    mutating func takeAll(where holds: (Element, _ position: Int) -> Bool) -> [Element] {
        var taken: [Element] = []
        forEach { if holds($0, $1) { taken.append($0) } }
        for element in taken { remove(element) }
        return taken
    }

    private mutating func sweep() {
        for row in rows.indices { rows[row].removeAll { $0.element.ticket != $0.ticket } }
        gone = 0
    }
}

extension PriorityQueue: Sendable where Element: Sendable {}
