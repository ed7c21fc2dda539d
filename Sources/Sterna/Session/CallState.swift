import Dispatch
package import SternaCore

/// What the requests of one call carry: what its caller has chosen for this call alone, and what the session, its task and the
/// interceptors tell each other on the way.
///
/// Settings that a session has, too, are ``SternaCore/RequestOptions``. A request that is copied from another one of the call keeps the
/// state; one that user code has made itself gets it by ``SternaCore/Request/continues(_:)``. It is not copyable, so that reading a
/// field copies no others.
struct CallState: ~Copyable, Sendable {
    /// What the caller has chosen for the call.
    struct Choices: Sendable {
        // A nil in a double optional replaces the session's setting by none.

        /// How challenges are answered, as far as it was set.
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

        /// A limit besides the session's.
        var bandwidth: BandwidthLimit??

        /// The group that the call's task enters.
        var completionGroup: DispatchGroup??

        /// The name of the file that the body is saved to; nil for a body that is not saved.
        var savedName: SavedFileName?
    }

    /// What belongs to the call as a whole, with all its redirects and attempts.
    struct Course: Sendable {
        /// How the body is read; nil if the caller reads it, or collects what is delivered whole.
        var reading: BodyReading?

        /// The way to the closures that decide for the call's task, and to its events.
        var events: ChainEvents?

        /// The queue of the transfer that the call works for.
        var link: TransferLink?

        /// What the retries of the request and of the targets of its redirects have in common.
        var history: RetryHistory?

        /// The number of retries of the requests that redirected to this one.
        var formerRetries = 0

        /// Where the redirects of a request have led that is signed for AWS.
        var awsTrail: AWSTrail?

        /// The origin that a call with signed messages begins with.
        var messageOrigin: Origin?
    }

    /// Whose credentials the request has, and may get.
    struct Access: Sendable {
        /// The credentials for the origin of the call's first request, and of the URL that the request has by now.
        var credentials: CallCredentials?

        /// Whether a redirect led to another origin, so that credentials which the caller gave for the session or the request are not
        /// sent any more, even if a later redirect returns. Stored credentials are looked up for each request.
        var dropsCredentials = false

        /// The Authorization value that was made of the user information of the request's URL, which tells such a field from one that
        /// the caller has set.
        var userinfoField: String?

        /// Whether the Authorization field has the session's token, so that no other credential takes its place.
        var carriesToken = false

        /// The user and the password of a request that Digest authenticates, as parts of an identity.
        var digestIdentity: [UInt8]?
    }

    /// What belongs to one attempt.
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

    /// Forgets what belongs to a call, as its request begins another one. Credentials stay as they are, and stay dropped.
    mutating func beginAnew() { (course, attempt) = (Course(), Attempt()) }

    fileprivate static let none = CallState()
}

extension Optional {
    /// The value that was set; nil where none was, or nil was.
    func flattened<Value>() -> Value? where Wrapped == Value? {
        if case .some(let value) = self { value } else { nil }
    }

    /// Whether a nil was set in place of the session's setting.
    func isSetToNil<Value>() -> Bool where Wrapped == Value? {
        if case .some(.none) = self { true } else { false }
    }
}

/// The call state of a request, or of the settings of one.
// Invariant: it is changed only while one value alone refers to it, so that accesses never overlap.
final class CallStateBox: @unchecked Sendable {
    @exclusivity(unchecked) fileprivate final var state: CallState

    fileprivate init(_ state: consuming CallState) { self.state = state }
}

/// A value that carries a call state.
package protocol CallStateCarrier {
    /// A ``CallStateBox``; nil where nothing was set.
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

    // Invariant: states are made here alone, as boxes, and elsewhere only handed on from one carrier to another.
    private static func box(_ carried: any AnyObject & Sendable) -> CallStateBox {
        unsafeDowncast(carried, to: CallStateBox.self)
    }
}

extension Request: CallStateCarrier {
    /// Makes a request that user code returned a further one of the call of another: it gets the call and its state. One that was copied
    /// from the other has both.
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
