import Testing

@testable import SternaTransport

/// Shards and endpoints without a network, driven by chance: what `Shard` does around `PoolState` and `PermitBook`, with time,
/// dials and answers in the hands of a generator.
final class PoolWorld {
    final class Connection {
        let shard: Int
        let endpoint: Int
        var isOpen = true
        var waiter: Waiter?

        init(shard: Int, endpoint: Int) {
            self.shard = shard
            self.endpoint = endpoint
        }
    }

    final class Waiter: InLine {
        var ticket = 0
        let rank: Int
        var needsFreshConnection = false
        let shard: Int
        let endpoint: Int
        var outcome: String?
        var dialling: Dialling?
        var hasDial: Bool { dialling != nil }

        init(rank: Int, shard: Int, endpoint: Int) {
            self.rank = rank
            self.shard = shard
            self.endpoint = endpoint
        }
    }

    final class Dialling {
        var waiter: Waiter
        let shard: Int
        let endpoint: Int
        let lastTicket: Int

        init(waiter: Waiter, shard: Int, endpoint: Int, lastTicket: Int) {
            self.waiter = waiter
            self.shard = shard
            self.endpoint = endpoint
            self.lastTicket = lastTicket
        }
    }

    var random: SplitMix
    let shards: Int
    let endpoints: Int
    let perEndpoint: Int
    var book: PermitBook
    var pools: [[PoolState<Connection, Waiter>]]
    var dials: [Dialling] = []
    var busy: [Connection] = []
    var waiters: [Waiter] = []
    var now: Int64 = 0
    var served = 0
    var failed = 0

    init(seed: UInt64, shards: Int, endpoints: Int, perEndpoint: Int, total: Int) {
        random = SplitMix(state: seed)
        self.shards = shards
        self.endpoints = endpoints
        self.perEndpoint = perEndpoint
        book = PermitBook(limit: total)
        pools = (0..<shards).map { _ in (0..<endpoints).map { _ in PoolState(maximumDials: 4) } }
    }

    // MARK: What a shard does

    func submit(_ waiter: Waiter) {
        waiters.append(waiter)
        if !waiter.needsFreshConnection, let idle = pools[waiter.shard][waiter.endpoint].takeIdle() {
            return start(waiter, on: idle)
        }
        pools[waiter.shard][waiter.endpoint].wait(waiter)
        dialIfNeeded(waiter.shard, waiter.endpoint)
    }

    func start(_ waiter: Waiter, on connection: Connection) {
        connection.waiter = waiter
        busy.append(connection)
    }

    func dialIfNeeded(_ shard: Int, _ endpoint: Int) {
        while pools[shard][endpoint].permitsWanted(at: now) > 0 {
            switch book.take(endpoint, limit: perEndpoint, shard: shard) {
            case .granted: dial(shard, endpoint)
            case .endpointIsFull:
                pools[shard][endpoint].askedForPermit()
                for other in [shard] + (0..<shards).filter({ $0 != shard }) where closeOldest(other, endpoint) {
                    return
                }
                return
            case .allAreOpen:
                pools[shard][endpoint].askedForPermit()
                for other in 0..<shards {
                    for candidate in 0..<endpoints where closeOldest(other, candidate) { return }
                }
                return
            }
        }
    }

    func closeOldest(_ shard: Int, _ endpoint: Int) -> Bool {
        guard let connection = pools[shard][endpoint].takeOldestIdle() else { return false }
        close(connection)
        return true
    }

    func dial(_ shard: Int, _ endpoint: Int) {
        let lastTicket = pools[shard][endpoint].line.lastTicket
        guard let waiter = pools[shard][endpoint].beginDial() else { return give(endpoint, shard) }
        let dialling = Dialling(waiter: waiter, shard: shard, endpoint: endpoint, lastTicket: lastTicket)
        waiter.dialling = dialling
        dials.append(dialling)
    }

    func give(_ endpoint: Int, _ shard: Int) {
        for grant in book.give(endpoint, shard: shard) {
            if pools[grant.shard][grant.endpoint].permitGranted(at: now) {
                dial(grant.shard, grant.endpoint)
            } else {
                give(grant.endpoint, grant.shard)
            }
            dialIfNeeded(grant.shard, grant.endpoint)
        }
    }

    func leaveLine(_ shard: Int, _ endpoint: Int) {
        while pools[shard][endpoint].permitsUnwanted > 0, book.leave(endpoint, shard: shard) {
            pools[shard][endpoint].leftLine()
        }
    }

    func close(_ connection: Connection) {
        guard connection.isOpen else { return }
        connection.isOpen = false
        _ = pools[connection.shard][connection.endpoint].lost(connection)
        give(connection.endpoint, connection.shard)
    }

    func finish(_ dialling: Dialling, isOpen: Bool, blamesServer: Bool = true) {
        let (shard, endpoint) = (dialling.shard, dialling.endpoint)
        if isOpen {
            let connection = Connection(shard: shard, endpoint: endpoint)
            let waiter = pools[shard][endpoint].opened()
            if dialling.waiter.dialling === dialling { dialling.waiter.dialling = nil }
            if let waiter {
                hand(connection, to: waiter)
            } else {
                keep(connection)
            }
        } else {
            give(endpoint, shard)
            let losers = pools[shard][endpoint].dialFailed(
                for: dialling.waiter, lastTicket: dialling.lastTicket, began: now, counts: blamesServer, at: now)
            for loser in losers {
                loser.dialling = nil
                end(loser, "failed")
            }
            if dialling.waiter.dialling === dialling { dialling.waiter.dialling = nil }
            leaveLine(shard, endpoint)
        }
        dialIfNeeded(shard, endpoint)
    }

    func release(_ connection: Connection) {
        busy.removeAll { $0 === connection }
        if let waiter = connection.waiter { end(waiter, "served") }
        connection.waiter = nil
        let (shard, endpoint) = (connection.shard, connection.endpoint)
        if let waiter = pools[shard][endpoint].released() {
            hand(connection, to: waiter)
        } else {
            keep(connection)
        }
    }

    // A dial of its own is then for others.
    func hand(_ connection: Connection, to waiter: Waiter) {
        leaveLine(connection.shard, connection.endpoint)
        let own = waiter.dialling
        waiter.dialling = nil
        start(waiter, on: connection)
        if let own { handOn(own) }
    }

    func keep(_ connection: Connection) {
        let (shard, endpoint) = (connection.shard, connection.endpoint)
        pools[shard][endpoint].keep(connection)
        if book.counts(of: endpoint).waiting > 0 || book.starving > 0 { _ = closeOldest(shard, endpoint) }
    }

    func cancel(_ waiter: Waiter) {
        guard waiter.outcome == nil, pools[waiter.shard][waiter.endpoint].leave(waiter) else { return }
        end(waiter, "cancelled")
        leaveLine(waiter.shard, waiter.endpoint)
        let own = waiter.dialling
        waiter.dialling = nil
        if let own { handOn(own) }
    }

    // To somebody who waits without one. Here a dial that nobody needs goes on, as it may before it is given up.
    func handOn(_ dialling: Dialling) {
        guard let heir = pools[dialling.shard][dialling.endpoint].line.firstWithoutDial else { return }
        dialling.waiter = heir
        heir.dialling = dialling
    }

    func end(_ waiter: Waiter, _ outcome: String) {
        #expect(waiter.outcome == nil, "a request ends once")
        waiter.outcome = outcome
        if outcome == "served" { served += 1 } else { failed += 1 }
    }
}

/// A small generator with a seed, so that a schedule that fails can be run again.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
