import NIOCore
import NIOPosix
import NIOSSL
public import SternaCore
public import SternaSecurity
import Synchronization

/// What a server shows in a TLS handshake, and what a policy makes of it.
public struct TrustInspection: Sendable {
    /// The certificates and the policy's verdict.
    public let evaluation: TrustEvaluation

    /// The version that was spoken; nil where the server ended the handshake.
    public let version: TLSOptions.Version?

    /// Why the handshake did not come to its end, though certificates were shown.
    public let failure: SternaError?
}

extension EngineTransport {
    /// Opens a connection to a URL's host for the sake of its certificates, and closes it; nothing is asked. The connection is
    /// made whether the certificates are trusted or not, and no identity is shown.
    ///
    /// Throws what opening a connection throws, and `invalidRequest` for a URL without TLS.
    public func inspect(_ url: HTTPURL, timeouts: Timeouts = Timeouts()) async throws -> TrustInspection {
        guard url.scheme.isSecure else {
            throw SternaError(
                .invalidRequest, phase: .prepare, "There is no certificate to see: the URL is not https.")
        }
        let endpoint = endpoint(for: url)
        let seen = Mutex<[[UInt8]]>([])
        let loop = engine.shards[0].loop
        let version: TLSOptions.Version?
        var failure: SternaError?
        do {
            version = try await loop.flatSubmit {
                self.handshake(on: loop, endpoint, timeouts) { chain in seen.withLock { $0 = chain } }
            }.get()
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
        on loop: any EventLoop, _ endpoint: Endpoint, _ timeouts: Timeouts,
        _ see: @escaping @Sendable ([[UInt8]]) -> Void
    ) -> EventLoopFuture<TLSOptions.Version?> {
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(timeouts.amounts.connect)
        return engine.dialer.connect(bootstrap, to: endpoint, timeout: timeouts.connect).flatMap { channel in
            self.engine.dialer.secure(channel, endpoint, timeout: timeouts.tls, showsIdentity: false) { chain in
                see(chain)
                return .overlooked
            }.flatMapThrowing {
                let handler = try channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
                let version = TLSOptions.Version(handler.tlsVersion)
                channel.close(promise: nil)
                return version
            }
        }
    }
}
