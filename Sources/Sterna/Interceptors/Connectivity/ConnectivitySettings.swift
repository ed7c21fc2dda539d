import SternaCore

/// The option that makes requests wait for the network.
enum WaitsForConnectivityKey: RequestOptionKey {
    static let defaultValue = false
    static var name: String? { "waitsForConnectivity" }
}

extension SessionSettings {
    /// Whether requests wait while the network is away, until it returns or their time is over; no by default. URLSession's
    /// `waitsForConnectivity`.
    ///
    ///     let api = try Session(baseURL: "https://api.example.com") { $0.waitsForConnectivity = true }
    ///
    /// Idempotent requests wait, and those with an Idempotency-Key: before they are sent, if no network is there, and again if they fail while
    /// the default route is lost and their body can be read again. They are bound by ``Timeouts/total`` and by the deadline. When the network
    /// returns, pauses between retries end, too; when it goes, idle connections are closed. Requests to this machine do not wait, nor do those
    /// of a session with a Unix domain socket.
    public var waitsForConnectivity: Bool {
        get { options[WaitsForConnectivityKey.self] }
        set { options[WaitsForConnectivityKey.self] = newValue }
    }

    /// What holds the session's requests; nil if none of them waits.
    var connectivityGate: ConnectivityGate? {
        guard waitsForConnectivity, unixSocket == nil else { return nil }
        return ConnectivityGate(reachability, engine)
    }
}

extension RequestSettings {
    /// Whether this request waits while the network is away. In a session whose requests do not wait, a request that asks for it
    /// fails with `invalidRequest`.
    public var waitsForConnectivity: Bool {
        get { options[WaitsForConnectivityKey.self] }
        set { options[WaitsForConnectivityKey.self] = newValue }
    }
}
