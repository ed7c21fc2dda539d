import Sterna

/// Who asks for something in a view: the view itself for a page, or a page for a part of it.
struct WebViewAsker: Sendable, Hashable {
    /// Whether it is asked for as a page.
    let isPage: Bool

    /// Whether a page of another origin asks, or a frame in it. It may be allowed to read the answer, which must then not be one for the user:
    /// a server that allows `*` relies on that (Fetch, 3.3.5).
    let isForeign: Bool

    /// The site for which it is asked; nil if that is unknown, or the view asks.
    let site: CookieSite?

    /// - Parameters:
    ///   - url: what is asked for.
    ///   - origin: the Origin field.
    ///   - page: the URL of the view's page, by the view's schemes.
    ///   - isNamed: whether the view says that it loads or shows this URL.
    init(_ url: HTTPURL, _ method: String, origin field: String?, page: String?, isNamed: Bool) {
        let named = field.map { WebViewURL.http($0)?.origin }
        let isOther = named.map { $0 != url.origin } ?? false
        // A script can ask for the URL to which its page is just going. Pages are asked for without an Origin, but by a form.
        isPage = isNamed && (!isOther || method == "POST")
        let asking = named ?? page.flatMap { WebViewURL.asked($0)?.origin }
        isForeign = !isPage && (isOther || asking != url.origin)
        site = isPage ? (named ?? nil).map { CookieSite($0, isNavigation: true) } : asking.map { CookieSite($0) }
    }
}
