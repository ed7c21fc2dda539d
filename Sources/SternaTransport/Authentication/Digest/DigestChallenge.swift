package import SternaCore

/// A challenge of the Digest scheme that the library can answer (RFC 7616, 3.3).
package struct DigestChallenge: Sendable, Hashable {
    /// The limits on a peer's values; a challenge beyond them is not answered.
    package enum Limits {
        /// The bytes of a realm, nonce, opaque value or list of qualities.
        package static let bytes = 4_096

        /// The URIs of `domain` that are kept.
        package static let domains = 64
    }

    /// What a response protects (`qop`).
    package enum Quality: String, Sendable, Hashable, CaseIterable {
        /// The method and the URI, with a count of requests.
        case auth
        /// The body, too.
        case authInt = "auth-int"
    }

    /// The protection space of user names and passwords, without quotes and escapes.
    package let realm: String

    /// The server's nonce.
    package let nonce: String

    /// A value that each answer returns unchanged; nil if there is none.
    package let opaque: String?

    /// The algorithm; MD5 if the server names none (RFC 7616, 3.3).
    package let algorithm: DigestHash

    /// The algorithm's name as the server writes it, which the answer repeats; nil if the server names none.
    package let algorithmName: String?

    /// Whether only the nonce of the last answer was out of date: the user name and password may be right.
    package let isStale: Bool

    /// The offered qualities; empty if the server names none, or an empty list: the rules of RFC 2069 then apply.
    package let qualities: Set<Quality>

    /// Whether the user name is sent as a hash (RFC 7616, 3.4.4).
    package let userhash: Bool

    /// Whether the server says that it reads user names and passwords in UTF-8.
    package let isUTF8: Bool

    /// The URIs of the protection space, absolute or paths, as the server sent them; empty for the whole origin.
    package let domain: [String]

    /// Reads a challenge; nil for another scheme, and for a challenge that cannot be answered.
    package init?(_ challenge: AuthenticationChallenge) {
        guard challenge.hasScheme("Digest"), let read = try? DigestChallenge(reading: challenge) else { return nil }
        self = read
    }

    /// Why a challenge of the Digest scheme cannot be answered.
    private enum Fault: Error {
        case incomplete
        case unknownAlgorithm(String)
        case unknownQualities(String)
        /// A `-sess` algorithm without a quality.
        case lacksQuality(DigestHash)
        /// A value holds control characters or exceeds ``Limits``.
        case unusable
    }

    private init(reading challenge: AuthenticationChallenge) throws(Fault) {
        guard challenge.token == nil, let realm = challenge["realm"], let nonce = challenge["nonce"] else {
            throw .incomplete
        }
        opaque = challenge["opaque"]
        guard Self.isUsable(realm), Self.isUsable(nonce), opaque.map(Self.isUsable) ?? true else { throw .unusable }
        self.realm = realm
        self.nonce = nonce
        algorithmName = challenge["algorithm"]
        if let algorithmName {
            guard let algorithm = DigestHash(token: algorithmName) else { throw .unknownAlgorithm(algorithmName) }
            self.algorithm = algorithm
        } else {
            algorithm = .md5
        }
        qualities = try Self.qualities(challenge["qop"] ?? "")
        guard !qualities.isEmpty || !algorithm.isSession else { throw .lacksQuality(algorithm) }
        isStale = Self.isTrue(challenge["stale"])
        userhash = Self.isTrue(challenge["userhash"])
        isUTF8 = challenge["charset"].map { AuthenticationChallenge.isSame($0, "UTF-8") } ?? false
        let uris = (challenge["domain"] ?? "").split(separator: " ", maxSplits: Limits.domains)
        domain = uris.prefix(Limits.domains).map(String.init)
    }

    /// Returns the scheme of a challenge for messages, with the reason why a challenge of Digest cannot be answered.
    package static func shownScheme(of challenge: AuthenticationChallenge) -> String {
        let scheme = FieldSyntax.printable(challenge.scheme)
        guard challenge.hasScheme("Digest") else { return scheme }
        let quoted = { (text: String) in "“\(FieldSyntax.printable(text, limit: 40))”" }
        do throws(Fault) {
            _ = try DigestChallenge(reading: challenge)
            return scheme
        } catch {
            return switch error {
            case .incomplete: "\(scheme) without realm or nonce"
            case .unknownAlgorithm(let name): "\(scheme) with the unknown algorithm \(quoted(name))"
            case .unknownQualities(let list): "\(scheme) with the unknown qop \(quoted(list))"
            case .lacksQuality(let algorithm): "\(scheme) with \(algorithm.rawValue) but without qop"
            case .unusable: "\(scheme) with values that are too long or have control characters"
            }
        }
    }

    /// Whether the server names no quality, as RFC 2069 had none.
    package var isLegacy: Bool { qualities.isEmpty }

    /// Whether an answer needs the hash of the request's body: `auth` is not offered.
    package var needsBodyHash: Bool { qualities == [.authInt] }

    /// The strongest challenge of Digest among a response's challenges; the first of several that are equally strong.
    ///
    /// - Parameter canHashBody: whether the request's body can be hashed before it is sent. Without it, challenges that offer only
    ///   `auth-int` are left out.
    package static func strongest(
        in challenges: [AuthenticationChallenge], canHashBody: Bool = true
    ) -> DigestChallenge? {
        var best: DigestChallenge?
        for challenge in challenges.lazy.compactMap({ DigestChallenge($0) }) {
            guard canHashBody || !challenge.needsBodyHash else { continue }
            if let known = best, known.strength >= challenge.strength { continue }
            best = challenge
        }
        return best
    }

    private var strength: Int { 2 * algorithm.strength + (isLegacy ? 0 : 1) }

    private static func isUsable(_ value: String) -> Bool {
        value.utf8.count <= Limits.bytes && FieldSyntax.isValue(value)
    }

    private static func isTrue(_ value: String?) -> Bool {
        value.map { AuthenticationChallenge.isSame($0, "true") } ?? false
    }

    /// Returns the known qualities of a list, which may be empty: some servers send `qop=""`.
    private static func qualities(_ list: String) throws(Fault) -> Set<Quality> {
        guard isUsable(list) else { throw .unusable }
        var found: Set<Quality> = []
        var isEmpty = true
        for name in list.utf8.split(whereSeparator: { $0 == UInt8(ascii: ",") || $0 == 0x20 || $0 == 0x09 }) {
            isEmpty = false
            let name = String(Substring(name))
            if let quality = Quality.allCases.first(where: { AuthenticationChallenge.isSame($0.rawValue, name) }) {
                found.insert(quality)
            }
        }
        guard isEmpty || !found.isEmpty else { throw .unknownQualities(list) }
        return found
    }
}

extension DigestChallenge: CustomStringConvertible, CustomReflectable {
    /// The algorithm and the realm.
    package var description: String { "Digest \(algorithm.rawValue) “\(FieldSyntax.printable(realm))”" }

    /// Leaves out the nonces, which are secrets of a session.
    package var customMirror: Mirror {
        Mirror(self, children: ["realm": realm, "algorithm": algorithm, "isStale": isStale], displayStyle: .struct)
    }
}
