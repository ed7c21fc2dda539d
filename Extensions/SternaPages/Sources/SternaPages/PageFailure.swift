import HTTPTypes
public import SternaCore

/// A resource that a page refers to and that was not fetched.
public struct PageFailure: Sendable, CustomStringConvertible {
    /// The URL of the resource; its description has no user information.
    public let url: HTTPURL

    /// The URL of the document or style sheet that refers to it first.
    public let referrer: HTTPURL

    /// Why it was not fetched: what went wrong, or `limitExceeded` or `originRefused` for what the options rule out.
    public let error: SternaError

    init(url: HTTPURL, referrer: HTTPURL, error: SternaError) {
        self.url = url
        self.referrer = referrer
        // Shows the URL without its secrets.
        self.error = error.url == nil ? error.at(Request(.get, url)) : error
    }

    public var description: String { "\(error)" }
}
