public import SternaCore

extension RequestSettings {
    /// The bandwidth limit of this request's bodies; the session's by default. A limit set here applies in addition to the
    /// session's; nil disables both.
    ///
    /// Requests with the same limit share its bandwidth.
    public var bandwidth: BandwidthLimit? {
        get { state.choices.bandwidth ?? session?.settings.bandwidth }
        set { state.choices.bandwidth = .some(newValue) }
    }
}
