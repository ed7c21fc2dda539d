import HTTPTypes
import SternaCore

/// The fields that may be sent as trailers.
enum TrailerFields {
    /// Throws `invalidHeader` for a field that must not be a trailer.
    static func check(_ fields: HTTPFields) throws(SternaError) {
        for field in fields {
            let name = field.name.canonicalName
            guard !forbidden.contains(name), !name.hasPrefix(":"), FieldSyntax.isValue(field.value) else {
                throw SternaError(
                    .invalidHeader, phase: .write,
                    "The field “\(field.name.rawName)” cannot follow a body; the request was not completed.")
            }
        }
    }

    // Framing, routing, authentication, modifiers, and fields that describe how to process the content (RFC 9110, 6.5.1).
    private static let forbidden: Set<String> = [
        "transfer-encoding", "content-length", "host", "connection", "keep-alive", "te", "trailer", "upgrade",
        "proxy-connection", "authorization", "proxy-authorization", "cookie", "set-cookie", "www-authenticate",
        "content-encoding", "content-type", "content-range", "range", "expect", "max-forwards", "cache-control",
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
    ]
}
