import DequeModule

/// What waits in a line.
protocol InLine: AnyObject {
    /// Its place while it stands in a line; zero elsewhere. The line's alone.
    var ticket: Int { get set }

    /// When it first came into the line, as a number; zero before. It keeps its turn where it is put back. The line's alone.
    var arrival: Int { get set }

    /// Higher ones go first: 0, 1 or 2.
    var rank: Int { get }

    /// Whether it takes nothing that was used before; it goes ahead of all others, having waited once already.
    var needsFreshConnection: Bool { get }

    /// Whether it wants a connection to be opened, and sends nothing.
    var isWarmUp: Bool { get }
}

/// A place of a line. By itself, for in the line it would be another type to be looked up when a program starts.
private struct PlaceInLine<Element: AnyObject> {
    let element: Element
    let ticket: Int
    let arrival: Int
}

extension PlaceInLine: Sendable where Element: Sendable {}

/// A line in order of rank, then of arrival; leaving it from the middle costs no search.
struct WaitingLine<Element: InLine> {
    private typealias Place = PlaceInLine<Element>

    // One for those that need what is fresh, then one for each rank. What has left still has a place, but not its ticket.
    private var places: [Deque<Place>] = Array(repeating: [], count: 4)
    private var gone = 0
    private var lastTicket = 0

    /// How many stand in it.
    private(set) var count = 0

    /// How many of them take nothing that was used.
    private(set) var freshCount = 0

    /// How many of them are warm-ups.
    private(set) var warmUpCount = 0

    /// The number of the last one that came.
    private(set) var lastArrival = 0

    var isEmpty: Bool { count == 0 }

    // MARK: Coming

    /// Goes to the end of its rank.
    mutating func append(_ element: Element) {
        lastArrival += 1
        element.arrival = lastArrival
        places[row(of: element)].append(enter(element))
    }

    /// Goes to the place that it had when it was taken out.
    mutating func putBack(_ element: Element) {
        guard element.arrival > 0 else { return append(element) }
        let place = enter(element)
        let row = row(of: element)
        // Those that came before it are few: it was first a moment ago.
        let position = places[row].firstIndex { $0.arrival > place.arrival } ?? places[row].endIndex
        places[row].insert(place, at: position)
    }

    private func row(of element: Element) -> Int {
        element.needsFreshConnection ? 0 : 3 - min(max(element.rank, 0), 2)
    }

    private mutating func enter(_ element: Element) -> Place {
        lastTicket += 1
        element.ticket = lastTicket
        count(element, 1)
        return Place(element: element, ticket: lastTicket, arrival: element.arrival)
    }

    private mutating func count(_ element: Element, _ change: Int) {
        count += change
        if element.needsFreshConnection { freshCount += change }
        if element.isWarmUp { warmUpCount += change }
    }

    // MARK: Looking

    /// The one that stands at a position, counted from zero.
    func element(at position: Int) -> Element? {
        guard position < count else { return nil }
        var left = position
        for row in places {
            for place in row where place.element.ticket == place.ticket {
                if left == 0 { return place.element }
                left -= 1
            }
        }
        return nil
    }

    /// The position of one that stands in it, if that is below a limit.
    func position(of element: Element, below limit: Int) -> Int? {
        guard element.ticket != 0 else { return nil }
        var position = 0
        for row in places {
            for place in row where place.element.ticket == place.ticket {
                if position >= limit { return nil }
                if place.element === element { return position }
                position += 1
            }
        }
        return nil
    }

    /// Does something for each in its turn, with its position.
    func forEach(_ act: (Element, Int) -> Void) {
        var position = 0
        for row in places {
            for place in row where place.element.ticket == place.ticket {
                act(place.element, position)
                position += 1
            }
        }
    }

    /// The elements with a higher arrival number, the newest first.
    func newest(after arrival: Int) -> [Element] {
        var found: [Place] = []
        for row in places {
            for place in row.reversed() {
                guard place.arrival > arrival else { break }
                if place.element.ticket == place.ticket { found.append(place) }
            }
        }
        return found.sorted { $0.arrival > $1.arrival }.map(\.element)
    }

    // MARK: Going

    /// Takes out the first one.
    ///
    /// - Parameter used: whether what there is was used before, so that one that needs a fresh connection stays, unless the
    ///   closure lets it go.
    mutating func popFirst(used: Bool = false, unless isFreshEnough: (Element) -> Bool = { _ in false }) -> Element? {
        guard count > 0 else { return nil }
        if !used {
            if let element = popFirst(row: 0) { return element }
        } else if freshCount > 0 {
            for place in places[0] where place.element.ticket == place.ticket && isFreshEnough(place.element) {
                remove(place.element)
                return place.element
            }
        }
        for row in 1..<4 {
            if let element = popFirst(row: row) { return element }
        }
        return nil
    }

    private mutating func popFirst(row: Int) -> Element? {
        while let place = places[row].popFirst() {
            guard place.element.ticket == place.ticket else {
                gone -= 1
                continue
            }
            place.element.ticket = 0
            count(place.element, -1)
            return place.element
        }
        return nil
    }

    /// Takes one out; whether it stood there.
    @discardableResult
    mutating func remove(_ element: Element) -> Bool {
        guard element.ticket != 0 else { return false }
        element.ticket = 0
        count(element, -1)
        gone += 1
        // What has left is not kept by a line in which nothing stands, and never more of it than of those that do.
        if gone > count { sweep() }
        return true
    }

    /// Takes out all for which something holds, in their order.
    mutating func takeAll(where holds: (Element, _ position: Int) -> Bool) -> [Element] {
        var taken: [Element] = []
        forEach { if holds($0, $1) { taken.append($0) } }
        for element in taken { remove(element) }
        return taken
    }

    private mutating func sweep() {
        for row in places.indices { places[row].removeAll { $0.element.ticket != $0.ticket } }
        gone = 0
    }
}

extension WaitingLine: Sendable where Element: Sendable {}
