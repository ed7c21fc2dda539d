import SternaCore
import SternaPlatform

/// The header fields that a request serializer begins with: User-Agent, and Accept-Language where a language is known.
///
/// They are made at their first use and shared from then on.
enum StandardHeaders {
    static let headers: Headers = {
        var headers: Headers = ["User-Agent": UserAgent.standard]
        if let languages = AcceptLanguage.standard { headers["Accept-Language"] = languages }
        return headers
    }()

    static let checked = CheckedFields(headers)

    /// A variable of the process's environment; nil where it is not set.
    static func environment(_ name: String) -> String? {
        // getenv is safe while nobody changes the environment, which no library code does.
        getenv(name).map { String(cString: $0) }
    }
}
