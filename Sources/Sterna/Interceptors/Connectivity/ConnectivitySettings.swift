import SternaCore

/// The option that makes requests wait for the network.
enum WaitsForConnectivityKey: RequestOptionKey {
    static let defaultValue = false
    static var name: String? { "waitsForConnectivity" }
}

extension SessionSettings {
    /// Whether requests wait while the network is unreachable, until it returns or their deadline passes; false by default. The
    /// counterpart of URLSession's `waitsForConnectivity`.
    ///
    ///     let api = try Session(baseURL: "https://api.example.com") { $0.waitsForConnectivity = true }
    ///
    /// Idempotent requests and requests with an Idempotency-Key wait: before they are sent, if no network is reachable, and again
    /// if they fail while the default route is lost and their body can be read again. ``Timeouts/total`` and the deadline limit the
    /// wait. When the network returns, waits between retries end, too; when it is lost, idle connections are closed. Requests to
    /// this machine do not wait, nor do those of a session with a Unix domain socket.
    public var waitsForConnectivity: Bool {
        get { options[WaitsForConnectivityKey.self] }
        set { options[WaitsForConnectivityKey.self] = newValue }
    }

    /// Makes the gate at which the session's requests wait; nil if they do not wait.
    var connectivityGate: ConnectivityGate? {
        guard waitsForConnectivity, unixSocket == nil else { return nil }
        return ConnectivityGate(reachability, engine)
    }
}

extension RequestSettings {
    /// Whether this request waits while the network is unreachable; the session's setting by default. In a session whose requests
    /// do not wait, true fails the request with `invalidRequest`.
    public var waitsForConnectivity: Bool {
        get { options[WaitsForConnectivityKey.self] }
        set { options[WaitsForConnectivityKey.self] = newValue }
    }
}
