import CSternaGTK
import CSternaLibGTK
public import Sterna

/// A GtkProgressBar that shows the progress of a task: UIProgressView+AFNetworking.
///
///     let bar = TaskProgressBar(label: "Download")
///     bar.follow(downloadOf: task)
///
/// It pulses as long as the length is not known; at the end it is full then, or empty if the task has failed.
@MainActor public final class TaskProgressBar {
    /// The GtkProgressBar.
    public var widget: WidgetPointer { reference.raw.assumingMemoryBound(to: GtkWidget.self) }

    /// Whether the bar also shows the progress in words; no by default.
    public var showsText = false {
        didSet { gtk_progress_bar_set_show_text(reference.opaque, showsText ? 1 : 0) }
    }

    /// The progress that is shown; nil while no task is followed.
    public private(set) var progress: TransferProgress?

    private let reference = ObjectReference(sinking: gtk_progress_bar_new())
    private var watch: Task<Void, Never>?

    /// Makes an empty bar.
    ///
    /// - Parameter label: what is under way, for screen readers.
    public init(label: String) { sterna_gtk_set_label(widget, label) }

    isolated deinit { watch?.cancel() }

    /// Shows the progress of a task's response body.
    public func follow(downloadOf task: SessionTask) { follow(task.downloadProgress) { task.error == nil } }

    /// Shows the progress of a task's request body.
    public func follow(uploadOf task: SessionTask) { follow(task.uploadProgress) { task.error == nil } }

    /// Shows progress, in place of what was followed before.
    public func follow(_ updates: Updates<TransferProgress>) { follow(updates) { true } }

    private func follow(_ updates: Updates<TransferProgress>, hasSucceeded: @escaping @MainActor () -> Bool) {
        watch?.cancel()
        show(updates.current)
        watch = Task { [weak self] in
            for await step in updates {
                guard !Task.isCancelled, let self else { return }
                show(step)
            }
            // A pulse that stands still would say that the rest is awaited.
            guard !Task.isCancelled, let self, progress?.fraction == nil else { return }
            gtk_progress_bar_set_fraction(reference.opaque, hasSucceeded() ? 1 : 0)
        }
    }

    /// Follows nothing, and is empty.
    public func clear() {
        watch?.cancel()
        (watch, progress) = (nil, nil)
        gtk_progress_bar_set_fraction(reference.opaque, 0)
        gtk_progress_bar_set_text(reference.opaque, "")
    }

    private func show(_ step: TransferProgress) {
        progress = step
        if let fraction = step.fraction {
            gtk_progress_bar_set_fraction(reference.opaque, fraction)
        } else if step.completed > 0 {
            gtk_progress_bar_pulse(reference.opaque)
        } else {
            gtk_progress_bar_set_fraction(reference.opaque, 0)
        }
        gtk_progress_bar_set_text(reference.opaque, step.description)
    }
}
