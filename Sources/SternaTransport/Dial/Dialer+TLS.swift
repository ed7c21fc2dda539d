import NIOCore
import NIOSSL
import SternaCore
import SternaSecurity

/// The peer of a TLS handshake, and the policy that applies.
struct TLSPeer: Sendable {
    let host: String
    let port: Int
    let serverName: String?
    let policy: SecurityPolicy

    /// The application protocols to offer (ALPN).
    let protocols: [String]

    init(origin endpoint: Endpoint) {
        host = endpoint.host
        port = endpoint.origin.port
        serverName = endpoint.serverName
        policy = endpoint.policy
        protocols = endpoint.applicationProtocols
    }

    init(proxy: Proxy, policy: SecurityPolicy, offering protocols: [String]) {
        host = proxy.host
        port = proxy.port
        let name = proxy.host.hasSuffix(".") ? String(proxy.host.dropLast()) : proxy.host
        serverName = IPAddress(proxy.host) == nil && !name.isEmpty ? name : nil
        self.policy = policy
        self.protocols = policy.tls.offersApplicationProtocols ? protocols : []
    }
}

/// The result of a TLS handshake.
struct Secured: Sendable {
    let version: TLSOptions.Version?

    /// The application protocol that the server chose.
    let `protocol`: String?

    /// The certificates that the server presented, in DER.
    let chain: [[UInt8]]
}

/// Performs TLS handshakes.
extension Dialer {
    /// Performs the TLS handshake on a channel.
    ///
    /// - Parameters:
    ///   - showsIdentity: whether a server that asks for a certificate receives the policy's identity.
    ///   - verify: evaluates the certificates that the server presented, in DER.
    func secure(
        _ channel: any Channel, _ peer: TLSPeer, within limit: StepLimit, showsIdentity: Bool = true,
        verify: @escaping @Sendable ([[UInt8]]) async -> TrustVerdict
    ) -> EventLoopFuture<Secured> {
        let policy = peer.policy
        guard showsIdentity, policy.challengeHandler != nil else {
            return shakeHands(channel, peer, showsIdentity ? policy.currentIdentity : nil, limit, verify)
        }
        let (host, port) = (peer.host, peer.port)
        let loop = channel.eventLoop
        let chosen = loop.makePromise(of: ClientIdentity?.self)
        let asking = Task { try await policy.decideIdentity(host: host, port: port) }
        chosen.completeWithTask { try await asking.value }
        // The challenge handler may never return, and the server may close the connection meanwhile; the first completion counts.
        let time = limit.left
        let timer = limit.schedule(on: loop) { chosen.fail(Handshake.timedOut(host, limit.whole)) }
        channel.closeFuture.whenComplete { _ in chosen.fail(TLSFault.handshake(nil, host: host)) }
        chosen.futureResult.whenComplete { _ in
            timer.cancel()
            asking.cancel()
        }
        return chosen.futureResult.flatMapErrorThrowing { error in
            channel.close(promise: nil)
            throw error
        }.flatMap { self.shakeHands(channel, peer, $0, limit.again(time), verify) }
    }

    private func shakeHands(
        _ channel: any Channel, _ peer: TLSPeer, _ identity: ClientIdentity?, _ limit: StepLimit,
        _ verify: @escaping @Sendable ([[UInt8]]) async -> TrustVerdict
    ) -> EventLoopFuture<Secured> {
        let handshake = Handshake(host: peer.host, limit: limit, promise: channel.eventLoop.makePromise())
        begin(handshake, on: channel, peer, identity, verify)
        return handshake.promise.futureResult.map {
            Secured(
                version: TLSOptions.Version(handshake.handler?.tlsVersion), protocol: handshake.applicationProtocol,
                chain: handshake.chain)
        }.flatMapError {
            error in
            channel.close().flatMapThrowing { throw error }.flatMapErrorThrowing { _ in throw error }
        }
    }

    private func begin(
        _ handshake: Handshake, on channel: any Channel, _ peer: TLSPeer, _ identity: ClientIdentity?,
        _ verify: @escaping @Sendable ([[UInt8]]) async -> TrustVerdict
    ) {
        let loop = channel.eventLoop
        guard channel.isActive else { return handshake.fail(nil) }
        do {
            let handler = try NIOSSLClientHandler(
                context: try contexts.context(peer.policy.tls, identity, protocols: peer.protocols),
                serverHostname: peer.serverName,
                customVerificationCallback: { certificates, promise in
                    handshake.judging = Task {
                        let chain = certificates.map { (try? $0.toDERBytes()) ?? [] }
                        let verdict = await verify(chain)
                        loop.execute {
                            handshake.judging = nil
                            handshake.chain = chain
                            handshake.rejection = verdict.failure
                            promise.succeed(verdict.isAccepted ? .certificateVerified : .failed)
                        }
                    }
                })
            handshake.handler = handler
            // The handler that waits is added before the one that starts the handshake.
            try channel.addBeforeConnection(handshake)
            try channel.pipeline.syncOperations.addHandler(handler, position: .before(handshake))
        } catch {
            handshake.fail(error)
        }
    }
}
