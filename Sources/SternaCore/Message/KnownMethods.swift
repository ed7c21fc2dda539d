import SternaPlatform

/// The methods that observers name: those of RFC 9110, and PATCH (RFC 5789).
///
/// The environment variable `OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS`, names separated by commas, replaces them, as OpenTelemetry's
/// conventions for HTTP demand.
package enum KnownMethods {
    private static let variable = "OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS"

    // getenv is safe unless another thread changes the environment, which no library code does.
    private static let names = names(getenv(variable).map { String(cString: $0) })

    /// Returns the known methods for the variable's value; at most 64.
    static func names(_ text: String?) -> Set<String> {
        let own = text?.split(separator: ",").map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty } ?? []
        guard own.isEmpty else { return Set(own.prefix(64)) }
        return ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"]
    }

    package static func contains(_ method: String) -> Bool { names.contains(method) }

    /// The method, and `_OTHER` for an unknown one, so that the number of values is limited.
    package static func label(_ method: String) -> String { contains(method) ? method : "_OTHER" }
}

extension HTTPVersion {
    /// The version as OpenTelemetry's conventions write it: `1.0`, `1.1`, `2`.
    package var number: String {
        switch self {
        case .http11: "1.1"
        case .http2: "2"
        default: String(description.dropFirst("HTTP/".count))
        }
    }
}
