#if os(Linux)
import SternaCore
import SternaPlatform
import SternaTesting
import SternaTransport
import Synchronization
import Testing

@testable import Sterna
@testable import SternaReachability
@testable import SternaTestSupport

/// The kernel's own messages, in namespaces that the tests change.
@Suite(
    "Reachability: network namespaces", .timeLimit(.minutes(5)),
    .enabled(if: NetworkNamespace.isUsable, "It needs root, and ip of iproute2."))
struct NetworkNamespaceTests {
    /// Returns whether a path with a description arrives; otherwise records the paths that did.
    private func next(_ expected: String, _ updates: inout AsyncStream<NetworkPath>.Iterator) async -> Bool {
        var seen: [String] = []
        while let path = await updates.next() {
            if path.description == expected { return true }
            seen.append(path.description)
            if seen.count > 20 { break }
        }
        Issue.record("\(expected) did not come, but \(seen)")
        return false
    }

    private static let none = "not reachable"
    private static let v4 = "reachable by cable (v0), IPv4"
    private static let v6 = "reachable by cable (v0), IPv6"

    private func connected() async throws -> NetworkNamespace {
        let namespace = try await NetworkNamespace()
        try await namespace.ip(
            "link add v0 type veth peer name v1", "link set v0 up", "link set v1 up", "addr add 10.77.0.2/24 dev v0",
            "route add default via 10.77.0.1")
        return namespace
    }

    @Test("Only the loopback interface: nothing but this machine can be reached")
    func empty() async throws {
        let namespace = try await NetworkNamespace()
        await expectEqual(namespace.reachability().current().status, .notReachable)
        let own = try #require(IPAddress("127.0.0.1"))
        #expect(await namespace.reachability(to: .address(own)).current().isReachable)
    }

    @Test("A link that goes down and comes up, by its peer and by its owner")
    func link() async throws {
        let namespace = try await connected()
        var updates = namespace.reachability().updates.makeAsyncIterator()
        #expect(await next(Self.v4, &updates))
        try await namespace.ip("link set v1 down")  // no carrier; the route stays
        #expect(await next(Self.none, &updates))
        try await namespace.ip("link set v1 up")
        #expect(await next(Self.v4, &updates))
        try await namespace.ip("link set v0 down")  // the kernel removes the route without a message
        #expect(await next(Self.none, &updates))
        try await namespace.ip("link set v0 up")
        try await namespace.ip("route add default via 10.77.0.1")
        #expect(await next(Self.v4, &updates))
        try await namespace.ip("link del v0")
        #expect(await next(Self.none, &updates))
    }

    @Test("A link that was down has lost its default route when it comes up")
    func silentLoss() async throws {
        let namespace = try await connected()
        let reachability = namespace.reachability()
        let gate = ConnectivityGate(reachability, Engine.shared)
        _ = gate.path  // it watches from now on
        var updates = reachability.updates.makeAsyncIterator()
        #expect(await next(Self.v4, &updates))
        try await namespace.ip("link set v0 down")
        #expect(await next(Self.none, &updates))
        try await namespace.ip("link set v0 up", "addr add 10.78.0.2/24 dev v0")
        // The connected network is back, but no route beyond it.
        #expect(await eventually { gate.hasOtherRoute(to: "10.78.0.9") })
        expectEqual(reachability.status, .notReachable)
    }

    @Test("An address that is removed, and added again")
    func address() async throws {
        let namespace = try await connected()
        var updates = namespace.reachability().updates.makeAsyncIterator()
        #expect(await next(Self.v4, &updates))
        try await namespace.ip("addr del 10.77.0.2/24 dev v0")
        #expect(await next(Self.none, &updates))
        try await namespace.ip("addr add 10.77.0.2/24 dev v0", "route add default via 10.77.0.1")
        #expect(await next(Self.v4, &updates))
    }

    @Test("A default route that is lost, restored, refused and replaced")
    func route() async throws {
        let namespace = try await connected()
        var updates = namespace.reachability().updates.makeAsyncIterator()
        #expect(await next(Self.v4, &updates))
        try await namespace.ip("route del default")
        #expect(await next(Self.none, &updates))
        try await namespace.ip("route add default via 10.77.0.1 metric 100")
        #expect(await next(Self.v4, &updates))
        try await namespace.ip("route add unreachable default metric 50")
        #expect(await next(Self.none, &updates))
        try await namespace.ip("route del unreachable default metric 50")
        #expect(await next(Self.v4, &updates))
        try await namespace.ip("route replace blackhole default metric 100")
        #expect(await next(Self.none, &updates))
        try await namespace.ip("route replace default via 10.77.0.1 metric 100")
        #expect(await next(Self.v4, &updates))
    }

