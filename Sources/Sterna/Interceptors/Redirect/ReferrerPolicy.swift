import HTTPTypes
import SternaCore

/// How much of the redirecting URL a followed redirect names in its Referer field (W3C Referrer Policy, 3).
///
/// User information and fragment are never sent. A URL of more than 4,096 bytes is reduced to its origin. "Downgrade" means from
/// https to http, except to the loopback.
public enum ReferrerPolicy: String, Sendable, Hashable, CaseIterable {
    /// Nothing.
    case noReferrer = "no-referrer"
    /// The whole URL, and nothing on a downgrade.
    case noReferrerWhenDowngrade = "no-referrer-when-downgrade"
    /// The whole URL within its origin, and nothing elsewhere.
    case sameOrigin = "same-origin"
    /// The origin.
    case origin
    /// The origin, and nothing on a downgrade.
    case strictOrigin = "strict-origin"
    /// The whole URL within its origin, and the origin elsewhere.
    case originWhenCrossOrigin = "origin-when-cross-origin"
    /// The whole URL within its origin, the origin elsewhere, and nothing on a downgrade; what browsers do by default.
    case strictOriginWhenCrossOrigin = "strict-origin-when-cross-origin"
    /// The whole URL, everywhere.
    case unsafeURL = "unsafe-url"

    /// Returns the policy after a response: the last value of its Referrer-Policy field that is known, or the same policy.
    func updated(by response: Response) -> ReferrerPolicy {
        guard let name = HTTPField.Name("Referrer-Policy") else { return self }
        var policy = self
        for value in response.section[values: name] {
            for token in value.split(separator: ",") {
                let words = token.split { $0 == " " || $0 == "\t" }
                guard words.count == 1, let word = words.first else { continue }
                policy = ReferrerPolicy(rawValue: word.lowercased()) ?? policy
            }
        }
        return policy
    }

    /// Returns the value of the Referer field for a request that a URL leads to; nil for none.
    func referer(from source: HTTPURL, to target: HTTPURL) -> String? {
        let isSame = source.origin == target.origin
        let isDowngrade = Self.isTrustworthy(source) && !Self.isTrustworthy(target)
        return switch self {
        case .noReferrer: nil
        case .noReferrerWhenDowngrade: isDowngrade ? nil : Self.whole(source)
        case .sameOrigin: isSame ? Self.whole(source) : nil
        case .origin: Self.origin(source)
        case .strictOrigin: isDowngrade ? nil : Self.origin(source)
        case .originWhenCrossOrigin: isSame ? Self.whole(source) : Self.origin(source)
        case .strictOriginWhenCrossOrigin:
            isSame ? Self.whole(source) : isDowngrade ? nil : Self.origin(source)
        case .unsafeURL: Self.whole(source)
        }
    }

    private static let longest = 4_096

    private static func origin(_ url: HTTPURL) -> String { "\(url.removingZone().origin)/" }

    private static func whole(_ url: HTTPURL) -> String {
        let text = url.removingUserinfo().removingFragment().removingZone().description
        return text.utf8.count > longest ? origin(url) : text
    }

    /// Whether a URL is potentially trustworthy (W3C Secure Contexts, 3.1): encrypted, or on the loopback.
    private static func isTrustworthy(_ url: HTTPURL) -> Bool { url.scheme.isSecure || url.isOnLoopback }
}

extension HTTPURL {
    /// Whether the host is an address of the loopback, or `localhost` or a name below it, which never leave the machine (RFC 6761, 6.3).
    var isOnLoopback: Bool {
        switch hostKind {
        case .ipv4: return host.hasPrefix("127.")
        case .ipv6: return hostWithoutBrackets == "::1"
        default:
            let name = host.hasSuffix(".") ? String(host.dropLast()) : host
            return name == "localhost" || name.hasSuffix(".localhost")
        }
    }
}
