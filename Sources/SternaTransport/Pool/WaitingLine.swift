import DequeModule

/// Somebody who stands in a line.
protocol InLine: AnyObject {
    /// Its place while it stands in a line; zero elsewhere. The line's alone.
    var ticket: Int { get set }

    /// Higher ones go first: 0, 1 or 2.
    var rank: Int { get }

    /// Whether it takes nothing that was used before; it goes ahead of all others, having waited once already.
    var needsFreshConnection: Bool { get }

    /// Whether a connection is being opened for it.
    var hasDial: Bool { get }
}

/// A place of a line. By itself, for in the line it would be another type to be looked up when a program starts.
private struct PlaceInLine<Element: AnyObject> {
    let element: Element
    let ticket: Int
}

/// A line in order of rank, then of arrival; leaving it from the middle costs no search.
struct WaitingLine<Element: InLine> {
    private typealias Place = PlaceInLine<Element>

    // One for those that need what is fresh, then one for each rank. Who has left still has a place, but not its ticket.
    private var places: [Deque<Place>] = Array(repeating: [], count: 4)
    private var gone = 0

    /// How many stand in it.
    private(set) var count = 0

    /// The ticket that was given last.
    private(set) var lastTicket = 0

    var isEmpty: Bool { count == 0 }

    /// Goes to the end of its rank.
    mutating func append(_ element: Element) {
        lastTicket += 1
        element.ticket = lastTicket
        let row = element.needsFreshConnection ? 0 : 3 - min(max(element.rank, 0), 2)
        places[row].append(Place(element: element, ticket: lastTicket))
        count += 1
    }

    /// Takes out who is first.
    ///
    /// - Parameter reused: whether what there is was used before, so that who needs a fresh one stays.
    mutating func popFirst(reused: Bool = false) -> Element? {
        guard count > 0 else { return nil }
        for row in (reused ? 1 : 0)..<4 {
            while let place = places[row].popFirst() {
                guard place.element.ticket == place.ticket else {
                    gone -= 1
                    continue
                }
                place.element.ticket = 0
                count -= 1
                return place.element
            }
        }
        return nil
    }

    /// Who is first of those for whom no connection is being opened.
    var firstWithoutDial: Element? { firstWithoutDial { _ in true } }

    /// Who is first of those for whom no connection is being opened, and for whom something holds.
    func firstWithoutDial(where holds: (Element) -> Bool) -> Element? {
        guard count > 0 else { return nil }
        for row in places {
            for place in row where place.element.ticket == place.ticket && !place.element.hasDial {
                if holds(place.element) { return place.element }
            }
        }
        return nil
    }

    /// Takes somebody out; whether it stood there.
    @discardableResult
    mutating func remove(_ element: Element) -> Bool {
        guard element.ticket != 0 else { return false }
        element.ticket = 0
        count -= 1
        gone += 1
        // What has left is not kept by a line in which nobody stands, and never more of it than of those who do.
        if gone > count { sweep() }
        return true
    }

    /// Takes out all whose ticket is not above a number.
    mutating func removeAll(upTo ticket: Int) -> [Element] {
        var removed: [Element] = []
        for row in places {
            for place in row where place.element.ticket == place.ticket && place.ticket <= ticket {
                removed.append(place.element)
            }
        }
        for element in removed { element.ticket = 0 }
        count -= removed.count
        sweep()
        return removed
    }

    /// Takes out all for whom something holds, in their order.
    mutating func takeAll(where holds: (Element) -> Bool) -> [Element] {
        var taken: [Element] = []
        for row in places {
            for place in row where place.element.ticket == place.ticket && holds(place.element) {
                taken.append(place.element)
            }
        }
        for element in taken { remove(element) }
        return taken
    }

    private mutating func sweep() {
        for row in places.indices { places[row].removeAll { $0.element.ticket != $0.ticket } }
        gone = 0
    }
}
