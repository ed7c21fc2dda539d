import CSternaGTK

/// The thread that runs GTK and the main actor.
package enum MainThread {
    /// Runs a closure that GTK has called. Stops the program on any other thread than the main one: GTK is not thread-safe.
    package static func run<Result: Sendable>(_ body: @MainActor () -> Result) -> Result {
        precondition(isCurrent, "Widgets are used on the thread that called MainLoop.start() alone.")
        return MainActor.assumeIsolated(body)
    }

    package static var isCurrent: Bool { sterna_gtk_is_main_thread() }
}
