import SternaCore

/// Decides whether a URL may be asked for the sake of a page.
struct OriginRule: Sendable, Hashable {
    /// The URL of the page, after redirects.
    var page: HTTPURL
    var origins: PageOptions.Origins
    var allowsInsecure: Bool

    /// Returns why not; nil if it may.
    func refusal(of url: HTTPURL) -> String? {
        guard url.scheme == .http || url.scheme == .https else { return "Only http and https URLs are fetched." }
        if origins == .sameOrigin, url.origin != page.origin { return "It is on another origin than the page." }
        guard !page.scheme.isSecure || url.scheme.isSecure || allowsInsecure else {
            return "The page was fetched by https, and this would be fetched without encryption."
        }
        return nil
    }
}
