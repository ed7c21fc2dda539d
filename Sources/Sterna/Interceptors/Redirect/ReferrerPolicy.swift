import HTTPTypes
import SternaCore

/// How much of the redirecting URL the next request sends in its Referer field (W3C Referrer Policy, 3).
///
/// User information and fragment are never sent. A URL of more than 4,096 bytes is reduced to its origin. A downgrade leads from a
/// trustworthy URL, which is one of https or of a loopback host, to any other (W3C Secure Contexts, 3.1).
public enum ReferrerPolicy: String, Sendable, Hashable, CaseIterable {
    /// Nothing.
    case noReferrer = "no-referrer"
    /// The whole URL; nothing on a downgrade.
    case noReferrerWhenDowngrade = "no-referrer-when-downgrade"
    /// The whole URL within the same origin; nothing to other origins.
    case sameOrigin = "same-origin"
    /// The origin.
    case origin
    /// The origin; nothing on a downgrade.
    case strictOrigin = "strict-origin"
    /// The whole URL within the same origin; the origin to other origins.
    case originWhenCrossOrigin = "origin-when-cross-origin"
    /// The whole URL within the same origin; the origin to other origins; nothing on a downgrade. The default of browsers.
    case strictOriginWhenCrossOrigin = "strict-origin-when-cross-origin"
    /// The whole URL to all origins.
    case unsafeURL = "unsafe-url"

    /// Returns the policy after a response: the last known value of its Referrer-Policy field, or else the same policy.
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

    /// Returns the value of the Referer field for a redirect from one URL to another; nil for none.
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

    /// Returns whether a URL is potentially trustworthy (W3C Secure Contexts, 3.1): it is encrypted, or its host is a loopback
    /// host.
    private static func isTrustworthy(_ url: HTTPURL) -> Bool { url.scheme.isSecure || url.isOnLoopback }
}

extension HTTPURL {
    /// Whether the host is a loopback address, `localhost` or a subdomain of `localhost`, which never leave the machine (RFC 6761,
    /// 6.3).
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
