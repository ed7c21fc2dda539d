import HTTPTypes
import NIOCore
public import SternaCore
public import SternaSecurity
import Synchronization

/// The certificates that a server presents in a TLS handshake, and a policy's verdict on them.
public struct TrustInspection: Sendable {
    /// The certificates and the policy's verdict.
    public let evaluation: TrustEvaluation

    /// The TLS version in use; nil if the server ended the handshake.
    public let version: TLSOptions.Version?

    /// The error of a handshake that failed after the server had presented certificates.
    public let failure: SternaError?
}

extension EngineTransport {
    /// Connects to a URL's host to read its certificates, and closes the connection without a request. It connects whether the
    /// certificates are trusted or not, and shows no identity.
    ///
    /// Throws the errors of opening a connection, and `invalidRequest` for a URL without TLS.
    package func inspect(_ url: HTTPURL, timeouts: Timeouts = Timeouts()) async throws -> TrustInspection {
        guard url.scheme.isSecure else {
            throw SternaError(
                .invalidRequest, phase: .prepare, "There is no certificate to inspect: the URL is not https.")
        }
        let endpoint = try endpoint(for: url)
        let seen = Mutex<[[UInt8]]>([])
        let shard = engine.shards[0]
        let version: TLSOptions.Version?
        var failure: SternaError?
        do {
            let dial = Dial(to: endpoint, on: shard, timeouts: timeouts)
            // A proxy's authenticator has no limit of its own.
            let timer = shard.clock.schedule(in: timeouts.amounts.total, on: shard.loop) { dial.cancel() }
            defer { timer.cancel() }
            version = try await withTaskCancellationHandler {
                try await shard.loop.flatSubmit {
                    self.handshake(dial) { chain in
                        seen.withLock { $0 = chain }
                    }
                }.get()
            } onCancel: {
                dial.cancelSoon()
            }
        } catch {
            version = nil
            failure = SternaError.wrap(error, as: .tlsFailed, phase: .tls, "The TLS handshake failed.")
        }
        let presented = seen.withLock { $0 }
        if presented.isEmpty, let failure { throw failure }
        let evaluation = await endpoint.policy.evaluate(chain: presented, host: endpoint.host)
        return TrustInspection(evaluation: evaluation, version: version, failure: failure)
    }

    private func handshake(
        _ dial: Dial, _ see: @escaping @Sendable ([[UInt8]]) -> Void
    ) -> EventLoopFuture<TLSOptions.Version?> {
        let dialer = engine.dialer
        let timeouts = dial.timeouts
        return dialer.reach(dial) { _ in }.flatMap { channel in
            dialer.secure(
                channel, TLSPeer(origin: dial.endpoint), within: StepLimit(timeouts.tls, by: dial.shard.clock),
                showsIdentity: false
            ) {
                see($0)
                return .overlooked
            }.map { secured in
                channel.close(promise: nil)
                return secured.version
            }
        }
    }
}
