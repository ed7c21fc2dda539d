import NIOCore
import SternaCore
import SternaSecurity
import SternaTransport
import Synchronization

/// The protection spaces that a session has learnt from its requests. Derived sessions share it if their settings for
/// authentication and trust are the same.
final class AuthenticationMemory: Sendable {
    let spaces = Mutex(KnownSpaces())
    let handlerQueue = ChallengeHandlerQueue()
    private let netrc = Mutex<Netrc?>(nil)

    /// The settings that it belongs to.
    let owner: AuthenticationOwner

    init(_ owner: AuthenticationOwner) { self.owner = owner }

    /// Forgets the credentials that are sent to some origins without a challenge.
    func forget(where matches: (Origin) -> Bool) { spaces.withLock { $0.forget(where: matches) } }

    /// Returns the content of `.netrc`, which is read once. After an error, the next request that needs it reads it again.
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

/// The settings that decide whether two sessions may share known credentials.
struct AuthenticationOwner: Sendable, Equatable {
    let settings: AuthenticationSettings.Identity
    /// Changes with each assignment of the session's `decisions`.
    let decisions: UInt64
    /// Credentials sent under one trust policy must not be sent under a weaker one.
    let securityPolicy: SecurityPolicy
    let hostPolicies: HostPolicies
    let engine: ObjectIdentifier
    let transport: TransportIdentity
    let unixSocket: String?

    init(_ all: SessionSettings) {
        settings = all.auth.challenges.identity
        decisions = all.tasks.decisionsNumber
        securityPolicy = all.trust.policy
        hostPolicies = all.trust.hosts
        engine = ObjectIdentifier(all.network.engine)
        unixSocket = all.network.unixSocket
        transport = TransportIdentity(all.network.transport)
    }
}

/// Compares transports by identity; a transport that is not an object equals no other.
struct TransportIdentity: Sendable, Equatable {
    // Retained, so that no other object gets the same identity.
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
    /// Returns the memory of the settings; makes a new one if the settings have changed since theirs was made.
    mutating func resolveMemory() -> AuthenticationMemory {
        let owner = AuthenticationOwner(self)
        if let known = auth.challenges.memory, known.owner == owner { return known }
        let memory = AuthenticationMemory(owner)
        auth.challenges.memory = memory
        return memory
    }
}
