public import SternaCore

/// Which requests go through which proxy.
public struct ProxySettings: Sendable, Hashable {
    private enum Rule: Sendable, Hashable {
        case direct
        case environment(ProxyEnvironment)
        case fixed(Proxy, ProxyExceptions)
        case each(Choice)
    }

    private let rule: Rule
    private var ownAuthenticator = Authenticator(nil)

    private init(_ rule: Rule) { self.rule = rule }

    /// Provides credentials when a proxy asks for them (407). None by default: then only the credentials of a ``Proxy`` are
    /// sent.
    ///
    /// Choose the proxies first, then set it: `settings.network.proxies.authenticator = …`. Settings are equal only with the same
    /// authenticator object, and sessions with equal settings share its answers with their connections. It does not apply to
    /// SOCKS proxies.
    public var authenticator: (any ProxyAuthenticator)? {
        get { ownAuthenticator.object }
        set { ownAuthenticator = Authenticator(newValue) }
    }

    /// Sends no request through a proxy.
    public static let none = ProxySettings(.direct)

    /// Follows this process's environment, read once at the first use; see ``environment(_:)``.
    ///
    /// A value that names no proxy fails the requests that would use it, with `invalidURL`.
    public static let environment = ProxySettings(.environment(ProxyEnvironment(.process)))

    /// Follows the variables of an environment.
    ///
    /// `http_proxy` is for http and ws; `https_proxy` or `HTTPS_PROXY` is for https and wss; `all_proxy` or `ALL_PROXY` is for
    /// either without a variable of its own. `no_proxy` or `NO_PROXY` lists exceptions in the form of ``ProxyExceptions``. The
    /// first variable that is not blank counts. `HTTP_PROXY` is not read: in a CGI program it holds a header field of the incoming
    /// request.
    ///
    /// Requests to loopback hosts (`localhost`, names below it, 127.0.0.0/8, ::1) never go through these proxies, for which they
    /// would be the proxy's own machine; ``proxy(_:except:)`` has no such rule.
    ///
    /// - Throws: `invalidURL` if a variable that would be used names no proxy.
    public static func environment(_ variables: [String: String]) throws(SternaError) -> ProxySettings {
        let environment = ProxyEnvironment(variables)
        try environment.check()
        return ProxySettings(.environment(environment))
    }

    /// Sends every request through a proxy, including those to loopback hosts, except for the exceptions.
    public static func proxy(_ proxy: Proxy, except exceptions: ProxyExceptions = []) -> ProxySettings {
        ProxySettings(.fixed(proxy, exceptions))
    }

    /// Chooses a proxy for each request; nil stands for none. Such settings are equal only to themselves and their copies.
    ///
    /// - Parameter choose: called at any time on any thread, for redirects too; it should be quick.
    public static func each(_ choose: @escaping @Sendable (HTTPURL) -> Proxy?) -> ProxySettings {
        ProxySettings(.each(Choice(choose)))
    }

    /// Whether all URLs of an origin have the same proxy.
    package var isByOrigin: Bool {
        if case .each = rule { false } else { true }
    }

    /// Whether a challenge of a proxy might be answered: by the authenticator, or with a proxy's own user name and password.
    package var mayAnswerChallenges: Bool {
        if authenticator != nil { return true }
        return switch rule {
        case .direct: false
        case .environment(let environment): environment.plainProxy?.hasCredentials ?? false
        case .fixed(let proxy, _): proxy.hasCredentials
        case .each: true
        }
    }

    /// Whether the settings refer to an object of their owner: a closure or an authenticator.
    var hasClosures: Bool { !isByOrigin || authenticator != nil }

    /// Returns the proxy for a URL; nil for none.
    ///
    /// - Throws: `invalidURL` if the environment's variable for the URL names no proxy.
    package func proxy(for url: HTTPURL) throws(SternaError) -> Proxy? {
        switch rule {
        case .direct: nil
        case .environment(let environment): try environment.proxy(for: url)
        case .fixed(let proxy, let exceptions):
            exceptions.contains(host: url.hostWithoutBrackets, port: url.effectivePort) ? nil : proxy
        case .each(let choice): choice.choose(url)
        }
    }

    /// Whether a proxy receives the requests to a URL. A choice that throws, and therefore fails the request, counts as a proxy.
    package func receives(_ url: HTTPURL) -> Bool {
        do throws(SternaError) {
            return try proxy(for: url) != nil
        } catch {
            return true
        }
    }
}

extension ProxySettings {
    /// A closure that is equal only to itself.
    private final class Choice: Sendable, Hashable {
        let choose: @Sendable (HTTPURL) -> Proxy?

        init(_ choose: @escaping @Sendable (HTTPURL) -> Proxy?) { self.choose = choose }

        static func == (left: Choice, right: Choice) -> Bool { left === right }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    /// An authenticator that is equal only to itself, and shows none of its content.
    private struct Authenticator: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        let object: (any ProxyAuthenticator)?

        init(_ object: (any ProxyAuthenticator)?) { self.object = object }

        static func == (left: Authenticator, right: Authenticator) -> Bool { left.object === right.object }

        func hash(into hasher: inout Hasher) { hasher.combine(object.map { ObjectIdentifier($0) }) }

        var description: String { object.map { "\(type(of: $0))" } ?? "none" }

        var customMirror: Mirror { Mirror(self, children: ["type": description]) }
    }
}
