import SternaCore

/// The option for responses of any status.
enum AnyStatusKey: RequestOptionKey {
    static let defaultValue = false
    static var name: String? { "acceptsAnyStatus" }
}

extension SessionSettings {
    /// Whether a response is returned whatever its status, so that no status is an error; no by default.
    ///
    /// The response serializer still judges the media type when it makes a value. Redirects and retries are not affected. A
    /// download to a file still fails for an unacceptable status, since it would save an error page.
    public var acceptsAnyStatus: Bool {
        get { options[AnyStatusKey.self] }
        set { options[AnyStatusKey.self] = newValue }
    }
}

extension RequestSettings {
    /// Whether the response is returned whatever its status; see ``SessionSettings/acceptsAnyStatus``.
    ///
    ///     let reply = try await api.get("users/1") { $0.acceptsAnyStatus = true }
    ///     if reply.status == 404 { … }
    public var acceptsAnyStatus: Bool {
        get { options[AnyStatusKey.self] }
        set { options[AnyStatusKey.self] = newValue }
    }
}
