public import SternaCore

extension RequestSettings {
    /// A limit on the bandwidth of this request's bodies; none by default. Both this one and the session's apply.
    ///
    /// Requests that are given the same limit share it.
    public var bandwidth: BandwidthLimit? {
        get { state.choices.bandwidth }
        set { state.choices.bandwidth = newValue }
    }
}
