import CSternaGTK
import CSternaLibGTK
public import Sterna

/// A GtkSpinner that spins while a task runs: UIActivityIndicatorView+AFNetworking.
///
///     let spinner = TaskSpinner(label: "Loading")
///     spinner.follow(task)
///
/// It stops while the task is suspended, and for good when it has ended.
@MainActor public final class TaskSpinner {
    /// The GtkSpinner.
    public var widget: WidgetPointer { reference.raw.assumingMemoryBound(to: GtkWidget.self) }

    /// Whether the widget is invisible while it does not spin; yes by default.
    public var hidesWhenStopped = true {
        didSet { show(isSpinning) }
    }

    /// Whether it spins.
    public private(set) var isSpinning = false

    private let reference = ObjectReference(sinking: gtk_spinner_new())
    private var watch: Task<Void, Never>?

    /// Makes a spinner that stands still.
    ///
    /// - Parameter label: what is under way, for screen readers.
    public init(label: String = "Loading") {
        sterna_gtk_set_label(widget, label)
        show(false)
    }

    isolated deinit { watch?.cancel() }

    /// Spins while a task runs, in place of an earlier one; nil follows none.
    public func follow(_ task: SessionTask?) {
        watch?.cancel()
        watch = nil
        show(task?.state == .running)
        guard let task, !task.isFinished else { return }
        watch = Task { [weak self] in
            for await state in task.states {
                guard !Task.isCancelled, let self else { return }
                show(state == .running)
            }
        }
    }

    private func show(_ spins: Bool) {
        isSpinning = spins
        gtk_spinner_set_spinning(reference.opaque, spins ? 1 : 0)
        gtk_widget_set_visible(widget, spins || !hidesWhenStopped ? 1 : 0)
    }
}
