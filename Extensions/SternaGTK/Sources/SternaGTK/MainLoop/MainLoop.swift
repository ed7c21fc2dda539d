import CSternaGTK
import CSternaLibGTK
public import Sterna

/// GLib's main loop with Swift's main actor in it.
///
///     @main @MainActor struct Viewer {
///         static func main() throws {
///             try MainLoop.start()
///             openWindow()
///             try MainLoop.run()
///         }
///     }
///
/// The main actor's work has the priority of drawing, below that of input, and takes turns with it: a program that keeps the main actor
/// busy is slow, but it is drawn. A single piece of work delays the next frame by as long as it takes.
@MainActor public enum MainLoop {
    private static var isStarted = false
    private static var loop: OpaquePointer?

    /// Initializes GTK, and lets GLib's default context run the main actor, whoever iterates that: ``run()``, or a GtkApplication.
    ///
    /// Call it from a `main` that is not `async`, before anything else of GTK. Throws `invalidRequest` on any other thread than the first
    /// one, and where there is no display. A second call has no effect.
    public static func start() throws(SternaError) {
        guard !isStarted else { return }
        guard withUnsafeCurrentTask(body: { $0 == nil }), sterna_gtk_attach_main_queue() else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "GTK runs on the first thread of the process, outside of Swift tasks; call MainLoop.start() in a main that is not async."
            )
        }
        guard gtk_init_check() != 0 else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "GTK finds no display; set WAYLAND_DISPLAY or DISPLAY, or run the program by xvfb-run.")
        }
        isStarted = true
    }

    /// Runs until ``quit()``. Throws `invalidRequest` before ``start()``, while it runs already, and in a Swift task, which would keep the main
    /// actor from going on.
    public static func run() throws(SternaError) {
        guard isStarted, loop == nil, withUnsafeCurrentTask(body: { $0 == nil }) else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "MainLoop.run() is called once, behind MainLoop.start(), in a main that is not async.")
        }
        let running = g_main_loop_new(nil, 0)
        loop = running
        g_main_loop_run(running)
        loop = nil
        g_main_loop_unref(running)
    }

    /// Ends ``run()``; has no effect if it does not run.
    public static func quit() {
        if let loop { g_main_loop_quit(loop) }
    }
}
