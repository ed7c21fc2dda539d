public import SternaCore

/// The option that holds a session's bandwidth limit.
enum BandwidthKey: RequestOptionKey {
    static var defaultValue: BandwidthLimit? { nil }
    static var name: String? { "bandwidth" }
}

/// The option that holds a request's own bandwidth limit, which applies besides the session's.
enum OwnBandwidthKey: RequestOptionKey {
    static var defaultValue: BandwidthLimit? { nil }
    static var name: String? { "ownBandwidth" }
}

extension SessionSettings {
    /// A limit on the bandwidth of all bodies of the session, in both directions; none by default.
    ///
    /// Sessions may share a limit: all their bodies together keep to it. A derived session has the limit of the one that it was
    /// derived from, unless it is given another.
    public var bandwidth: BandwidthLimit? {
        get { options[BandwidthKey.self] }
        set { options[ifSet: BandwidthKey.self] = newValue.map(Optional.some) }
    }
}

extension RequestSettings {
    /// A limit on the bandwidth of this request's bodies; none by default. Both this one and the session's apply.
    ///
    /// Requests that are given the same limit share it.
    public var bandwidth: BandwidthLimit? {
        get { options[OwnBandwidthKey.self] }
        set { options[ifSet: OwnBandwidthKey.self] = newValue.map(Optional.some) }
    }
}
