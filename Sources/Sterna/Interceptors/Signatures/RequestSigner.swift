package import SternaCore
import Synchronization

/// When a signer signs: below everything else that changes a request, the earlier stage first.
package enum SigningStage: Int, CaseIterable, Sendable {
    /// The scheme of a service, such as AWS's.
    case service
    /// A signature of the message (RFC 9421), which may cover the service's.
    case message
}

/// Signs the requests of a session, or a single request; the module SternaSigning has those of the library.
///
/// The chain decides which calls a signer may sign, and calls it for each attempt.
package protocol RequestSigner: Sendable {
    /// The name of its setting in errors and mirrors, such as `auth.awsSigning`.
    static var setting: String { get }

    /// Its stage; a request has at most one signer of each.
    static var stage: SigningStage { get }

    /// Returns whether a request to a URL is signed, after the redirects of its call.
    ///
    /// - Parameters:
    ///   - trail: where the redirects have led; it belongs to the call's signers of all stages.
    ///   - dropsCredentials: whether a redirect led to another origin, and the redirect policy does not keep credentials.
    func signs(_ url: HTTPURL, _ trail: SigningTrail, dropsCredentials: Bool) -> Bool

    /// Sends a request with its signature.
    ///
    /// - Parameters:
    ///   - offsets: the differences of clocks that the session has noticed.
    ///   - time: the clock for waits.
    nonisolated(nonsending) func send(
        _ request: Request, _ offsets: ClockOffsets, on time: LoopClock, next: Chain
    ) async throws -> Response

    /// Returns the texts, some of them secret, that tell the signer's user from others in caches.
    nonisolated(nonsending) func identity() async throws -> [String]
}

/// Where redirects have led a signed request.
package final class SigningTrail: Sendable {
    /// The origin of the call's first request.
    package let origin: Origin

    /// Whether the session's signers sign for that origin.
    let isSessions: Bool
    private let foreign = Atomic<Bool>(false)

    init(from origin: Origin, isSessions: Bool) { (self.origin, self.isSessions) = (origin, isSessions) }

    /// Whether a redirect has led to an untrusted host, which could have chosen the redirects after it.
    package var hasLeft: Bool { foreign.load(ordering: .relaxed) }

    package func leave() { foreign.store(true, ordering: .relaxed) }
}

/// The differences between this machine's clock and those of servers.
package final class ClockOffsets: Sendable {
    // A structure, since the runtime would have to look up a bare dictionary's type to destroy it.
    private struct State {
        var offsets: [Origin: Int64] = [:]
    }

    private let state = Mutex(State())

    /// The maximum number of origins; beyond it, all are forgotten.
    private static let limit = 1_000

    /// Returns the seconds to add for an origin.
    package func offset(for origin: Origin) -> Int64 { state.withLock { $0.offsets[origin] ?? 0 } }

    package func set(_ offset: Int64, for origin: Origin) {
        state.withLock { state in
            if state.offsets.count >= Self.limit, state.offsets[origin] == nil { state.offsets.removeAll() }
            state.offsets[origin] = offset
        }
    }
}
