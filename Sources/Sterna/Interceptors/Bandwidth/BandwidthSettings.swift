public import SternaCore

extension RequestSettings {
    /// A limit on the bandwidth of this request's bodies. One that is set here applies together with the session's; with nil the
    /// session's does not apply either.
    ///
    /// Requests that are given the same limit share it.
    public var bandwidth: BandwidthLimit? {
        get { state.choices.bandwidth ?? session?.settings.bandwidth }
        set { state.choices.bandwidth = .some(newValue) }
    }
}
