import NIOCore
import SternaCore
import SternaSecurity
import SternaTransport
import Synchronization

/// What a session knows about protection spaces across its requests. Sessions that were derived from each other share it while their
/// settings for authentication and trust are the same.
final class AuthenticationMemory: Sendable {
    let spaces = Mutex(KnownSpaces())
    let handlerQueue = ChallengeHandlerQueue()
    private let netrc = Mutex<Netrc?>(nil)

    /// The settings that it belongs to.
    let owner: AuthenticationOwner

    init(_ owner: AuthenticationOwner) { self.owner = owner }

    /// Forgets the credentials that are sent to some origins without a challenge.
    func forget(where matches: (Origin) -> Bool) { spaces.withLock { $0.forget(where: matches) } }

    /// Returns the content of `.netrc`, which is read once. A file that could not be read is read again by the next request that needs
    /// it.
    nonisolated(nonsending) func content(of file: NetrcFile) async throws -> Netrc {
        if let known = netrc.withLock({ $0 }) { return known }
        let read: Result<Netrc, SternaError> = try await BlockingWork.run {
            do throws(SternaError) { return .success(try file.load()) } catch { return .failure(error) }
        }
        let content = try read.get()
        netrc.withLock { $0 = content }
        return content
    }
}

/// The settings of a session that decide whether it may share known credentials with another one.
struct AuthenticationOwner: Sendable, Equatable {
    let settings: AuthenticationSettings.Identity
    /// The number of the last change of the session's decisions.
    let decisions: UInt64
    /// The policies of trust: what was sent to a trusted server is not sent to any.
    let securityPolicy: SecurityPolicy
    let hostPolicies: HostPolicies
    let engine: ObjectIdentifier
    let transport: TransportIdentity
    let unixSocket: String?

    init(_ all: SessionSettings) {
        settings = all.authenticationSettings.identity
        decisions = all.authenticationSettings.decisions
        securityPolicy = all.securityPolicy
        hostPolicies = all.hostPolicies
        engine = ObjectIdentifier(all.engine)
        unixSocket = all.unixSocket
        transport = TransportIdentity(all.transport)
    }
}

/// Compares transports: one that is no object is equal to none.
struct TransportIdentity: Sendable, Equatable {
    // Kept, so that no other object gets its identity.
    private let transport: (any Transport)?

    init(_ transport: (any Transport)?) { self.transport = transport }

    static func == (left: TransportIdentity, right: TransportIdentity) -> Bool {
        guard let one = left.transport, let other = right.transport else {
            return left.transport == nil && right.transport == nil
        }
        return type(of: one) is AnyClass && type(of: other) is AnyClass && (one as AnyObject) === (other as AnyObject)
    }
}

extension SessionSettings {
    /// Gives the settings a memory of their own, unless they belong to the one that they have.
    mutating func resolveMemory() -> AuthenticationMemory {
        let owner = AuthenticationOwner(self)
        if let known = authenticationSettings.memory, known.owner == owner { return known }
        let memory = AuthenticationMemory(owner)
        authenticationSettings.memory = memory
        return memory
    }
}
