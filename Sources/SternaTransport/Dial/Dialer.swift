import NIOCore
import NIOPosix
import NIOSSL
import SternaCore
import SternaPlatform
import SternaSecurity
import Synchronization

/// Opens connections: resolves the host, connects, has a proxy reach the server, and performs the TLS handshakes.
final class Dialer: Sendable {
    let options: EngineOptions
    let hosts: DNSCache
    let contexts = TLSContexts()
    let sharedConnections = SharedConnections()

    /// Whether connections keep the certificates of their servers, for metrics.
    let keepsCertificates = Atomic(false)

    /// An event loop for timers that belong to no connection.
    let timers: any EventLoop

    init(options: EngineOptions, timers: any EventLoop) {
        self.options = options
        self.timers = timers
        hosts = DNSCache(
            resolver: options.resolver, lifetime: options.resolvedLifetime, timers: timers,
            clock: options.clock)
    }

    /// Opens a connection on the shard's event loop; fails with a `SternaError` within the timeouts.
    func open(_ dial: Dial) -> EventLoopFuture<OpenedConnection> {
        let (endpoint, shard) = (dial.endpoint, dial.shard)
        let limits = options.limits
        let reached: EventLoopFuture<any Channel>
        if let key = endpoint.tunnelKey {
            reached = reach(dial, by: key)
        } else {
            reached = reach(dial) { channel in
                let connection = HTTP1Connection(endpoint: endpoint, shard: shard, limits: limits)
                try channel.pipeline.syncOperations.addHandler(connection)
            }
        }
        return reached.flatMap { channel in
            // The closure captures the channel: for a future of a tuple the runtime would have to look up the tuple's type.
            self.secure(dial, channel).flatMapThrowing { secured in
                try self.connection(on: channel, for: dial, speaking: secured)
            }
        }.flatMapErrorThrowing { error in
            guard let found = error as? SharedConnectionFound else { throw error }
            return .shared(found.connection)
        }
    }

    /// Performs the TLS handshake of an https origin; succeeds with nil for others.
    private func secure(_ dial: Dial, _ channel: any Channel) -> EventLoopFuture<Secured?> {
        let endpoint = dial.endpoint
        dial.rotation = endpoint.policy.rotatingIdentity?.current
        guard endpoint.isTLS else { return channel.eventLoop.makeSucceededFuture(nil) }
        dial.phase = .tls
        let policy = endpoint.policy
        let (host, port) = (endpoint.host, endpoint.origin.port)
        let peer = TLSPeer(origin: endpoint)
        return secure(channel, peer, within: StepLimit(dial.timeouts.tls, by: options.clock)) { chain in
            await policy.decide(chain: chain, host: host, port: port)
        }.map { secured in
            dial.timeline.secured = dial.shard.clock.now
            dial.timeline.tlsVersion = secured.version?.name
            if self.keepsCertificates.load(ordering: .relaxed) {
                dial.timeline.tlsDetails = TLSDetails(
                    applicationProtocol: secured.protocol, chain: secured.chain,
                    pins: policy.matchingPins(in: secured.chain))
            }
            return secured
        }
    }

    // MARK: Connecting

