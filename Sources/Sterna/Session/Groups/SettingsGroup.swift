import SternaCore

/// A group of a request's settings.
///
/// All settings are moved into the group while one of them is changed, and back afterwards, so that nothing is copied and the group
/// needs no storage of its own.
protocol SettingsGroup: Sendable {
    var settings: RequestSettings { get set }

    init(settings: RequestSettings)

    /// Replaces the group's settings, and no others, by another value's.
    mutating func replace(by other: Self)
}

extension SettingsGroup {
    /// Replaces an option by another value's; without one the session's applies.
    mutating func replaceOption<Key: RequestOptionKey>(_ key: Key.Type, by other: Self) {
        guard !settings.options.isEmpty || !other.settings.options.isEmpty else { return }
        settings.options[ifSet: key] =
            other.settings.options[ifSet: key] ?? settings.session?.requestOptions[ifSet: key]
    }

    /// Replaces a choice for the call by another value's.
    mutating func replaceChoice<Value>(_ choice: WritableKeyPath<CallState.Choices, Value>, by other: Self) {
        guard settings.carried != nil || other.settings.carried != nil else { return }
        settings.state.choices[keyPath: choice] = other.settings.state.choices[keyPath: choice]
    }
}

extension RequestSettings {
    /// The settings as a group.
    subscript<Group: SettingsGroup>(type: Group.Type) -> Group {
        get { Group(settings: self) }
        _modify {
            var group = Group(settings: RequestSettings())
            swap(&self, &group.settings)
            defer { swap(&self, &group.settings) }
            yield &group
        }
        set {
            var group = Group(settings: self)
            group.replace(by: newValue)
            self = group.settings
        }
    }

    /// Credentials, tokens and signatures.
    ///
    ///     try await api.post("login", form) { $0.auth.usesTokens = false }
    public var auth: Auth {
        get { self[Auth.self] }
        _modify { yield &self[Auth.self] }
        set { self[Auth.self] = newValue }
    }

    /// How cookies are sent and stored.
    public var cookies: Cookies {
        get { self[Cookies.self] }
        _modify { yield &self[Cookies.self] }
        set { self[Cookies.self] = newValue }
    }

    /// How the request uses the session's cache.
    public var cache: Cache {
        get { self[Cache.self] }
        _modify { yield &self[Cache.self] }
        set { self[Cache.self] = newValue }
    }

    /// The bandwidth limit, and the size of a body above which the request waits for `100 (Continue)`.
    public var limits: Limits {
        get { self[Limits.self] }
        _modify { yield &self[Limits.self] }
        set { self[Limits.self] = newValue }
    }

    /// How the request uses the network.
    public var network: Network {
        get { self[Network.self] }
        _modify { yield &self[Network.self] }
        set { self[Network.self] = newValue }
    }

    /// Which group the request's task enters.
    public var tasks: Tasks {
        get { self[Tasks.self] }
        _modify { yield &self[Tasks.self] }
        set { self[Tasks.self] = newValue }
    }
}
