import SternaCore

/// The option that makes requests wait for the network.
enum WaitsForConnectivityKey: RequestOptionKey {
    static let defaultValue = false
    static var name: String? { "network.waitsForConnectivity" }
}

extension SessionSettings.Network {
    /// Makes the gate at which the session's requests wait; nil if they do not wait.
    var connectivityGate: ConnectivityGate? {
        guard waitsForConnectivity, unixSocket == nil else { return nil }
        return ConnectivityGate(watchedNetwork ?? SystemNetwork(), engine)
    }
}