    /// Connects a channel to the endpoint, or to its proxy.
    func connect(
        _ dial: Dial, timeouts: Timeouts, _ initialize: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<any Channel> {
        let options = options
        let loop = dial.shard.loop
        let bootstrap = { @Sendable (made: @escaping @Sendable (any Channel) -> Void) -> ClientBootstrap in
            ClientBootstrap(group: loop).connectTimeout(.hours(24 * 365)).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    channel.setCloseOnExec()
                    dial.track(channel)
                    made(channel)
                    try initialize(channel)
                }
            }
        }
        if case .unixSocket(let path) = dial.endpoint.route {
            return connect(dial, toSocket: path, bootstrap { _ in }.connectTimeout(timeouts.amounts.connect))
        }
        let target = Target(dial.endpoint, options)
        return addresses(of: target, dial, timeouts).flatMapThrowing { found in
            try self.permitted(found, target, dial.endpoint)
        }.flatMap { found in
            self.shared(dial, found)
        }.flatMap { (found: [IPAddress]) -> EventLoopFuture<any Channel> in
            // The dial was cancelled while the addresses were being delivered, so no later cancellation would end the attempt.
            guard !dial.isCancelled else { return loop.makeFailedFuture(SternaError.cancelled(phase: .resolve)) }
            dial.timeline.resolved = dial.shard.clock.now
            dial.phase = .connect
            dial.post(.hostResolved(host: target.host, addresses: found))
            let interface: UInt32
            do {
                interface = try target.interface()
            } catch {
                return loop.makeFailedFuture(error)
            }
            let connecting = Connecting(
                to: found, port: target.port, interface: interface, attemptDelay: options.attemptDelay, on: loop,
                clock: options.clock
            ) { made in options.apply(to: bootstrap(made)) }
            dial.whenCancelled { connecting.cancel() }
            return connecting.start(timeout: timeouts.amounts.connect)
        }.flatMapErrorThrowing { error in
            if error is SharedConnectionFound { throw error }
            throw DialFailure.error(error, target: target, timeout: timeouts.connect)
        }.map { channel in
            self.connected(dial, channel)
            return channel
        }
    }

    private func connect(
        _ dial: Dial, toSocket path: String, _ bootstrap: ClientBootstrap
    ) -> EventLoopFuture<any Channel> {
        dial.phase = .connect
        guard dial.endpoint.dialPolicy.allowsUnixSockets else {
            return dial.shard.loop.makeFailedFuture(
                SternaError(
                    .addressRefused, phase: .connect,
                    "Not connected to the socket “\(FieldSyntax.printable(path))”: the dial policy allows IP addresses only."
                ))
        }
        return bootstrap.connect(unixDomainSocketPath: path).flatMapErrorThrowing { error in
            throw DialFailure.error(error, socket: path)
        }.map { channel in
            dial.timeline.remoteAddress = path
            self.connected(dial, channel)
            return channel
        }
    }

    private func connected(_ dial: Dial, _ channel: any Channel) {
        dial.whenCancelled(nil)
        dial.timeline.connected = dial.shard.clock.now
        dial.timeline.address = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
        if dial.timeline.remoteAddress == nil {
            dial.timeline.remoteAddress = channel.remoteAddress?.numericText
            dial.timeline.localAddress = channel.localAddress?.numericText
        }
        let address = dial.timeline.remoteAddress ?? ""
        dial.post(.connected(to: address))
    }

    /// The peer of a connection: the origin, or the proxy.
    struct Target {
        let host: String
        /// The port that the URL, or the proxy's, names.
        let namedPort: Int
        /// The port that is connected to.
        let port: Int
        let proxy: Proxy?

        /// The network interface through which the host is reached, if the URL names one.
        let zone: String?

        init(_ endpoint: Endpoint, _ options: EngineOptions) {
            if case .proxy(let proxy) = endpoint.route {
                (host, namedPort, self.proxy, zone) = (proxy.host, proxy.port, proxy, nil)
            } else {
                (host, namedPort, proxy, zone) = (endpoint.host, endpoint.origin.port, nil, endpoint.origin.zone)
            }
            port = options.dialledPort(for: host, port: namedPort)
        }

        /// Returns the number of the zone's interface; 0 without a zone.
        func interface() throws(SternaError) -> UInt32 {
            guard let zone else { return 0 }
            let index = if_nametoindex(zone)
            if index != 0 { return index }
            if let number = UInt32(zone), number != 0 { return number }
            throw SternaError(
                .connectionFailed, phase: .connect,
                "This machine has no network interface “\(zone)”, which the URL names after the address.")
        }
    }

    private func addresses(of target: Target, _ dial: Dial, _ timeouts: Timeouts) -> EventLoopFuture<[IPAddress]> {
        let loop = dial.shard.loop
        dial.phase = .resolve
        switch options.replacement(for: target.host, port: target.namedPort) {
        case .addresses(let addresses): return loop.makeSucceededFuture(addresses)
        case .name(let name): return lookUp(name, dial, timeouts)
        case nil:
            if let address = IPAddress(target.host) { return loop.makeSucceededFuture([address]) }
            return lookUp(target.host, dial, timeouts)
        }
    }

    private func lookUp(_ host: String, _ dial: Dial, _ timeouts: Timeouts) -> EventLoopFuture<[IPAddress]> {
        let loop = dial.shard.loop
        let (found, giveUp) = hosts.addresses(of: host, options.addressFamilies, on: loop)
        let promise = loop.makePromise(of: [IPAddress].self)
        let timer = options.clock.schedule(in: timeouts.amounts.resolve, on: loop) {
            promise.fail(
                SternaError(
                    .timedOut, phase: .resolve,
                    "The name service returned no address for \(host) within \(Exchange.seconds(timeouts.resolve))."
                ).advised(.raiseResolve))
            giveUp()
        }
        dial.whenCancelled { giveUp() }
        found.whenComplete { result in
            timer.cancel()
            promise.completeWith(result)
        }
        return promise.futureResult
    }

    // Removes the addresses that the policy refuses; throws if none remains.
    private func permitted(_ found: [IPAddress], _ target: Target, _ endpoint: Endpoint) throws -> [IPAddress] {
        let wanted = found.filter(options.addressFamilies.contains)
        guard !wanted.isEmpty else {
            throw SternaError(
                .hostNotFound, phase: .resolve,
                "The host “\(target.host)” has no address"
                    + (found.isEmpty
                        ? ": the name is misspelt, or the name service does not answer."
                        : " of the requested family (IPv4 or IPv6); allow both families.")
            ).advised(found.isEmpty ? .checkName : .inDetail)
        }
        if target.proxy != nil {
            try judgeTarget(endpoint)
            return wanted
        }
        var refusal: SternaError?
        let allowed = wanted.filter { address in
            guard let why = endpoint.dialPolicy.refusal(of: address, host: target.host, port: target.port) else {
                return true
            }
            refusal = refusal ?? why
            return false
        }
        if allowed.isEmpty, let refusal { throw refusal }
        return allowed
    }
}

