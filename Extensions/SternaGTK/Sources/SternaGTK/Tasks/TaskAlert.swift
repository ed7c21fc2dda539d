import CSternaGTK
import CSternaLibGTK
public import Sterna

/// Tells the user when a task fails: UIAlertView+AFNetworking of 2.x.
@MainActor public enum TaskAlert {
    /// Shows a message above a window if a task fails, once it has; not if it was cancelled.
    ///
    /// - Parameters:
    ///   - window: the GtkWindow; nil for a message alone.
    ///   - title: the first line; the error's message is below it.
    ///   - button: the text of the button that closes the message.
    public static func show(
        ifFails task: SessionTask, over window: WindowPointer?,
        title: String = "The request has failed", button: String = "Close"
    ) {
        let parent = window.map { ObjectReference(to: UnsafeMutableRawPointer($0)) }
        Task {
            for await state in task.states where state == .completed {}
            guard let error = task.error, error.kind != .cancelled else { return }
            sterna_gtk_alert(parent?.raw.assumingMemoryBound(to: GtkWindow.self), title, error.message, button)
        }
    }
}
