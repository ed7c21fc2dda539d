import Dispatch
package import SternaCore

/// The state that the requests of one call carry: the caller's choices for this call, and what the session, its task and the
/// interceptors pass to each other.
///
/// Settings that a session also has are in ``SternaCore/RequestOptions``. A copy of one of the call's requests keeps the state; a
/// request that user code creates gets it by ``SternaCore/Request/continues(_:)``. The type is not copyable, so that reading one
/// field does not copy the others.
struct CallState: ~Copyable, Sendable {
    /// The caller's choices for the call.
    struct Choices: Sendable {
        // In a double optional, an inner nil replaces the session's setting with none.

        /// The authentication policy, with the properties that were set; nil if none was.
        var authentication: AuthenticationPolicy?

        /// The credential as it was set; see ``Access/credentials``.
        var credential: Credential??
        var challengeHandler: ServerChallengeHandler??

        var ownChallengeHandler: ServerChallengeHandler? { challengeHandler.flattened() }

        /// Adapters and retriers.
        var retryHandlers = OwnRetryHandlers()

        /// Whether the session's token is used.
        var usesToken = true

        /// Whether the session's cookie jar is used; nil for the session's choice, which is yes.
        var handlesCookies: Bool?

        /// A bandwidth limit in addition to the session's; an inner nil removes the session's, too.
        var bandwidth: BandwidthLimit??

        /// The group that the call's task enters.
        var completionGroup: DispatchGroup??

        /// The name of the file that the body is saved to; nil for a body that is not saved.
        var savedName: SavedFileName?
    }

    /// State of the whole call, with all its redirects and attempts.
    struct Course: Sendable {
        /// How the chain reads the body; nil if the caller reads it, or collects a body that is delivered whole.
        var reading: BodyReading?

        /// Calls the closures that decide for the call's task, and posts the task's events.
        var events: ChainEvents?

        /// The link to the queue of the transfer that the call belongs to; nil for none.
        var link: TransferLink?

        /// The history that the retries of the request and of its redirects share.
        var history: RetryHistory?

        /// The number of retries of the requests that redirected to this one.
        var formerRetries = 0

        /// Where the redirects of a signed request have led.
        var signing: SigningTrail?
    }

    /// The credentials that the request has, and those that it may receive.
    struct Access: Sendable {
        /// The credentials for the origin of the call's first request, and those in the current URL.
        var credentials: CallCredentials?

        /// Whether a redirect led to another origin, so that credentials which the caller gave for the session or the request are
        /// not sent any more, even if a later redirect returns. Stored credentials are looked up for each request.
        var dropsCredentials = false

        /// The Authorization value that was built from the URL's user information; it distinguishes that field from one that the
        /// caller set.
        var userinfoField: String?

        /// Whether the Authorization field has the session's token, so that no other credential takes its place.
        var carriesToken = false

        /// The user name and password of a request with Digest authentication, as part of the request's identity.
        var digestIdentity: [UInt8]?
    }

    /// State of one attempt.
    struct Attempt: Sendable {
        var circuitReport: CircuitReport?
        var hedgeCopy: HedgeCopy?

        /// The alternative services of the request's origin, the preferred one first.
        var alternatives: [AlternativeService] = []
    }

    var choices = Choices()
    var course = Course()
    var access = Access()
    var attempt = Attempt()

    /// Returns a copy.
    borrowing func copied() -> CallState {
        CallState(choices: choices, course: course, access: access, attempt: attempt)
    }

    /// Resets the state of the call and of its attempt, because the request begins another call. Credentials stay, and dropped ones
    /// stay dropped.
    mutating func beginAnew() { (course, attempt) = (Course(), Attempt()) }

    fileprivate static let none = CallState()
}

extension Optional {
    /// The inner value; nil if none was set, or if nil was set.
    func flattened<Value>() -> Value? where Wrapped == Value? {
        if case .some(let value) = self { value } else { nil }
    }

    /// Whether a nil was set in place of the session's setting.
    func isSetToNil<Value>() -> Bool where Wrapped == Value? {
        if case .some(.none) = self { true } else { false }
    }
}

/// The call state of a request, or of the settings of one.
// Invariant: it is changed only while a single value refers to it, so that accesses never overlap.
final class CallStateBox: @unchecked Sendable {
    @exclusivity(unchecked) fileprivate final var state: CallState

    fileprivate init(_ state: consuming CallState) { self.state = state }
}

/// A value that carries a call state.
package protocol CallStateCarrier {
    /// A ``CallStateBox``; nil if nothing was set.
    var carried: (any AnyObject & Sendable)? { get set }

    var options: RequestOptions { get set }
}

extension CallStateCarrier {
    /// The call state.
    var state: CallState {
        _read {
            if let carried { yield Self.box(carried).state } else { yield CallState.none }
        }
        _modify {
            let isOwn = isKnownUniquelyReferenced(&carried)
            let box = isOwn ? carried.map { Self.box($0) } : nil
            let own = box ?? CallStateBox(state.copied())
            if !isOwn { carried = own }
            yield &own.state
        }
    }

    // Invariant: only this extension creates the objects, always as boxes; other code only copies the reference from one carrier to
    // another.
    private static func box(_ carried: any AnyObject & Sendable) -> CallStateBox {
        unsafeDowncast(carried, to: CallStateBox.self)
    }
}

extension Request: CallStateCarrier {
    /// Adds a request that user code returned to the call of another request, with that request's state. A copy of the other
    /// request has both already.
    mutating func continues(_ former: Request) {
        if let call = former.call { join(call) }
        carried = former.carried
    }
}

extension RequestSettings: CallStateCarrier {}

extension Request {
    /// Whether the request has neither options nor a state, as most requests of a session with default settings.
    var isBare: Bool { options.isEmpty && carried == nil }
}
