import HTTPTypes
import SternaCore

extension CacheRule {
    /// The safe methods (RFC 9110, 9.2.1; RFC 4918; RFC 3253; RFC 5323), and CONNECT.
    private static let safeMethods: Set<String> = [
        "GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PROPFIND", "REPORT", "SEARCH", "CONNECT",
    ]

    /// Returns the URLs whose stored responses a response invalidates, in all partitions (RFC 9111, 4.4).
    ///
    /// After a successful unsafe or unknown method these are the request's URL, and the URLs in Location and Content-Location if
    /// they have its origin.
    static func invalidated(by response: CacheResponse, to request: CacheRequest) -> [HTTPURL] {
        guard !safeMethods.contains(request.method.rawValue), (200..<400).contains(response.status) else { return [] }
        let target = request.url.removingUserinfo().removingFragment()
        var found = [target]
        for name in [HTTPField.Name.location, .contentLocation] {
            for reference in FieldSection(response.fields).references(name).prefix(4) {
                // A server must not invalidate responses of another origin.
                guard let url = try? HTTPURL(reference, relativeTo: request.url), url.origin == target.origin else {
                    continue
                }
                let plain = url.removingUserinfo().removingFragment()
                if !found.contains(plain) { found.append(plain) }
            }
        }
        return found
    }
}
