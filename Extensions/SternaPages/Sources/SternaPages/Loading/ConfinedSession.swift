import HTTPTypes
import Sterna
import SternaCore

/// The caller's session, for requests to any origin that take its credentials to one alone.
struct ConfinedSession: Sendable {
    let session: Session
    private let rule: OriginRule
    private let handler: RedirectHandler?

    /// - Parameter page: the URL that was asked for; its origin gets the credentials of a session without a base URL.
    init(_ session: Session, to page: HTTPURL, _ rule: OriginRule) throws(SternaError) {
        var settings = SessionSettings?.none
        let derived = session.with {
            $0.network.allowsOtherOrigins = true
            settings = $0
        }
        self.rule = rule
        handler = settings?.redirectHandler
        if session.baseURL == nil, let settings {
            self.session = try Session(baseURL: page.origin.description) { $0 = settings }
        } else {
            self.session = derived
        }
    }

    /// Returns the request for a resource, which follows redirects to where the rule allows it.
    func draft(_ url: HTTPURL) -> RequestDraft {
        RequestDraft(.get, url) { [rule, handler] settings in
            settings.redirectHandler = { response, proposed in
                guard rule.refusal(of: proposed.url) == nil else { return .refuse }
                return await handler?(response, proposed) ?? .follow(proposed)
            }
        }
    }
}
