import CSternaGTK
import CSternaLibGTK
public import Sterna

/// An action that begins a task, and is disabled while it runs: UIRefreshControl+AFNetworking.
///
///     let refresh = RefreshAction(label: "Refresh") { api.dataTask(.get("pictures")) }
///     g_action_map_add_action(actions, refresh.action)
///     gtk_box_append(header, refresh.widget)
///
/// GTK has no gesture that pulls a list down. The action can be bound to a key (`F5`) and to menus, and has a button that shows a spinner
/// meanwhile.
@MainActor public final class RefreshAction {
    /// The GSimpleAction, stateful: its state is whether a refresh is under way.
    public var action: OpaquePointer { actionReference.opaque }

    /// A GtkButton that activates it.
    public var widget: WidgetPointer { button.raw.assumingMemoryBound(to: GtkWidget.self) }

    /// Whether a task is followed that has not ended.
    public private(set) var isRefreshing = false

    /// Called with the task's error, or nil, when it has ended.
    public var ended: (@MainActor (SternaError?) -> Void)?

    private let actionReference: ObjectReference
    private let button: ObjectReference
    private let spinner: TaskSpinner
    private let begin: @MainActor () -> SessionTask?
    private var watch: Task<Void, Never>?

    /// Makes an action.
    ///
    /// - Parameters:
    ///   - name: the action's name in a GActionMap.
    ///   - label: what it does, for screen readers and as a tooltip.
    ///   - begin: makes the task of a refresh; nil if there is nothing to do.
    public init(name: String = "refresh", label: String, begin: @escaping @MainActor () -> SessionTask?) {
        self.begin = begin
        spinner = TaskSpinner(label: label)
        actionReference = ObjectReference(
            taking: UnsafeMutableRawPointer(g_simple_action_new_stateful(name, nil, g_variant_new_boolean(0))))
        button = ObjectReference(sinking: gtk_button_new())
        let stack = gtk_stack_new()
        gtk_stack_add_child(stack?.opaque, gtk_image_new_from_icon_name("view-refresh-symbolic"))
        gtk_stack_add_child(stack?.opaque, spinner.widget)
        gtk_button_set_child(widget.button, stack)
        gtk_widget_set_tooltip_text(widget, label)
        sterna_gtk_set_label(widget, label)
        actionReference.raw.onSignal("activate") { [weak self] in self?.refresh() }
        button.raw.onSignal("clicked") { [weak self] in self?.refresh() }
    }

    isolated deinit { watch?.cancel() }

    /// Begins a task, unless one is under way.
    public func refresh() {
        guard !isRefreshing, let task = begin() else { return }
        follow(task)
    }

    /// Is under way until a task has ended, in place of an earlier one.
    public func follow(_ task: SessionTask) {
        watch?.cancel()
        spinner.follow(task)
        show(true)
        watch = Task { [weak self] in
            for await state in task.states where state == .completed {}
            guard !Task.isCancelled, let self else { return }
            show(false)
            ended?(task.error)
        }
    }

    private func show(_ refreshes: Bool) {
        isRefreshing = refreshes
        g_simple_action_set_state(action, g_variant_new_boolean(refreshes ? 1 : 0))
        g_simple_action_set_enabled(action, refreshes ? 0 : 1)
        gtk_widget_set_sensitive(widget, refreshes ? 0 : 1)
        let stack = gtk_button_get_child(widget.button)
        let first = stack.flatMap { gtk_widget_get_first_child($0) }
        gtk_stack_set_visible_child(stack?.opaque, refreshes ? spinner.widget : first)
        sterna_gtk_set_busy(widget, refreshes)
    }
}
