import HTTPTypes
import SternaCore

/// What a redirect does to a request's method, body and fields: a named rule, and the statuses that keep a POST nevertheless.
///
/// | | 301, 302 | 303 | 307, 308 |
/// |---|---|---|---|
/// | ``fetch`` | POST becomes GET | all but GET and HEAD become GET | kept |
/// | ``rfc9110`` | kept | all but GET and HEAD become GET | kept |
/// | ``rfc2616`` | GET and HEAD kept, others need a closure's consent | becomes GET | as 301 |
/// | ``asiHTTPRequest`` | becomes GET | becomes GET | kept |
///
/// A request that becomes a GET loses its body, with the fields Content-Type, Content-Encoding, Content-Language and Content-Location.
public struct RedirectMethods: Sendable, Hashable {
    private enum Rule: String, Sendable {
        case fetch, rfc9110, rfc2616, asiHTTPRequest
    }

    private let rule: Rule
    private var keptPosts: Set<Int> = []

    private init(_ rule: Rule) { self.rule = rule }

    /// What browsers do (Fetch Standard, 4.4, "HTTP-redirect fetch"); the default.
    public static let fetch = RedirectMethods(.fetch)

    /// What RFC 9110, 15.4 asks for, without the change of a POST on 301 and 302 that it permits for historical reasons.
    public static let rfc9110 = RedirectMethods(.rfc9110)

    /// What RFC 2616, 10.3 asked for: the method is kept, and a request other than GET and HEAD is redirected only if its user confirms.
    ///
    /// A closure that returns ``RedirectDecision/follow(_:)`` confirms: ``SessionSettings/redirectHandler``,
    /// ``RequestSettings/redirectHandler`` or a task's ``TaskDecisions/redirect``. Without one the redirect is refused.
    public static let rfc2616 = RedirectMethods(.rfc2616)

    /// What ASIHTTPRequest does: a GET follows every 301, 302 and 303, whatever the method was.
    ///
    /// That GET has the request's User-Agent, Accept, Accept-Encoding, Range, If-Range and credentials; other fields are dropped.
    public static let asiHTTPRequest = RedirectMethods(.asiHTTPRequest)

    /// Returns the rule with a POST that stays one on some statuses, as curl's `--post301`, `--post302` and `--post303`.
    public func keepingPost(on statuses: Set<Int>) -> RedirectMethods {
        var kept = self
        kept.keptPosts.formUnion(statuses)
        return kept
    }

    /// What happens to a request.
    enum Outcome: Sendable, Hashable {
        case keep
        /// Keeps the method and the body if a closure confirms.
        case keepIfConfirmed
        case get
        /// Becomes a GET that has few of the request's fields.
        case plainGet
    }

    /// Decides by method and status.
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
