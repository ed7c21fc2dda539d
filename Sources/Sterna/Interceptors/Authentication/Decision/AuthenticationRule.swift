import SternaCore
import SternaTransport

/// Decides how a 401 is answered: a function of values, without I/O.
enum AuthenticationRule {
    enum Limits {
        /// How often one request is sent again with other credentials.
        static let answers = 8

        /// How often one credential is sent again because only its nonce was out of date.
        static let renewals = 2
    }

    /// What a source has to be asked.
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

        /// Whether it says all that the credential could answer to a challenge.
        ///
        /// What was sent without a challenge may have had a nonce that is out of date, without the server saying so, or may not be what
        /// the server takes by now: an answer to its own challenge follows.
        func settles(_ candidate: ChallengeCandidate) -> Bool {
            guard candidate.space == space, candidate.scheme.fits(credential) else { return false }
            return !isPreemptive || nonce == nil && candidate.scheme.sendsSecret
        }
    }

    /// What is known when a 401 arrives.
    struct Situation: Sendable {
        let origin: Origin
        var challenges: [AuthenticationChallenge]
        var policy = AuthenticationPolicy.standard
        /// Whether the request's body can be sent again.
        var isReplayable = true
        /// Whether the origin is reached over http, and is another machine.
        var isExposed = false
        /// What was sent so far, in order; the last is what this 401 answers, if ``carriedLast`` is true.
        var sent: [Sent] = []
        /// Whether the answered request carried the last of ``sent``.
        var carriedLast = false
        /// The Authorization field of the answered request.
        var field: String?
        /// Credentials that the server refused to earlier requests of the session.
        var refusedBefore: Set<Refusal> = []
        /// The sources that exist.
        var sources: [CredentialSource] = []
        /// The answers of sources so far; nil values are answers, too.
        var answers: [Question: Credential?] = [:]
        /// How often the same credential was renewed.
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
        /// Ask a source, and decide again.
        case ask(Question, ChallengeCandidate)
        /// The caller receives the 401, with a note that says why.
        case deliver(String?)
        case fail(SternaError)
    }

    /// Whether the last credential that was sent is refused by the challenges: its own realm is asked for again, and not because its
    /// nonce was out of date.
    static func refusesLast(_ situation: Situation) -> Bool {
        guard situation.carriedLast, let last = situation.sent.last else { return false }
        return renewal(situation) == nil && candidates(situation).contains { last.settles($0) }
    }

    /// Whether a status shows that the server has accepted the credentials: it acted on the request, or refused it for what it asks.
    ///
    /// Other errors may come before the credentials are looked at: from a proxy (407), from limits (408, 413, 425, 429, 431), or from a
    /// server or gateway that fails (5xx).
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

    /// Whether a scheme may be used with the credentials of a source: passwords that were not chosen for the request or the session do
    /// not cross the network as they are.
    static func mayUse(_ candidate: ChallengeCandidate, _ source: CredentialSource, _ situation: Situation) -> Bool {
        !candidate.scheme.sendsSecret || !situation.isExposed || source.isExplicit
            || situation.policy.allowsInsecurePasswords
    }

    private static func candidates(_ situation: Situation) -> [ChallengeCandidate] {
        ChallengeCandidate.candidates(
            situation.challenges, at: situation.origin, policy: situation.policy, canHashBody: situation.isReplayable)
    }

    /// Whether a credential was not yet refused: it is tried once for each realm, whatever the scheme.
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
        // What the caller's own field had.
        guard let field = situation.field, candidate.scheme.sendsSecret else { return true }
        return !Self.field(credential).fieldValue.utf8.elementsEqual(field.utf8)
    }

    /// Returns the Authorization field of a credential by Basic or Bearer.
    static func field(_ credential: Credential) -> Authorization {
        credential.user.map { .basic($0, credential.secret) } ?? .bearer(credential.secret)
    }

    /// The challenge and the credential to answer it with again, if only a nonce was out of date.
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

    /// Returns a note for credentials that none of the challenges fits; nil if there are none, or the caller wants each 401.
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
            + "authentication.schemes."
    }

    // MARK: Notes

    enum Notes {
        static let notReplayable =
            "The server asks for credentials, but the body can be read only once, so it was not sent again; send bytes or a file."
        static let endless = "The server asked for credentials again and again; the request was given up."
        static let exposed =
            "No password was sent, since http would show it to others on the way; use https, or allow it by "
            + "authentication.allowsInsecurePasswords."
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
