import HTTPTypes
public import Sterna
public import SternaCore

extension Session {
    /// Loads a page with its resources: style sheets, images, fonts, scripts, films, frames.
    ///
    ///     let page = try await api.page("articles/terns")
    ///     try page.save(to: "terns")
    ///
    /// A resource that fails does not fail the page; ``WebPage/failures`` lists it. Each URL is fetched once. The session's
    /// credentials go to its own origin alone, that of the page if it has no base URL.
    ///
    /// - Parameters:
    ///   - reference: the URL, relative to the session's base URL or absolute.
    ///   - headers: header fields of the request for the page, not of those for its resources.
    ///   - options: limits, origins, and whether the first failure is the page's.
    ///   - progress: called when something was found, fetched or received; it must return at once.
    /// - Throws: `unacceptableStatus` and `unacceptableMediaType` if there is no page, `limitExceeded` for one that is too large or
    ///   too deeply nested, `cancelled`, and whatever requests throw.
    nonisolated(nonsending) public func page(
        _ reference: some URLConvertible, headers: Headers = [:], options: PageOptions = PageOptions(),
        progress: (@Sendable (PageProgress) -> Void)? = nil
    ) async throws -> WebPage {
        let draft = RequestDraft(.get, reference, headers: headers)
        return try await PageLoader(self, draft, options, progress).load()
    }
}