    @Test("IPv6 makes hosts reachable, without IPv4 and beside it")
    func v6() async throws {
        let namespace = try await NetworkNamespace()
        try await namespace.ip(
            "link add v0 type veth peer name v1", "link set v0 up", "link set v1 up",
            "addr add 2001:db8:77::2/64 dev v0 nodad", "route add default via 2001:db8:77::1")
        var updates = namespace.reachability().updates.makeAsyncIterator()
        #expect(await next(Self.v6, &updates))
        let other = try #require(IPAddress("192.0.2.1"))
        await expectEqual(namespace.reachability(to: .address(other)).current().status, .notReachable)
        try await namespace.ip("addr add 10.77.0.2/24 dev v0", "route add default via 10.77.0.1")
        #expect(await next("reachable by cable (v0), IPv4 and IPv6", &updates))
        try await namespace.ip("route del default via 2001:db8:77::1")
        #expect(await next(Self.v4, &updates))
    }

    @Test(
        "A tunnel has a path while a program holds it",
        .enabled(if: access("/dev/net/tun", R_OK | W_OK) == 0, "It needs /dev/net/tun."))
    func tun() async throws {
        let namespace = try await NetworkNamespace()
        try await namespace.ip("tuntap add dev t0 mode tun")
        let descriptor = try #require(namespace.attach(tun: "t0"))
        try await namespace.ip(
            "link set t0 up", "addr add 10.79.0.1 peer 10.79.0.2 dev t0", "route add default via 10.79.0.2")
        var updates = namespace.reachability().updates.makeAsyncIterator()
        #expect(await next("reachable by cable (t0), IPv4", &updates))
        close(descriptor)
        #expect(await next(Self.none, &updates))
    }

    @Test("A bridge has the kind and the state of its ports")
    func bridge() async throws {
        let namespace = try await connected()
        try await namespace.ip(
            "link add b0 type bridge", "link set v0 master b0", "link set b0 up", "addr add 10.80.0.2/24 dev b0",
            "route replace default via 10.80.0.1")
        var updates = namespace.reachability().updates.makeAsyncIterator()
        #expect(await next("reachable by cable (b0), IPv4", &updates))
        try await namespace.ip("link set v1 down")
        #expect(await next(Self.none, &updates))
    }

    @Test(
        "Two hundred flaps of a link: each change once, in the end the right status, and no socket more than at first")
    func flaps() async throws {
        let namespace = try await connected()
        let opened = Mutex(0)
        let used = Mutex<NetlinkSockets?>(nil)
        let watch = NetworkWatch(
            NetlinkSource {
                opened.withLock { $0 += 1 }
                let sockets = namespace.enter { NetlinkSockets.open() }
                used.withLock { $0 = sockets }
                return sockets
            })
        var options = ReachabilityOptions()
        options.settlingTime = .zero
        let reachability = NetworkReachability(options: options, watch: watch)
        var updates = reachability.updates.makeAsyncIterator()
        #expect(await next(Self.v4, &updates))
        try await namespace.batch((0..<200).flatMap { _ in ["link set v1 down", "link set v1 up"] })
        // A path that no flap causes marks the end.
        try await namespace.ip("addr add 2001:db8:77::2/64 dev v0 nodad", "route add default via 2001:db8:77::1")
        let both = Self.v4 + " and IPv6"
        var seen = [Self.v4]
        while seen.last != both, let path = await updates.next() { seen.append(path.description) }
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 != $1 }, "\(seen)")
        #expect(Set(seen).isSubset(of: [Self.v4, Self.none, both]), "\(seen)")
        expectEqual(reachability.path.description, both)
        expectEqual(opened.withLock { $0 }, 1)
        let sockets = try #require(used.withLock { $0 })
        let descriptors = [sockets.route, sockets.query, sockets.generic].filter { $0 >= 0 }
        #expect(descriptors.allSatisfy(Self.isSocket) && descriptors.count > 1)
        withExtendedLifetime(updates) {}
        updates = AsyncStream<NetworkPath>.makeStream().stream.makeAsyncIterator()
        #expect(
            await eventually { !descriptors.contains(where: Self.isSocket) },
            "A socket stays open after its last reader.")
    }

    private static func isSocket(_ descriptor: CInt) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))?
            .hasPrefix("socket:") == true
    }

    @Test("After lost messages the state is requested again")
    func burst() async throws {
        let namespace = try await connected()
        let sockets = try #require(namespace.enter { NetlinkSockets.open() })
        // Far more messages than an unread socket holds; the last one removes the default route.
        let lines = (0..<12_000).map { "route add 10.\(128 + $0 / 250).\($0 % 250).0/24 via 10.77.0.1" }
        try await namespace.batch(lines + ["route del default"])
        let watch = NetworkWatch(NetlinkSource { sockets })
        let reachability = NetworkReachability(watch: watch)
        var updates = reachability.updates.makeAsyncIterator()
        #expect(await next(Self.none, &updates))
        let gate = ConnectivityGate(reachability, Engine.shared)
        _ = gate.path  // it watches from now on
        #expect(gate.hasOtherRoute(to: "10.175.249.4"))
        try await namespace.ip("route add default via 10.77.0.1")
        #expect(await next(Self.v4, &updates))
    }
}
#endif
