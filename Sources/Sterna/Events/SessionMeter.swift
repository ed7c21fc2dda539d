package import SternaCore
package import SternaTransport

/// Reports the metrics of a session's calls and of its engine; see ``SessionSettings/Events/meter``.
package protocol SessionMeter: AnyObject, Sendable {
    /// Receives the events of the session's calls.
    var observer: EventObserver { get }

    /// Begins to report the figures of an engine, until the result is released.
    func begin(on engine: Engine) -> any AnyObject & Sendable
}
