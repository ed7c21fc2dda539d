public import Sterna

extension SessionSettings.Events {
    /// Records the session's exchanges: requests as given and as sent, responses as received, bodies up to a size.
    ///
    ///     let api = try Session(baseURL: "https://api.example.com") { $0.events.record(with: recorder) }
    ///
    /// Calling it again replaces the earlier choice. A recorder in memory keeps credentials; see ``Recorder``. Calls whose events are
    /// lost beyond ``capacity`` are recorded, too.
    public mutating func record(with recorder: Recorder) { self.recorder = recorder }
}

extension Session {
    /// The recorder of the session's exchanges; nil, the default, if they are not recorded.
    public var recorder: Recorder? { sessionRecorder as? Recorder }
}
