import HTTPTypes
import SternaCore
import SternaSerialization

/// Merges the header fields of one request into those it shares with all requests of its session, see ``SessionHeaders``.
enum RequestHeaders {
    /// Merges the fields of a request: credentials, then the caller's own, which replace fields of the same names, then those that
    /// describe the body.
    ///
    /// - Parameter continueThreshold: the length in bytes above which a body waits for `100 (Continue)`; nil to never wait.
    ///
    /// Throws `invalidHeader` for a field that cannot be sent.
    static func merge(
        _ own: Headers, authorization: String?, continueThreshold: Int64?, into request: inout Request
    ) throws(SternaError) {
        if let authorization { request.headers[.authorization] = authorization }
        if !own.isEmpty {
            do {
                try own.merge(into: &request.headers)
            } catch {
                throw error.at(request)
            }
        }
        guard let body = request.body else { return }
        if let mediaType = body.mediaType, !names(request.headers[.contentType], mediaType) {
            request.headers[.contentType] = nil
            request.headers.append(try Headers.field("Content-Type", mediaType))
        }
        if let continueThreshold, !request.headers.contains(.expect), waits(body, above: continueThreshold) {
            request.headers[.expect] = "100-continue"
        }
        if let coding = body.contentCoding, !request.headers.contains(.contentEncoding) {
            request.headers.append(try Headers.field("Content-Encoding", coding))
        }
    }

    /// Whether a body is longer than a threshold, or of unknown length.
    private static func waits(_ body: Body, above threshold: Int64) -> Bool {
        body.estimatedLength.map { $0 > max(0, threshold) } ?? (threshold < .max)
    }

    /// Whether a Content-Type fits a body's type; a form cannot be parsed if the field names another boundary.
    private static func names(_ field: String?, _ mediaType: String) -> Bool {
        guard let field else { return false }
        guard let own = MediaType(mediaType), own.essence.hasPrefix("multipart/"), let boundary = own["boundary"]
        else { return true }
        let given = MediaType(field)
        return given?.essence.hasPrefix("multipart/") == true && given?["boundary"] == boundary
    }
}
