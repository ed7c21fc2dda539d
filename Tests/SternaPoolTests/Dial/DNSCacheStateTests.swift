import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("The cache of hosts' addresses")
struct DNSCacheStateTests {
    struct Unknown: Error {}

    typealias Hosts = DNSCacheState<Int>

    static let second: Int64 = 1_000_000_000
    static let address = IPAddress(v4: 0xC000_0201)

    static func show(_ actions: [Hosts.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .lookUp(let id, let key): "look up \(id) \(key.host) \(key.families)"
            case .giveUp(let id): "give up \(id)"
            case .answer(let waiter, let host):
                "answer \(waiter) \(host.addresses.map(\.description).joined(separator: " "))"
            case .fail(let waiter, let error): "fail \(waiter) \(error)"
            }
        }
    }

    private func found(_ timeToLive: Duration? = nil) -> Result<ResolvedHost, any Error> {
        .success(ResolvedHost([Self.address], timeToLive: timeToLive))
    }

    /// Hosts with one that was found at the time 0.
    private func known(_ timeToLive: Duration? = nil, default lifetime: Duration = .seconds(60)) -> Hosts {
        var hosts = Hosts(defaultLifetime: lifetime)
        _ = hosts.resolve("a.example", .any, waiter: 0, now: 0)
        _ = hosts.finished(1, found(timeToLive), now: 0)
        return hosts
    }

    private func isKnown(
        _ hosts: Hosts, _ host: String = "a.example", _ families: AddressFamilies = .any, at now: Int64
    )
        -> Bool
    {
        var hosts = hosts
        return Self.show(hosts.resolve(host, families, waiter: 99, now: now)) == ["answer 99 192.0.2.1"]
    }

    @Test("Concurrent waiters share the look-up")
    func shared() {
        var hosts = Hosts()
        expectEqual(Self.show(hosts.resolve("A.example", .any, waiter: 1, now: 0)), ["look up 1 a.example any"])
        expectEqual(Self.show(hosts.resolve("a.EXAMPLE", .any, waiter: 2, now: 0)), [])
        expectEqual(Self.show(hosts.resolve("a.example", .ipv4, waiter: 3, now: 0)), ["look up 2 a.example ipv4"])
        expectEqual(Self.show(hosts.resolve("a.example.", .any, waiter: 4, now: 0)), ["look up 3 a.example. any"])
        expectEqual(Self.show(hosts.finished(1, found(), now: 1)), ["answer 1 192.0.2.1", "answer 2 192.0.2.1"])
        expectEqual(Self.show(hosts.finished(1, found(), now: 1)), [])
        expectEqual(Self.show(hosts.resolve("a.example", .any, waiter: 5, now: 2)), ["answer 5 192.0.2.1"])
        expectEqual(Self.show(hosts.finished(2, .failure(Unknown()), now: 2)), ["fail 3 Unknown()"])
    }

    @Test("A failure is not kept")
    func failure() {
        var hosts = Hosts()
        _ = hosts.resolve("a.example", .any, waiter: 1, now: 0)
        _ = hosts.finished(1, .failure(Unknown()), now: 0)
        expectEqual(hosts.keptHosts, 0)
        expectEqual(Self.show(hosts.resolve("a.example", .any, waiter: 2, now: 0)), ["look up 2 a.example any"])
    }

    @Test("An empty result is not kept")
    func noAddresses() {
        var hosts = Hosts()
        _ = hosts.resolve("a.example", .any, waiter: 1, now: 0)
        expectEqual(Self.show(hosts.finished(1, .success(ResolvedHost([])), now: 0)), ["answer 1 "])
        expectEqual(hosts.keptHosts, 0)
    }

    @Test(
        "Addresses are kept for their time to live, at most an hour; for a minute without one",
        arguments: [
            (nil, 60), (.seconds(5), 5), (.seconds(3_600), 3_600), (.seconds(86_400), 3_600),
            (.seconds(Int64.max), 3_600), (.milliseconds(1_000), 1),
        ] as [(Duration?, Int64)])
    func lifetime(timeToLive: Duration?, seconds: Int64) {
        let hosts = known(timeToLive)
        #expect(isKnown(hosts, at: 0))
        #expect(isKnown(hosts, at: seconds * Self.second - 1))
        #expect(!isKnown(hosts, at: seconds * Self.second))
    }

    @Test("With a lifetime of zero nothing is kept", arguments: [Duration.zero, .seconds(-1), .nanoseconds(-1)])
    func zero(lifetime: Duration) {
        expectEqual(known(lifetime).keptHosts, 0)
        expectEqual(known(nil, default: lifetime).keptHosts, 0)
        expectEqual(known(.seconds(1), default: lifetime).keptHosts, 1)
    }

    @Test("The longest times do not overflow")
    func overflow() {
        #expect(isKnown(known(nil, default: .seconds(Int64.max)), at: 100 * 365 * 86_400 * Self.second))
        var hosts = Hosts()
        _ = hosts.resolve("a.example", .any, waiter: 0, now: .max - 1)
        _ = hosts.finished(1, found(), now: .max - 1)
        #expect(isKnown(hosts, at: .max - 1))
    }

    @Test("Host and families must be the same, but for the case of letters")
    func keys() {
        let hosts = known()
        #expect(isKnown(hosts, "A.Example", at: 0))
        #expect(!isKnown(hosts, "a.example.", at: 0))
        #expect(!isKnown(hosts, "a.example", .ipv6, at: 0))
        #expect(!isKnown(hosts, "b.example", at: 0))
    }

    @Test("A cancelled waiter gets no result; the look-up continues for the others")
    func oneLeaves() {
        var hosts = Hosts()
        _ = hosts.resolve("a.example", .any, waiter: 1, now: 0)
        _ = hosts.resolve("a.example", .any, waiter: 2, now: 0)
        expectEqual(Self.show(hosts.cancelled(1)), [])
        expectEqual(Self.show(hosts.cancelled(1)), [])
        expectEqual(Self.show(hosts.finished(1, found(), now: 0)), ["answer 2 192.0.2.1"])
        expectEqual(Self.show(hosts.cancelled(2)), [])
    }

    @Test("When the last waiter leaves, the look-up is cancelled, and a new waiter begins another")
    func allLeave() {
        var hosts = Hosts()
        _ = hosts.resolve("a.example", .any, waiter: 1, now: 0)
        expectEqual(Self.show(hosts.cancelled(1)), ["give up 1"])
        expectEqual(hosts.runningLookups, 1)
        expectEqual(Self.show(hosts.resolve("a.example", .any, waiter: 2, now: 0)), ["look up 2 a.example any"])
        expectEqual(Self.show(hosts.finished(1, .failure(CancellationError()), now: 0)), [])
        expectEqual(Self.show(hosts.resolve("a.example", .any, waiter: 3, now: 0)), [])
        expectEqual(Self.show(hosts.finished(2, found(), now: 0)), ["answer 2 192.0.2.1", "answer 3 192.0.2.1"])
        expectEqual(hosts.runningLookups, 0)
    }

    @Test("The result of a cancelled look-up is kept")
    func lateAnswer() {
        var hosts = Hosts()
        _ = hosts.resolve("a.example", .any, waiter: 1, now: 0)
        _ = hosts.cancelled(1)
        expectEqual(Self.show(hosts.finished(1, found(), now: 0)), [])
        #expect(isKnown(hosts, at: 0))
    }

    @Test("A waiter that leaves and comes back gets one result")
    func comesBack() {
        var hosts = Hosts()
        _ = hosts.resolve("a.example", .any, waiter: 1, now: 0)
        _ = hosts.resolve("a.example", .any, waiter: 2, now: 0)
        _ = hosts.cancelled(1)
        _ = hosts.resolve("a.example", .any, waiter: 1, now: 0)
        expectEqual(Self.show(hosts.finished(1, found(), now: 0)), ["answer 1 192.0.2.1", "answer 2 192.0.2.1"])
    }

    @Test("Sixteen look-ups run at once; the others wait in order")
    func sixteen() {
        var hosts = Hosts()
        for index in 1...20 {
            let actions = hosts.resolve("h\(index)", .any, waiter: index, now: 0)
            expectEqual(actions.count, (index <= 16 ? 1 : 0))
        }
        // One that waits leaves, and its look-up is never begun.
        expectEqual(Self.show(hosts.cancelled(18)), [])
        // One that is given up holds its place until it has ended.
        expectEqual(Self.show(hosts.cancelled(3)), ["give up 3"])
        expectEqual(hosts.runningLookups, 16)
        expectEqual(Self.show(hosts.finished(3, .failure(Unknown()), now: 0)), ["look up 17 h17 any"])
        expectEqual(Self.show(hosts.finished(1, found(), now: 0)), ["answer 1 192.0.2.1", "look up 19 h19 any"])
        expectEqual(Self.show(hosts.finished(18, found(), now: 0)), [])
        expectEqual(hosts.runningLookups, 16)
    }

    @Test("A look-up that waits cannot have finished")
    func notRunning() {
        var hosts = Hosts()
        for index in 1...17 { _ = hosts.resolve("h\(index)", .any, waiter: index, now: 0) }
        expectEqual(Self.show(hosts.finished(17, found(), now: 0)), [])
        expectEqual(Self.show(hosts.finished(16, found(), now: 0)), ["answer 16 192.0.2.1", "look up 17 h17 any"])
        expectEqual(Self.show(hosts.finished(17, found(), now: 0)), ["answer 17 192.0.2.1"])
    }

    private func fill(_ hosts: inout Hosts, _ host: String, _ timeToLive: Duration, now: Int64) {
        for case .lookUp(let id, _) in hosts.resolve(host, .any, waiter: 1, now: now) {
            _ = hosts.finished(id, found(timeToLive), now: now)
        }
    }

    @Test("At most 1,024 hosts are kept: expired ones go first, all of them")
    func expiredGoFirst() {
        var hosts = Hosts()
        for index in 0..<1_024 {
            fill(&hosts, "h\(index)", index < 100 ? .seconds(1) : .seconds(10 + Int64(index)), now: 0)
        }
        expectEqual(hosts.keptHosts, 1_024)
        fill(&hosts, "new", .seconds(5), now: 2 * Self.second)
        expectEqual(hosts.keptHosts, 925)
        #expect(isKnown(hosts, "new", at: 2 * Self.second))
        #expect(isKnown(hosts, "h100", at: 2 * Self.second))
    }

    @Test("Then the hosts that expire soonest are removed")
    func soonestGoNext() {
        var hosts = Hosts()
        // The times to live go up and down, so that order of arrival is not order of expiry.
        for index in 0..<1_024 { fill(&hosts, "h\(index)", .seconds(10 + Int64(index * 617 % 1_024)), now: 0) }
        let soonest = (0..<1_024).filter { $0 * 617 % 1_024 < 3 }
        for round in 0..<3 { fill(&hosts, "new\(round)", .seconds(3_600), now: 0) }
        expectEqual(hosts.keptHosts, 1_024)
        let gone = (0..<1_024).filter { !isKnown(hosts, "h\($0)", at: 0) }
        expectEqual(gone, soonest)
    }

    @Test("A host that is found again needs no room")
    func foundAgain() {
        var hosts = Hosts()
        for index in 0..<1_024 { fill(&hosts, "h\(index)", .seconds(10), now: 0) }
        _ = hosts.resolve("h5", .ipv4, waiter: 1, now: 0)
        expectEqual(hosts.keptHosts, 1_024)
        fill(&hosts, "h7", .seconds(10), now: 10 * Self.second)
        #expect(hosts.keptHosts <= 1_024)
        #expect(isKnown(hosts, "h7", at: 19 * Self.second))
    }
}
