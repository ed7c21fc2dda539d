import SternaCore

/// The option that holds whether requests share transfers.
enum CoalescingUseKey: RequestOptionKey {
    static var defaultValue: Bool { false }
    static var name: String? { "coalescesRequests" }
}

extension SessionSettings {
    /// Whether identical GET and HEAD requests of the session that are in flight together share one transfer; no by default.
    ///
    ///     let api = try Session(baseURL: "https://api.example.com") { $0.coalescesRequests = true }
    ///
    /// Requests are identical if method, URL, header fields, cookies, identity and options are. Each keeps its own deadline, cancellation
    /// and pace. A response that speaks of one request alone is used once, and the other requests are sent for themselves.
    public var coalescesRequests: Bool {
        get { options[CoalescingUseKey.self] }
        set { options[CoalescingUseKey.self] = newValue }
    }
}

extension RequestSettings {
    /// Whether this request shares its transfer with identical ones of the session.
    public var coalescesRequests: Bool {
        get { options[CoalescingUseKey.self] }
        set { options[CoalescingUseKey.self] = newValue }
    }
}
