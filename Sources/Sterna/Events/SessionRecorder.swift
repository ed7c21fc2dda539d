package import SternaCore

/// Records the exchanges of a session; see ``SessionSettings/Events/recorder``.
package protocol SessionRecorder: AnyObject, Sendable {
    /// Receives the events of the session's calls.
    var observer: EventObserver { get }

    /// Sees each request that the transport gets, and the bodies as they pass.
    var requests: any Interceptor { get }

    /// Begins to record the calls whose events a buffer has.
    func begin(on buffer: EventBuffer)
}

extension Session {
    /// The recorder of the session's settings.
    package var sessionRecorder: (any SessionRecorder)? { plan.settings.events.recorder }
}
