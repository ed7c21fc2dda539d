import HTTPTypes
import SternaCore

/// How a redirect changes a request's method, body and fields: a named rule, and the statuses after which a POST stays a POST.
///
/// | | 301, 302 | 303 | 307, 308 |
/// |---|---|---|---|
/// | ``fetch`` | POST becomes GET | all but GET and HEAD become GET | kept |
/// | ``rfc9110`` | kept | all but GET and HEAD become GET | kept |
/// | ``rfc2616`` | GET and HEAD kept, others need a closure's consent | becomes GET | as 301 |
/// | ``asiHTTPRequest`` | becomes GET | becomes GET | kept |
///
/// A request that becomes a GET loses its body, and the fields Content-Type, Content-Encoding, Content-Language, Content-Location
/// and Expect.
public struct RedirectMethods: Sendable, Hashable {
    private enum Rule: String, Sendable {
        case fetch, rfc9110, rfc2616, asiHTTPRequest
    }

    private let rule: Rule
    private var keptPosts: Set<Int> = []

    private init(_ rule: Rule) { self.rule = rule }

    /// The rule of browsers (Fetch Standard, 4.4, "HTTP-redirect fetch"); the default.
    public static let fetch = RedirectMethods(.fetch)

    /// The rule of RFC 9110, 15.4, without the change from POST to GET after 301 and 302 that it permits for historical reasons.
    public static let rfc9110 = RedirectMethods(.rfc9110)

    /// The rule of RFC 2616, 10.3: the method is kept, except after 303, and a request other than GET and HEAD is redirected only
    /// if the user confirms.
    ///
    /// A closure confirms by returning ``RedirectDecision/follow(_:)``: ``SessionSettings/redirectHandler``,
    /// ``RequestSettings/redirectHandler`` or a task's ``TaskDecisions/redirect``. Without a closure the redirect is refused
    /// (`redirectRefused`).
    public static let rfc2616 = RedirectMethods(.rfc2616)

    /// The rule of ASIHTTPRequest: every method becomes GET after 301, 302 and 303.
    ///
    /// The GET keeps the request's User-Agent, Accept, Accept-Encoding, Range, If-Range, Authorization, Cookie and
    /// Proxy-Authorization; other fields are dropped.
    public static let asiHTTPRequest = RedirectMethods(.asiHTTPRequest)

    /// Returns the rule with statuses after which a POST stays a POST, like curl's `--post301`, `--post302` and `--post303`.
    public func keepingPost(on statuses: Set<Int>) -> RedirectMethods {
        var kept = self
        kept.keptPosts.formUnion(statuses)
        return kept
    }

    /// How a request is changed.
    enum Outcome: Sendable, Hashable {
        case keep
        /// Keeps the method and the body if a closure confirms.
        case keepIfConfirmed
        case get
        /// Becomes a GET that keeps only a few of the request's fields.
        case plainGet
    }

    /// Returns the change for a method and a status.
    func outcome(_ method: HTTPRequest.Method, _ status: Int) -> Outcome {
        if method == .post, keptPosts.contains(status) { return .keep }
        let isSafe = method == .get || method == .head
        return switch (rule, status) {
        case (.asiHTTPRequest, 301...303): .plainGet
        case (.rfc2616, 303): method == .get ? .keep : .get
        case (.rfc2616, _): isSafe ? .keep : .keepIfConfirmed
        case (_, 303): isSafe ? .keep : .get
        case (.fetch, 301...302): method == .post ? .get : .keep
        default: .keep
        }
    }
}

extension RedirectMethods: CustomStringConvertible {
    /// The rule's name.
    public var description: String {
        guard !keptPosts.isEmpty else { return rule.rawValue }
        return "\(rule.rawValue), POST kept on \(keptPosts.sorted().map(String.init).joined(separator: ", "))"
    }
}
