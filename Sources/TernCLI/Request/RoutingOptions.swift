import ArgumentParser
import Sterna
import SternaPlatform

/// Options for the route to the server.
struct RoutingOptions: ParsableArguments {
    @Option(
        name: [.customShort("x", allowingJoined: true), .long],
        help: ArgumentHelp(
            "Go through this proxy: http, https or socks5, with user:pass@ if it requires them. Without it, the environment's http_proxy, https_proxy and all_proxy count; “none” is for no proxy.",
            valueName: "url"))
    var proxy: String?

    @Option(
        name: [.customShort("U", allowingJoined: true), .long],
        help: ArgumentHelp(
            "The user and the password for the proxy; tern asks for a missing password.", valueName: "user:pass"))
    var proxyUser: String?

    @Flag(
        help:
            "Send them only by Digest, when the proxy asks for it. Without this option Basic at once, and Digest if the proxy asks for that."
    )
    var proxyDigest = false

    @Flag(help: "The same as without --proxy-digest.")
    var proxyBasic = false

    @Flag(help: "Send them only when the proxy asks, by the strongest of the schemes that it offers.")
    var proxyAnyauth = false

    @Option(
        help: ArgumentHelp(
            "Hosts to reach without a proxy: names with their subdomains, addresses, prefixes such as 10.0.0.0/8, or *.",
            valueName: "list"))
    var noproxy: String?

    @Option(help: ArgumentHelp("Send the request to this Unix domain socket.", valueName: "path"))
    var unixSocket: String?

    @Flag(name: [.customShort("4"), .customLong("ipv4")], help: "Connect to IPv4 addresses only.")
    var ipv4 = false

    @Flag(name: [.customShort("6"), .customLong("ipv6")], help: "Connect to IPv6 addresses only.")
    var ipv6 = false

    func validate() throws {
        if ipv4, ipv6 { throw ValidationError("--ipv4 and --ipv6 exclude each other.") }
        if [proxyDigest, proxyBasic, proxyAnyauth].filter(\.self).count > 1 {
            throw ValidationError("--proxy-digest, --proxy-basic and --proxy-anyauth exclude each other.")
        }
        if unixSocket?.isEmpty == true { throw ValidationError("--unix-socket takes a path.") }
    }

    /// Returns the proxies of the options; throws `invalidURL` for an invalid one.
    func proxies(environment: () -> [String: String] = Self.environment) throws -> ProxySettings {
        let entered = try proxyUser.map { text in
            try CredentialOptions.split(text) { "Password of \($0) for the proxy: " }
        }
        let login =
            waitsForProxy
            ? ProxyLogin.shared(isDigestOnly: proxyDigest, proxy: proxy, credentials: entered) : nil
        var settings: ProxySettings
        if let proxy {
            if proxy.isEmpty || proxy == "none" { return .none }
            var given = try Proxy(proxy)
            if let entered { given = try Self.proxy(given, entered.user, entered.password) }
            settings = .proxy(try login?.withholding(given) ?? given, except: exceptions)
        } else {
            let named = try environmentProxies(environment)
            guard entered != nil || login != nil else { return named }
            // The environment's variables were checked, and a user that one proxy takes every proxy takes.
            if let entered {
                _ = try Proxy(.http, host: "localhost", username: entered.user, password: entered.password)
            }
            settings = .each { url in
                guard var proxy = try? named.proxy(for: url) else { return nil }
                // Rather without the user than without the proxy.
                if let entered { proxy = (try? Self.proxy(proxy, entered.user, entered.password)) ?? proxy }
                return (try? login?.withholding(proxy)) ?? proxy
            }
        }
        settings.authenticator = login
        return settings
    }

    /// Whether credentials are sent only when the proxy asks, and not at once.
    private var waitsForProxy: Bool { proxyDigest || proxyAnyauth }

    private static func proxy(_ proxy: Proxy, _ user: String, _ password: String) throws(SternaError) -> Proxy {
        try Proxy(proxy.kind, host: proxy.host, port: proxy.port, username: user, password: password)
    }

    private var exceptions: ProxyExceptions {
        ProxyExceptions(noproxy ?? Environment.variable("no_proxy") ?? Environment.variable("NO_PROXY") ?? "")
    }

    private func environmentProxies(_ environment: () -> [String: String]) throws -> ProxySettings {
        guard noproxy != nil || proxyUser != nil || waitsForProxy else { return .environment }
        var variables = environment()
        variables["no_proxy"] = noproxy ?? Environment.variable("no_proxy") ?? Environment.variable("NO_PROXY")
        return try .environment(variables)
    }

    private static func environment() -> [String: String] {
        var variables: [String: String] = [:]
        for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
            variables[name] = Environment.variable(name)
        }
        return variables
    }

    /// Throws `connectionFailed` if the path of `--unix-socket` leads to no socket.
    func checkSocket() throws(AdvisedError) {
        // The library rejects a path that is too long for any socket.
        guard let unixSocket, unixSocket.utf8.count < 108 else { return }
        let reason: String
        if let real = realpath(unixSocket, nil) {
            // `realpath` allocates the text, which is copied before it is freed.
            defer { free(real) }
            let attributes = try? FileManager.default.attributesOfItem(atPath: String(cString: real))
            guard let type = attributes?[.type] as? FileAttributeType, type != .typeSocket else { return }
            reason = "“\(unixSocket)” is not a socket."
        } else {
            reason = "There is no socket at “\(unixSocket)”: \(String(cString: strerror(errno)))."
        }
        throw AdvisedError(
            error: SternaError(.connectionFailed, phase: .connect, reason), advice: "Check the path of --unix-socket.")
    }

    /// Whether a proxy, or a server behind `--unix-socket`, receives the requests for a URL.
    func isProxied(_ url: HTTPURL, _ proxies: ProxySettings) -> Bool {
        guard unixSocket == nil else { return true }
        do {
            return try proxies.proxy(for: url) != nil
        } catch {
            return true
        }
    }

    /// Applies these options to a session's settings.
    func apply(to settings: inout SessionSettings, _ proxies: ProxySettings) {
        settings.network.proxies = proxies
        settings.network.unixSocket = unixSocket
    }

    /// The address families of the options.
    var families: AddressFamilies { ipv4 ? .ipv4 : ipv6 ? .ipv6 : .any }
}
