import CSternaGTK
import CSternaLibGTK
public import Sterna

/// What went wrong, with a button to try again: in place of an image, a list or a page.
@MainActor public final class FailureView {
    /// The GtkBox with everything.
    public var widget: WidgetPointer { box.raw.assumingMemoryBound(to: GtkWidget.self) }

    /// The GtkButton.
    public var button: WidgetPointer { retryButton.raw.assumingMemoryBound(to: GtkWidget.self) }

    /// Called when the button is clicked.
    public var retry: (@MainActor () -> Void)?

    /// The error that is shown.
    public private(set) var error: SternaError?

    /// What is read: the error's message, in a compact view a few words.
    public private(set) var text = ""

    private let box: ObjectReference
    private let message: ObjectReference
    private let retryButton: ObjectReference
    private let isCompact: Bool

    /// Makes a view without an error.
    ///
    /// - Parameters:
    ///   - isCompact: whether it is as small as a cell of a list, without an icon; no by default.
    ///   - retryLabel: the text of the button.
    public init(isCompact: Bool = false, retryLabel: String = "Try again") {
        self.isCompact = isCompact
        box = ObjectReference(sinking: gtk_box_new(GTK_ORIENTATION_VERTICAL, isCompact ? 6 : 12))
        message = ObjectReference(sinking: gtk_label_new(nil))
        retryButton = ObjectReference(sinking: gtk_button_new_with_label(retryLabel))
        gtk_widget_set_valign(widget, GTK_ALIGN_CENTER)
        gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
        gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
        gtk_label_set_wrap(message.opaque, 1)
        gtk_label_set_justify(message.opaque, GTK_JUSTIFY_CENTER)
        gtk_label_set_max_width_chars(message.opaque, isCompact ? 18 : 60)
        let content = box.raw.assumingMemoryBound(to: GtkBox.self)
        if !isCompact, let icon = gtk_image_new_from_icon_name("dialog-error-symbolic") {
            gtk_image_set_pixel_size(icon.opaque, 64)
            gtk_box_append(content, icon)
        }
        gtk_box_append(content, message.raw.assumingMemoryBound(to: GtkWidget.self))
        gtk_box_append(content, button)
        retryButton.raw.onSignal("clicked") { [weak self] in self?.retry?() }
    }

    /// Shows an error.
    public func show(_ error: SternaError) {
        self.error = error
        text = FailureText.of(error, isShort: isCompact)
        gtk_label_set_text(message.opaque, text)
        sterna_gtk_set_description(button, text)
    }
}

/// What is said of errors.
enum FailureText {
    /// - Parameter isShort: whether there is room for a few words only.
    static func of(_ error: SternaError, isShort: Bool) -> String {
        guard isShort else { return error.message }
        guard error.kind == .unacceptableStatus, let status = error.response?.status.code else { return "Not loaded" }
        return switch status {
        case 401, 403, 407: "Not allowed (\(status))"
        case 404, 410: "Not found (\(status))"
        case 500...599: "Server error (\(status))"
        default: "Not loaded (\(status))"
        }
    }
}
