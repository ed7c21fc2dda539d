import SternaCore
import SternaTransport

/// Decides how a 401 is answered, without I/O.
enum AuthenticationRule {
    enum Limits {
        /// The maximum number of times that a request is sent again with credentials.
        static let answers = 8

        /// The maximum number of times that a request is sent again because only its nonce was stale.
        static let renewals = 2
    }

    /// A query to a credential source.
    struct Question: Sendable, Hashable {
        let source: CredentialSource
        /// The protection space that the credential is for.
        let space: ProtectionSpace
    }

    /// A credential that was sent with this request.
    struct Sent: Sendable, Hashable {
        let space: ProtectionSpace
        let credential: Credential
        let source: CredentialSource
        /// The nonce of Digest; nil for other schemes.
        var nonce: String?
        /// Whether it was sent before this request was challenged.
        var isPreemptive = false

        /// Whether another attempt with the same credential could not satisfy a challenge.
        ///
        /// A preemptive Digest response may have had a stale nonce, even if the server does not say so, and the server may
        /// meanwhile require another scheme: the credential then answers the challenge once.
        func settles(_ candidate: ChallengeCandidate) -> Bool {
            guard candidate.space == space, candidate.scheme.fits(credential) else { return false }
            return !isPreemptive || nonce == nil && candidate.scheme.sendsSecret
        }
    }

    /// The input of a decision on a 401.
    struct Situation: Sendable {
        let origin: Origin
        var challenges: [AuthenticationChallenge]
        var policy = AuthenticationPolicy.standard
        /// Whether the request's body can be sent again.
        var isReplayable = true
        /// Whether others can read the request on its way: it crosses the network without TLS.
        var isExposed = false
        /// The credentials sent so far, in order; this 401 refers to the last, if ``carriedLast`` is true.
        var sent: [Sent] = []
        /// Whether the challenged request carried the last of ``sent``.
        var carriedLast = false
        /// The Authorization field that the request had before it was challenged. A credential in it is not tried again, also after
        /// another one was refused.
        var field: String?
        /// Credentials that the server refused in earlier requests of the session.
        var refusedBefore: Set<Refusal> = []
        /// The sources that are set.
        var sources: [CredentialSource] = []
        /// The results of queries so far; nil means that the source has no credential.
        var answers: [Question: Credential?] = [:]
        /// How often the request was sent again because of a stale nonce.
        var renewals = 0
    }

    /// A credential that a protection space has refused.
    struct Refusal: Sendable, Hashable {
        let space: ProtectionSpace
        let credential: Credential
    }

    enum Decision: Sendable {
        /// Send the request again.
        case answer(ChallengeCandidate, Credential, CredentialSource, isRenewal: Bool)
        /// Query a source, and decide again.
        case ask(Question, ChallengeCandidate)
        /// Return the 401 to the caller, with a note that explains it.
        case deliver(String?)
        case fail(SternaError)
    }

    /// Returns whether the challenges refuse the last credential: they name its realm again, and not because its nonce was stale.
    static func refusesLast(_ situation: Situation) -> Bool {
        guard situation.carriedLast, let last = situation.sent.last else { return false }
        return renewal(situation) == nil && candidates(situation).contains { last.settles($0) }
    }

    /// Returns whether a status shows that the server has accepted the credentials: it performed the request, or refused it for its
    /// content.
    ///
    /// Other errors may precede the check of credentials: of a proxy (407), of limits (408, 413, 425, 429, 431), or of a failing
    /// server or gateway (5xx).
    static func showsAcceptance(_ status: Int) -> Bool {
        switch status {
        case ..<400, 402, 403, 404, 405, 406, 409, 410, 412, 415, 416, 422, 423, 424: true
        default: false
        }
    }

    static func decide(_ situation: Situation) -> Decision {
        let candidates = candidates(situation)
        guard !candidates.isEmpty else { return unanswerable(situation) }
        guard situation.isReplayable else { return .deliver(Notes.notReplayable) }
        guard situation.sent.count(where: { !$0.isPreemptive }) < Limits.answers else { return .deliver(Notes.endless) }
        if let (candidate, last) = renewal(situation) {
            guard situation.renewals < Limits.renewals else { return .deliver(Notes.endless) }
            return .answer(candidate, last.credential, last.source, isRenewal: true)
        }
        var isExposed = false
        for source in situation.sources.sorted() {
            for candidate in candidates {
                guard mayUse(candidate, source, situation) else {
                    isExposed = true
                    continue
                }
                let question = Question(source: source, space: candidate.space)
                guard let answer = situation.answers[question] else { return .ask(question, candidate) }
                guard let credential = answer, candidate.scheme.fits(credential),
                    isFresh(credential, candidate, source, situation)
                else { continue }
                return .answer(candidate, credential, source, isRenewal: false)
            }
        }
        return .deliver(note(situation, isExposed: isExposed))
    }

