import NIOCore
import NIOHTTP2
import SternaCore
import SternaSecurity
import Synchronization

/// Connections that may serve other origins than the one they were opened for (RFC 9113, 9.1.1). Such a connection goes to an
/// address of the other origin, under the same policy, and its certificates are valid for the other name.
final class SharedConnections: Sendable {
    private struct Key: Hashable {
        let policy: SecurityPolicy
        let address: IPAddress
        let port: Int
    }

    private struct Entry {
        weak var connection: HTTP2Connection?
        let chain: [[UInt8]]
    }

    private let entries = Mutex<[Key: Entry]>([:])

    /// Registers a connection that was opened.
    ///
    /// - Parameters:
    ///   - port: the port that it was connected to.
    ///   - chain: the certificates that the server presented, in DER.
    func add(_ connection: HTTP2Connection, at address: IPAddress, port: Int, chain: [[UInt8]]) {
        let endpoint = connection.endpoint
        guard endpoint.maySharePolicy, !chain.isEmpty else { return }
        let key = Key(policy: endpoint.policy, address: address, port: port)
        entries.withLock { entries in
            entries = entries.filter { $0.value.connection != nil }
            if entries.count < 1_024 { entries[key] = Entry(connection: connection, chain: chain) }
        }
    }

    /// Returns a connection to one of an endpoint's addresses, at the port that it is connected to, and the certificates that its
    /// server presented.
    func candidate(
        for endpoint: Endpoint, at addresses: [IPAddress], port: Int
    ) -> (connection: HTTP2Connection, chain: [[UInt8]])? {
        guard endpoint.maySharePolicy else { return nil }
        return entries.withLock { entries in
            for address in addresses {
                let key = Key(policy: endpoint.policy, address: address, port: port)
                if let entry = entries[key], let connection = entry.connection { return (connection, entry.chain) }
            }
            return nil
        }
    }
}

/// The error that ends a dial because another origin's connection also serves the endpoint.
struct SharedConnectionFound: Error {
    let connection: HTTP2Connection
}

extension Endpoint {
    /// Whether connections may be shared with other origins: TLS without a proxy, under a policy that shows no identity, has no
    /// closures and no server name of its own, and checks the name in the certificate.
    var maySharePolicy: Bool {
        isTLS && route == .direct && !policy.hasIdentity && !policy.hasClosures && policy.tls.serverName == nil
            && policy.validatesDomainName && !policy.allowsInvalidCertificates
    }
}

extension Dialer {
    /// Returns the port that direct connections of an endpoint go to.
    func dialledPort(of endpoint: Endpoint) -> Int {
        options.dialledPort(for: endpoint.host, port: endpoint.origin.port)
    }

    /// Fails with `SharedConnectionFound` if a connection of another origin also serves this one; otherwise returns the addresses.
    func shared(_ dial: Dial, _ addresses: [IPAddress]) -> EventLoopFuture<[IPAddress]> {
        let endpoint = dial.endpoint
        let loop = dial.shard.loop
        guard options.http2.coalescesOrigins, endpoint.offersHTTP2, dial.mayShare,
            !endpoint.refusesSharing.load(ordering: .relaxed),
            // The same address on another interface is another machine.
            endpoint.origin.zone == nil,
            let (connection, chain) = sharedConnections.candidate(
                for: endpoint, at: addresses, port: dialledPort(of: endpoint)),
            connection.endpoint !== endpoint
        else { return loop.makeSucceededFuture(addresses) }
        let promise = loop.makePromise(of: [IPAddress].self)
        let (policy, host, port) = (endpoint.policy, endpoint.host, endpoint.origin.port)
        Task {
            // A certificate that is accepted although it is not valid proves nothing about other names.
            if case .trusted = await policy.decide(chain: chain, host: host, port: port) {
                promise.fail(SharedConnectionFound(connection: connection))
            } else {
                promise.succeed(addresses)
            }
        }
        return promise.futureResult
    }
}

extension HTTP2Connection {
    /// Serves another origin from now on. Returns whether it can.
    func serve(_ endpoint: Endpoint) -> Bool {
        shard.loop.assertInEventLoop()
        guard freeStreams > 0, !shard.isShutDown else { return false }
        if endpoint.isForSwitching, peer.isKnown, !peer.takesExtendedConnect {
            endpoint.requiresHTTP1.store(true, ordering: .relaxed)
            return false
        }
        if endpoints.count >= Self.maximumEndpoints, let oldest = endpoints.dropFirst().first { leave(oldest) }
        if !serves(endpoint) {
            endpoints.append(endpoint)
            endpoint.pools[shard.index].streams.append(self)
            shard.list(endpoint.pools[shard.index])
        }
        endpoint.speaksHTTP2(on: shard.index)
        return true
    }

    /// Whether the connection serves an endpoint.
    func serves(_ endpoint: Endpoint) -> Bool { endpoints.contains { $0 === endpoint } }

    /// Stops serving another origin.
    func leave(_ endpoint: Endpoint) {
        shard.loop.assertInEventLoop()
        endpoints.removeAll { $0 === endpoint }
        endpoint.pools[shard.index].streams.removeAll { $0 === self }
        shard.holdChanged(endpoint)
        // Waiting requests get a connection elsewhere.
        endpoint.arrange()
    }

    /// The most origins that a connection serves at a time.
    private static let maximumEndpoints = 32

    /// Stops sharing with an origin that the server does not serve here (421); the origin gets a connection of its own. Returns
    /// whether the request is sent again.
    func misdirected(_ stream: HTTP2Stream, _ head: HTTP2ResponseFields, isEnd: Bool) -> Bool {
        let endpoint = stream.endpoint
        guard endpoint !== self.endpoint, let exchange = stream.exchange else { return false }
        endpoint.refusesSharing.store(true, ordering: .relaxed)
        leave(endpoint)
        guard exchange.mayReplay else { return false }
        if isEnd { stream.responseHalf.end() }
        if exchange.recorder != nil { stream.noteHead(421, .http2, head.section, exchange) }
        stream.detach()
        ended(stream, reset: isEnd && stream.hasSentEnd ? nil : .cancel)
        exchange.fruitlessMoves += 1
        shard.resubmit(exchange, because: .misdirected)
        return true
    }
}
