import SternaCore
import SternaPlatform

/// The proxies that environment variables name.
struct ProxyEnvironment: Sendable, Hashable {
    private enum Choice: Sendable, Hashable {
        case direct
        case proxy(Proxy)
        /// A value that names no proxy, and the reason.
        case unreadable(String)
    }

    /// The names of the variables that are read.
    static let variables = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    ]

    private let plain: Choice
    private let secure: Choice
    private let exceptions: ProxyExceptions

    /// Reads the variables; an unreadable value is reported when it is needed.
    init(_ variables: [String: String]) {
        // HTTP_PROXY is not read: in a CGI program it holds the Proxy field of the incoming request, which any client can set.
        plain = Self.choice(among: ["http_proxy", "all_proxy", "ALL_PROXY"], variables)
        secure = Self.choice(among: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"], variables)
        exceptions = ProxyExceptions(Self.first(of: ["no_proxy", "NO_PROXY"], variables)?.value ?? "")
    }

    /// Returns the proxy for a URL; nil for none.
    ///
    /// - Throws: `invalidURL` if the variable for the URL's scheme names no proxy.
    func proxy(for url: HTTPURL) throws(SternaError) -> Proxy? {
        let choice = url.scheme.isSecure ? secure : plain
        if choice == .direct { return nil }
        let host = url.hostWithoutBrackets
        if ProxyExceptions.isLoopback(host) || exceptions.contains(host: host, port: url.effectivePort) { return nil }
        return try Self.proxy(of: choice)
    }

    /// The proxy of http URLs; nil for none, and for a value that cannot be read.
    var plainProxy: Proxy? { if case .proxy(let proxy) = plain { proxy } else { nil } }

    /// Throws `invalidURL` if a variable that would be used names no proxy.
    func check() throws(SternaError) {
        _ = try Self.proxy(of: plain)
        _ = try Self.proxy(of: secure)
    }

    private static func proxy(of choice: Choice) throws(SternaError) -> Proxy? {
        switch choice {
        case .direct: nil
        case .proxy(let proxy): proxy
        case .unreadable(let detail): throw SternaError(.invalidURL, phase: .prepare, detail)
        }
    }

    private static func choice(among names: [String], _ variables: [String: String]) -> Choice {
        guard let (name, value) = first(of: names, variables) else { return .direct }
        do {
            return .proxy(try Proxy(value))
        } catch {
            return .unreadable("Environment variable \(name): \(error.detail)")
        }
    }

    /// Returns the first variable that holds more than blanks.
    private static func first(
        of names: [String], _ variables: [String: String]
    ) -> (name: String, value: String)? {
        for name in names {
            if let value = variables[name], !value.utf8.allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) }) {
                return (name, value)
            }
        }
        return nil
    }
}

extension [String: String] {
    /// The variables of this process that name proxies.
    static var process: [String: String] {
        var variables: [String: String] = [:]
        for name in ProxyEnvironment.variables {
            // The text is copied before other code could change the environment on this thread.
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        return variables
    }
}