    /// Returns whether a scheme may be used with the credentials of a source: passwords that were not set for the request or the
    /// session must not cross the network unprotected.
    static func mayUse(_ candidate: ChallengeCandidate, _ source: CredentialSource, _ situation: Situation) -> Bool {
        !candidate.scheme.sendsSecret || !situation.isExposed || source.isExplicit
            || situation.policy.allowsInsecurePasswords
    }

    private static func candidates(_ situation: Situation) -> [ChallengeCandidate] {
        ChallengeCandidate.candidates(
            situation.challenges, at: situation.origin, policy: situation.policy, canHashBody: situation.isReplayable)
    }

    /// Returns whether a credential may be tried: it is tried once for each realm, whatever the scheme.
    private static func isFresh(
        _ credential: Credential, _ candidate: ChallengeCandidate, _ source: CredentialSource, _ situation: Situation
    ) -> Bool {
        guard !situation.sent.contains(where: { $0.credential == credential && $0.settles(candidate) }) else {
            return false
        }
        if source.isOfSession,
            situation.refusedBefore.contains(Refusal(space: candidate.space, credential: credential))
        {
            return false
        }
        // The caller's own Authorization field had the same credential.
        guard let field = situation.field, candidate.scheme.sendsSecret else { return true }
        return !Self.field(credential).fieldValue.utf8.elementsEqual(field.utf8)
    }

    /// Returns the Authorization field of a credential by Basic or Bearer.
    static func field(_ credential: Credential) -> Authorization {
        credential.user.map { .basic($0, credential.secret) } ?? .bearer(credential.secret)
    }

    /// Returns the challenge and the credential to answer it with again, if only the nonce was stale.
    private static func renewal(_ situation: Situation) -> (ChallengeCandidate, Sent)? {
        guard situation.carriedLast, let last = situation.sent.last, let nonce = last.nonce else { return nil }
        for candidate in candidates(situation) where candidate.space == last.space {
            guard case .digest(let digest) = candidate.scheme, digest.isStale, digest.nonce != nonce else { continue }
            return (candidate, last)
        }
        return nil
    }

    private static func unanswerable(_ situation: Situation) -> Decision {
        let challenges = situation.challenges
        let isOfConnections = challenges.allSatisfy { $0.hasScheme("NTLM") || $0.hasScheme("Negotiate") }
        guard !challenges.isEmpty, isOfConnections else {
            let isHashed = situation.isReplayable || challenges.allSatisfy { DigestChallenge($0) == nil }
            return .deliver(isHashed ? unanswered(situation) : Notes.notReplayable)
        }
        let names = challenges.map { $0.hasScheme("NTLM") ? "NTLM" : "Negotiate" }
        let list = names.contains("NTLM") ? names.contains("Negotiate") ? "Negotiate and NTLM" : "NTLM" : "Negotiate"
        return .fail(
            SternaError(
                .authenticationFailed, phase: .wait,
                "The server authenticates by \(list) alone, which is not supported; ask for Digest, Basic or Bearer."))
    }

    /// Returns a note if no challenge can be answered although credentials are set; nil without credentials, schemes or challenges.
    private static func unanswered(_ situation: Situation) -> String? {
        guard !situation.sources.isEmpty, !situation.policy.schemes.isEmpty, !situation.challenges.isEmpty else {
            return nil
        }
        var names: [String] = []
        for name in situation.challenges.prefix(4).map(DigestChallenge.shownScheme) where !names.contains(name) {
            names.append(name)
        }
        let list = FieldSyntax.printable(names.joined(separator: ", "), limit: 200)
        return
            "No credentials were sent: nothing that the server offers (\(list)) is supported and allowed by "
            + "auth.policy.schemes."
    }

    // MARK: Notes

    enum Notes {
        static let notReplayable =
            "The server asks for credentials, but the body can be read only once, so it was not sent again; send bytes or a file."
        static let endless = "The server asked for credentials again and again; the request was given up."
        static let exposed =
            "No password was sent, since http would show it to others on the way; use https, or allow it by "
            + "auth.policy.allowsInsecurePasswords."
        static let refused = "The server refused the credentials"
    }

    private static func note(_ situation: Situation, isExposed: Bool) -> String? {
        let errors = situation.challenges.compactMap(\.bearerError)
        let isRefused =
            situation.field != nil || !situation.sent.isEmpty
            || situation.answers.contains { question, credential in
                credential.map {
                    situation.refusedBefore.contains(Refusal(space: question.space, credential: $0))
                } ?? false
            }
        if isRefused { return "\(Notes.refused)\(errors.first.map { ": \($0)" } ?? "")." }
        return isExposed && situation.sources.contains(where: { !$0.isExplicit }) ? Notes.exposed : nil
    }
}
