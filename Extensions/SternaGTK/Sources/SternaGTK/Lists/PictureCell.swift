import CSternaGTK
import CSternaLibGTK
public import Sterna
public import SternaImages

/// An image of a ``PictureCell``.
public struct PictureItem: Sendable, Hashable {
    /// The image's URL, relative to the session's base URL or absolute.
    public var url: String

    /// What the image shows, below it and for screen readers.
    public var label: String

    public init(url: String, label: String) { (self.url, self.label) = (url, label) }
}

/// A cell of a ``RecycledList``: an image with a caption, and in its place what went wrong, with a button to try again.
@MainActor public final class PictureCell: RecycledCell {
    /// The GtkBox with everything.
    public var widget: WidgetPointer { box.raw.assumingMemoryBound(to: GtkWidget.self) }

    /// The image.
    public let picture: RemotePicture

    /// What is shown in place of an image that could not be fetched.
    public let failure: FailureView

    /// The item that is shown; nil while the cell waits for one.
    public private(set) var item: PictureItem?

    /// Called with the item and its image, or the error.
    public var answered: (@MainActor (PictureItem, Result<DecodedImage, SternaError>) -> Void)?

    private let box: ObjectReference
    private let caption: ObjectReference
    private let stack: ObjectReference
    private let size: PixelSize
    private let placeholder: Paintable?

    /// Makes an empty cell.
    ///
    /// - Parameter size: the size of the image in GTK's pixels.
    public init(_ images: ImageDownloader, size: PixelSize, placeholder: Paintable? = nil) {
        (self.size, self.placeholder) = (size, placeholder)
        picture = RemotePicture(images, fit: .cover)
        failure = FailureView(isCompact: true)
        box = ObjectReference(sinking: gtk_box_new(GTK_ORIENTATION_VERTICAL, 4))
        caption = ObjectReference(sinking: gtk_label_new(nil))
        stack = ObjectReference(sinking: gtk_stack_new())
        gtk_widget_set_size_request(picture.widget, CInt(clamping: size.width), CInt(clamping: size.height))
        gtk_widget_set_halign(picture.widget, GTK_ALIGN_CENTER)
        gtk_label_set_ellipsize(caption.opaque, PANGO_ELLIPSIZE_END)
        gtk_stack_add_child(stack.opaque, picture.widget)
        gtk_stack_add_child(stack.opaque, failure.widget)
        let content = box.raw.assumingMemoryBound(to: GtkBox.self)
        gtk_box_append(content, stack.raw.assumingMemoryBound(to: GtkWidget.self))
        gtk_box_append(content, caption.raw.assumingMemoryBound(to: GtkWidget.self))
        failure.retry = { [weak self] in self?.load() }
    }

    public func show(_ item: PictureItem) {
        self.item = item
        picture.label = item.label
        gtk_label_set_text(caption.opaque, item.label)
        load()
    }

    public func prepareForReuse() {
        item = nil
        picture.clear()
    }

    /// Fetches the image, again after a failure.
    public func load() {
        guard let item else { return }
        gtk_stack_set_visible_child(stack.opaque, picture.widget)
        picture.setImage(item.url, placeholder: placeholder, size: size) { [weak self] result in
            guard let self, self.item == item else { return }
            if case .failure(let error) = result, error.kind != .cancelled { fail(error) }
            answered?(item, result)
        }
    }

    private func fail(_ error: SternaError) {
        failure.show(error)
        gtk_stack_set_visible_child(stack.opaque, failure.widget)
    }
}
