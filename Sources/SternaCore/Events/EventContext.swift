/// What an observer captured where a call or a task was made, such as the values of task-local variables.
///
/// Events are delivered on another thread, so an observer that needs the caller's task captures there. ``ObservedCall/context`` has
/// it for all events of the call.
package protocol EventContext: AnyObject, Sendable {
    /// Captures what belongs to an attempt; called in the task that makes it. The engine's own repeats have no such task, and belong
    /// to the attempt before.
    func attemptBegan(_ number: Int, _ request: Request)

    /// Receives the response that the caller gets, before the event of the call's end; with its body if the call has collected it.
    func received(_ response: Response, body: Bytes?)

    /// Receives the error that the call fails with, before the event of its end.
    func failed(_ error: SternaError)
}
