/// What one shard knows of its connections to an endpoint and of who waits for one; a value without I/O.
///
/// Each waiter has a dial of its own begun for it, up to a number at a time, and takes whichever connection is free first. A
/// permit is held for every connection from the dial on; `asked` are those that the shard stands in line for.
struct PoolState<Connection: AnyObject, Waiter: InLine> {
    /// Connections that nobody uses, the one used last at the end.
    private(set) var idle: [Connection] = []
    private(set) var line = WaitingLine<Waiter>()
    private(set) var dialling = 0
    private(set) var asked = 0
    private(set) var backoff = Backoff()

    /// How many dials may be under way at a time: more would be a run on a server that is slow to answer.
    var maximumDials: Int

    init(maximumDials: Int = 16) { self.maximumDials = maximumDials }

    /// Whether there is nothing to remember.
    var isEmpty: Bool { idle.isEmpty && line.isEmpty && dialling == 0 && asked == 0 }

    /// How many permits to ask for now.
    // Inlined, as all of it would be copied for the call.
    @inline(__always)
    func permitsWanted(at now: Int64) -> Int {
        max(0, min(line.count, backoff.allowed(of: maximumDials, at: now)) - dialling - asked)
    }

    /// How many times to leave the line for permits, since others have served who waited.
    @inline(__always)
    var permitsUnwanted: Int { min(asked, max(0, dialling + asked - line.count)) }

    // MARK: Waiters

    mutating func wait(_ waiter: Waiter) { line.append(waiter) }

    /// Somebody gives up; whether it was waiting.
    mutating func leave(_ waiter: Waiter) -> Bool { line.remove(waiter) }

    /// Takes out all for whom something holds.
    mutating func takeAll(where holds: (Waiter) -> Bool) -> [Waiter] { line.takeAll(where: holds) }

    // MARK: Permits

    mutating func askedForPermit() { asked += 1 }

    mutating func leftLine() { asked -= 1 }

    /// A permit that was stood in line for is there; whether a dial is to begin with it.
    mutating func permitGranted(at now: Int64) -> Bool {
        asked -= 1
        return dialling < min(line.count, backoff.allowed(of: maximumDials, at: now))
    }

    // MARK: Dials

    /// A dial begins; returns whom it is for. Nil, where nobody waits any more: there is no dial then.
    mutating func beginDial() -> Waiter? {
        guard let waiter = line.firstWithoutDial else { return nil }
        dialling += 1
        return waiter
    }

    /// A dial has brought a connection; returns who takes it.
    mutating func opened() -> Waiter? {
        dialling -= 1
        backoff.succeeded()
        return line.popFirst()
    }

    /// A dial has ended without a connection, and without anybody to blame.
    mutating func dialGivenUp() { dialling -= 1 }

    /// A dial has failed; returns who fails with it.
    ///
    /// - Parameters:
    ///   - waiter: whom it was begun for.
    ///   - lastTicket: the line's last ticket when it was begun.
    ///   - began: when it was begun.
    ///   - counts: whether the server is to blame, so that others may fare no better.
    ///   - holdsForAll: whether others will fare no better.
    mutating func dialFailed(
        for waiter: Waiter, lastTicket: Int, began: Int64, counts: Bool, holdsForAll: Bool = false, at now: Int64
    ) -> [Waiter] {
        dialling -= 1
        let wasProbe = backoff.isProbing
        if counts { backoff.failed(at: now, began: began) }
        if counts && wasProbe || holdsForAll { return line.removeAll(upTo: lastTicket) }
        return line.remove(waiter) ? [waiter] : []
    }

    // MARK: Connections

    /// The idle connection that was used last.
    mutating func takeIdle() -> Connection? { idle.popLast() }

    /// The idle connection that nobody has used for longest.
    mutating func takeOldestIdle() -> Connection? { idle.isEmpty ? nil : idle.removeFirst() }

    /// A connection is free; returns who takes it. Nil, where nobody waits who could.
    mutating func released() -> Waiter? { line.popFirst(reused: true) }

    /// Takes out whoever is first, for a connection that nobody has used.
    mutating func popFirst() -> Waiter? { line.popFirst() }

    /// A connection stays open for later.
    mutating func keep(_ connection: Connection) { idle.append(connection) }

    /// A connection is gone; whether it was idle.
    mutating func lost(_ connection: Connection) -> Bool {
        guard let position = idle.lastIndex(where: { $0 === connection }) else { return false }
        idle.remove(at: position)
        return true
    }
}
