import SternaCore
import SternaPlatform

/// The default header fields of request serializers: User-Agent, and Accept-Language if a language is known.
///
/// They are made on first use and shared afterwards.
enum StandardHeaders {
    static let headers: Headers = {
        var headers: Headers = ["User-Agent": UserAgent.standard]
        if let languages = AcceptLanguage.standard { headers["Accept-Language"] = languages }
        return headers
    }()

    static let checked = CheckedFields(headers)

    /// Returns an environment variable, or nil if it is not set.
    static func environment(_ name: String) -> String? {
        // getenv is safe unless another thread changes the environment, which no library code does.
        getenv(name).map { String(cString: $0) }
    }
}