extension Dialer {
    /// Applies the dial policy to an address that a proxy is asked to reach. Names, which the proxy resolves, are not checked.
    func judgeTarget(_ endpoint: Endpoint) throws(SternaError) {
        guard let address = IPAddress(endpoint.host),
            let refusal = endpoint.dialPolicy.refusal(of: address, host: endpoint.host, port: endpoint.origin.port)
        else { return }
        throw refusal
    }
}

extension EngineOptions {
    /// Sets the options of every TCP connection.
    func apply(to bootstrap: ClientBootstrap) -> ClientBootstrap {
        var bootstrap = bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: noDelay ? 1 : 0)
        if keepsAlive { bootstrap = bootstrap.channelOption(.socketOption(.so_keepalive), value: 1) }
        guard let sourceAddress,
            let source = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: sourceAddress.bytes), port: 0)
        else { return bootstrap }
        return bootstrap.bind(to: source)
    }
}

extension SocketAddress {
    /// Returns an IPv6 address with the number of the network interface to reach it through; 0 changes nothing.
    func through(_ interface: UInt32) -> SocketAddress {
        guard interface != 0, case .v6(let address) = self else { return self }
        var raw = address.address
        // The field's name belongs to a module that cannot be imported. In every system's sockaddr_in6 the number is the last four
        // of 28 bytes, after family, port, flow and address (RFC 3493, 3.3).
        withUnsafeMutableBytes(of: &raw) { $0.storeBytes(of: interface, toByteOffset: 24, as: UInt32.self) }
        return SocketAddress(raw)
    }

    /// The address and port in numeric form.
    var numericText: String? {
        guard let ipAddress, let port else { return pathname }
        return ipAddress.contains(":") ? "[\(ipAddress)]:\(port)" : "\(ipAddress):\(port)"
    }
}

extension TLSOptions.Version {
    /// The name of the version, such as `TLS 1.3`.
    var name: String {
        switch self {
        case .tls10: "TLS 1.0"
        case .tls11: "TLS 1.1"
        case .tls12: "TLS 1.2"
        case .tls13: "TLS 1.3"
        }
    }
}
