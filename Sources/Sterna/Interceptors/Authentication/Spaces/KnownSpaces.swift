import NIOCore
import SternaCore
import SternaTransport

/// The protection spaces for which a session has credentials, and the credentials that they have refused.
struct KnownSpaces: Sendable {
    enum Limits {
        /// The maximum number of origins; beyond it, the least recently used one is removed.
        static let origins = 256

        /// The maximum number of entries for one origin; beyond it, the oldest one is removed.
        static let spaces = 8

        /// The maximum number of remembered refusals.
        static let refusals = 256

        /// How long a refused credential of the session is not sent again.
        static let refusalTime = TimeAmount.minutes(5)
    }

    /// A credential in use for a space.
    struct Entry: Sendable {
        let space: ProtectionSpace
        let credential: Credential
        let source: CredentialSource
        let scheme: AuthenticationScheme

        /// Whether all requests of the session may use it, or only requests whose own credential is the same.
        let isShared: Bool

        /// The covered paths; empty before the server has accepted the credential.
        var paths: [String] = []

        /// The nonce and its count; nil for schemes other than Digest.
        var digest: DigestState?

        func isSame(_ other: Entry) -> Bool {
            space == other.space && scheme == other.scheme && credential == other.credential
                && isShared == other.isShared
        }
    }

    private struct OriginEntries: Sendable {
        var entries: [Entry] = []
        var lastUse: UInt64 = 0
    }

    private var origins: [Origin: OriginEntries] = [:]
    private var uses: UInt64 = 0
    private var refusals: [AuthenticationRule.Refusal: NIODeadline] = [:]

    /// The number of spaces.
    var count: Int { origins.values.reduce(0) { $0 + $1.entries.count } }

    /// Forgets the spaces of some origins.
    mutating func forget(where matches: (Origin) -> Bool) { origins = origins.filter { !matches($0.key) } }

    // MARK: Credentials in use

    /// Whether any credential is known for a URL's origin.
    func knows(_ url: HTTPURL) -> Bool { !origins.isEmpty && origins[url.origin] != nil }

    /// Returns the usable entry with the longest path that covers a URL, whose credential is sent without a challenge; nil without
    /// one.
    mutating func entry(for url: HTTPURL, where isUsable: (Entry) -> Bool) -> Entry? {
        guard !origins.isEmpty else { return nil }
        let origin = url.origin
        guard let known = origins[origin] else { return nil }
        let path = url.path
        var best: (length: Int, entry: Entry)?
        for entry in known.entries {
            guard let length = CoveredPaths.match(path, in: entry.paths), length > best?.length ?? -1, isUsable(entry)
            else { continue }
            best = (length, entry)
        }
        if best != nil { touch(origin) }
        return best?.entry
    }

    /// Returns the accepted credential that a handler has supplied to another request for a space; nil without one.
    func givenCredential(for space: ProtectionSpace) -> Credential? {
        origins[space.origin]?.entries.first {
            $0.space == space && $0.source == .handler && $0.isShared && !$0.paths.isEmpty
        }?.credential
    }

    /// Returns the accepted credential of an earlier request that is remembered for a space; nil without one.
    func rememberedCredential(for space: ProtectionSpace) -> Credential? {
        origins[space.origin]?.entries.first {
            $0.space == space && $0.source == .remembered && !$0.paths.isEmpty
        }?.credential
    }

    /// Returns whether a remembered credential is known for any space of an origin.
    func remembersCredential(for origin: Origin) -> Bool {
        origins[origin]?.entries.contains { $0.source == .remembered } == true
    }

    /// Removes the credential remembered earlier for the space of a newly accepted entry.
    mutating func forgetRemembered(before entry: Entry) {
        guard entry.source == .remembered else { return }
        origins[entry.space.origin]?.entries.removeAll {
            $0.source == .remembered && $0.space == entry.space && $0.credential != entry.credential
        }
    }

    /// Changes an entry in place, or adds it.
    mutating func update(_ entry: Entry, _ change: (inout Entry) throws(SternaError) -> Void) throws(SternaError) {
        let origin = entry.space.origin
        var known = origins[origin] ?? OriginEntries()
        if let index = known.entries.firstIndex(where: { $0.isSame(entry) }) {
            try change(&known.entries[index])
        } else {
            var new = entry
            try change(&new)
            if known.entries.count >= Limits.spaces { known.entries.removeFirst() }
            known.entries.append(new)
        }
        origins[origin] = known
        touch(origin)
        guard origins.count > Limits.origins else { return }
        if let oldest = origins.min(by: { $0.value.lastUse < $1.value.lastUse })?.key { origins[oldest] = nil }
    }

    /// Changes an entry, if it is still known.
    mutating func updateKnown(
        _ entry: Entry, _ change: (inout Entry) throws(SternaError) -> Void
    ) throws(SternaError) {
        let origin = entry.space.origin
        guard var known = origins[origin], let index = known.entries.firstIndex(where: { $0.isSame(entry) }) else {
            return
        }
        try change(&known.entries[index])
        origins[origin] = known
    }

    private mutating func touch(_ origin: Origin) {
        uses &+= 1
        origins[origin]?.lastUse = uses
    }

    // MARK: Refused credentials

    /// Removes a credential that its space has refused, and remembers the refusal if the credential belongs to the session.
    mutating func refuse(_ sent: AuthenticationRule.Sent, at now: NIODeadline) {
        let origin = sent.space.origin
        origins[origin]?.entries.removeAll { $0.space == sent.space && $0.credential == sent.credential }
        if origins[origin]?.entries.isEmpty == true { origins[origin] = nil }
        guard sent.source.isOfSession else { return }
        if refusals.count >= Limits.refusals {
            refusals = refusals.filter { $0.value > now }
            if refusals.count >= Limits.refusals, let oldest = refusals.min(by: { $0.value < $1.value })?.key {
                refusals[oldest] = nil
            }
        }
        refusals[.init(space: sent.space, credential: sent.credential)] = now + Limits.refusalTime
    }

    /// Removes the refusal of a credential that the server has accepted.
    mutating func forgetRefusal(_ space: ProtectionSpace, _ credential: Credential) {
        if !refusals.isEmpty { refusals[.init(space: space, credential: credential)] = nil }
    }

    /// Returns the credentials that the spaces of an origin have refused.
    func refused(at origin: Origin, now: NIODeadline) -> Set<AuthenticationRule.Refusal> {
        guard !refusals.isEmpty else { return [] }
        return Set(refusals.filter { $0.key.space.origin == origin && $0.value > now }.keys)
    }
}
