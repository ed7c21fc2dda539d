import CSternaGTK
import CSternaLibGTK
public import SternaReachability

/// A GtkLabel with an icon that shows whether the network can be reached, and over what.
@MainActor public final class ReachabilityBadge {
    /// The GtkBox with the icon and the label.
    public var widget: WidgetPointer { box.raw.assumingMemoryBound(to: GtkWidget.self) }

    /// What it reads.
    public private(set) var text = ""

    /// The path that is shown; nil before the first answer.
    public private(set) var path: NetworkPath?

    private let box = ObjectReference(sinking: gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6))
    private let icon = ObjectReference(sinking: gtk_image_new())
    private let label = ObjectReference(sinking: gtk_label_new(nil))
    private var watch: Task<Void, Never>?

    /// Shows what an object reports, as long as the badge lives.
    public init(_ reachability: NetworkReachability = .shared) {
        let content = box.raw.assumingMemoryBound(to: GtkBox.self)
        gtk_box_append(content, icon.raw.assumingMemoryBound(to: GtkWidget.self))
        gtk_box_append(content, label.raw.assumingMemoryBound(to: GtkWidget.self))
        show("network-no-route-symbolic", NetworkPath.Status.unknown.localizedDescription)
        watch = Task { [weak self] in
            for await path in reachability.updates {
                guard !Task.isCancelled, let self else { return }
                show(path)
            }
        }
    }

    isolated deinit { watch?.cancel() }

    private func show(_ path: NetworkPath) {
        self.path = path
        show(Self.icon(of: path.status), path.status.localizedDescription)
    }

    private func show(_ name: String, _ text: String) {
        self.text = text
        gtk_image_set_from_icon_name(icon.opaque, name)
        gtk_label_set_text(label.opaque, text)
        sterna_gtk_set_label(widget, text)
    }

    private static func icon(of status: NetworkPath.Status) -> String {
        switch status {
        case .unknown: "network-no-route-symbolic"
        case .notReachable: "network-offline-symbolic"
        case .reachable(.cable): "network-wired-symbolic"
        case .reachable(.wifi): "network-wireless-symbolic"
        case .reachable(.cellular): "network-cellular-symbolic"
        }
    }
}
