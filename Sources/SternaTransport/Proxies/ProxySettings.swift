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

    /// Provides credentials where a proxy asks for them (407); none by default, so that only those of a ``Proxy`` are sent.
    ///
    /// Choose the proxies first, then set it: `settings.proxies.authenticator = …`. Settings are equal that have the same object,
    /// and sessions with equal settings share its answers with their connections. SOCKS proxies are not concerned.
    public var authenticator: (any ProxyAuthenticator)? {
        get { ownAuthenticator.object }
        set { ownAuthenticator = Authenticator(newValue) }
    }

    /// No request goes through a proxy.
    public static let none = ProxySettings(.direct)

    /// What this process's environment says, read once, when it is first used; see ``environment(_:)``.
    ///
    /// A value that names no proxy fails the requests that it would be used for, with `invalidURL`.
    public static let environment = ProxySettings(.environment(ProxyEnvironment(.process)))

    /// What the variables of an environment say.
    ///
    /// `http_proxy` is for http and ws; `https_proxy` or `HTTPS_PROXY` is for https and wss; `all_proxy` or
    /// `ALL_PROXY` where there is no other. `no_proxy` or `NO_PROXY` lists exceptions, as ``ProxyExceptions`` has
    /// them. The first that is not blank counts. `HTTP_PROXY` is not read: in a CGI program it is a field of the
    /// request that is being answered.
    ///
    /// Loopback hosts (`localhost`, names below it, 127.0.0.0/8, ::1) never go through these proxies, to which they
    /// would be other machines; ``proxy(_:except:)`` has no such rule.
    ///
    /// - Throws: `invalidURL` where a variable that would be used names no proxy.
    public static func environment(_ variables: [String: String]) throws(SternaError) -> ProxySettings {
        let environment = ProxyEnvironment(variables)
        try environment.check()
        return ProxySettings(.environment(environment))
    }

    /// Every request goes through a proxy, those to loopback hosts too, but for the exceptions.
    public static func proxy(_ proxy: Proxy, except exceptions: ProxyExceptions = []) -> ProxySettings {
        ProxySettings(.fixed(proxy, exceptions))
    }

    /// Asks for each request; the answer nil is for no proxy. Such settings are equal to themselves and their copies
    /// alone.
    ///
    /// - Parameter choose: called at any time on any thread, for redirects too; it should be quick.
    public static func each(_ choose: @escaping @Sendable (HTTPURL) -> Proxy?) -> ProxySettings {
        ProxySettings(.each(Choice(choose)))
    }

    /// Whether all URLs of an origin have the same proxy.
    package var isByOrigin: Bool {
        if case .each = rule { false } else { true }
    }

    /// Whether it refers to what only its owner has: a closure or an authenticator.
    var hasClosures: Bool { !isByOrigin || authenticator != nil }

    /// The proxy for a URL; nil where there is none.
    ///
    /// - Throws: `invalidURL` where the environment's variable for the URL cannot be read.
    package func proxy(for url: HTTPURL) throws(SternaError) -> Proxy? {
        switch rule {
        case .direct: nil
        case .environment(let environment): try environment.proxy(for: url)
        case .fixed(let proxy, let exceptions):
            exceptions.contains(host: url.hostWithoutBrackets, port: url.effectivePort) ? nil : proxy
        case .each(let choice): choice.choose(url)
        }
    }
}

extension ProxySettings {
    /// A closure that is equal to itself alone.
    private final class Choice: Sendable, Hashable {
        let choose: @Sendable (HTTPURL) -> Proxy?

        init(_ choose: @escaping @Sendable (HTTPURL) -> Proxy?) { self.choose = choose }

        static func == (left: Choice, right: Choice) -> Bool { left === right }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    /// An authenticator that is equal to itself alone, and shows nothing of what it holds.
    private struct Authenticator: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        let object: (any ProxyAuthenticator)?

        init(_ object: (any ProxyAuthenticator)?) { self.object = object }

        static func == (left: Authenticator, right: Authenticator) -> Bool { left.object === right.object }

        func hash(into hasher: inout Hasher) { hasher.combine(object.map { ObjectIdentifier($0) }) }

        var description: String { object.map { "\(type(of: $0))" } ?? "none" }

        var customMirror: Mirror { Mirror(self, children: ["type": description]) }
    }
}
