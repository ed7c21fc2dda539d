import SternaCore

/// The option for responses of any status.
enum AnyStatusKey: RequestOptionKey {
    static let defaultValue = false
    static var name: String? { "acceptsAnyStatus" }
}

extension SessionSettings {
    /// Whether a response is returned whatever its status, so that no status is an error; no by default.
    ///
    /// The response serializer still judges the media type when it makes a value. Redirects are followed, and requests are sent again, as
    /// without it. A download to a file fails for an unacceptable status nevertheless, since it would save the error's page.
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
