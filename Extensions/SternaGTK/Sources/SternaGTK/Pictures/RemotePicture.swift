import CSternaGTK
import CSternaLibGTK
public import Sterna
public import SternaImages

/// A GtkPicture that shows images of URLs: UIImageView+AFNetworking.
///
///     let picture = RemotePicture(images, label: "A harbour at dusk")
///     picture.setImage("photos/1.jpg", placeholder: grey, size: PixelSize(width: 160, height: 120))
///     gtk_box_append(box, picture.widget)
///
/// It shows the image that was set last, whatever comes late. Setting another one, ``clear()``, and releasing this object cancel the request,
/// so keep the object as long as the widget is shown. An image in memory is shown before `setImage` returns; one that has been fetched
/// fades in.
@MainActor public final class RemotePicture {
    /// Called once for each image that was set: with the image, the error, or `cancelled` once another one takes its place.
    public typealias Completion = @MainActor (Result<DecodedImage, SternaError>) -> Void

    /// How an image fits into the widget.
    public enum Fit: Sendable, Hashable {
        /// The whole image is shown; the default.
        case contain
        /// The whole widget is covered, and the rest of the image is cut off.
        case cover
    }

    /// The GtkPicture.
    public var widget: WidgetPointer { reference.raw.assumingMemoryBound(to: GtkWidget.self) }

    /// How images fit into the widget, and how large they are decoded for a size.
    public let fit: Fit

    /// How long an image fades in that was not in memory; 200 ms by default. Zero shows it at once, as does a user's wish for no animations.
    public var fadeDuration = Duration.milliseconds(200)

    /// What the picture shows, for screen readers.
    public var label: String {
        didSet { describe() }
    }

    /// The image that is shown; nil while there is none.
    public private(set) var image: DecodedImage?

    /// Why the image that was set last is not shown; nil if it is, or is still fetched.
    public private(set) var error: SternaError?

    /// The request that was set last; nil after ``clear()``.
    public var request: ImageRequest? { slot?.request }

    /// Whether an image is being fetched.
    public var isLoading: Bool { slot?.isLoading ?? false }

    private let reference: ObjectReference
    private let images: ImageDownloader
    private var slot: ImageSlot?
    private var placeholder: Paintable?
    private var completion: Completion?

    /// The number of the fade that may go on.
    private var fade = 0

    /// Makes a picture without an image.
    ///
    /// - Parameters:
    ///   - images: fetches the images.
    ///   - label: what the picture shows, for screen readers.
    public init(_ images: ImageDownloader, label: String = "", fit: Fit = .contain) {
        (self.images, self.label, self.fit) = (images, label, fit)
        reference = ObjectReference(sinking: gtk_picture_new())
        gtk_picture_set_can_shrink(reference.opaque, 1)
        gtk_picture_set_content_fit(reference.opaque, fit == .cover ? GTK_CONTENT_FIT_COVER : GTK_CONTENT_FIT_CONTAIN)
        describe()
    }

    isolated deinit {
        slot = nil
        finish(.failure(ReplacedImage.error))
    }

    // MARK: Setting

    /// Shows the image at a URL, relative to the session's base URL or absolute.
    ///
    /// - Parameters:
    ///   - placeholder: shown until the image is there, and if it fails; nothing by default.
    ///   - size: the size of the widget in GTK's pixels, so that the image is decoded no larger; the image's own by default.
    ///   - filter: what is made of the decoded image.
    ///   - completion: called once; before this returns for an image in memory.
    public func setImage(
        _ reference: some URLConvertible, placeholder: Paintable? = nil, size: PixelSize? = nil,
        filter: (any ImageFilter)? = nil, completion: Completion? = nil
    ) {
        setImage(
            ImageRequest(
                reference, target: ScaledTarget.of(size, fit == .cover ? .fill : .fit, shownBy: widget), filter: filter),
            placeholder: placeholder, completion: completion)
    }

    /// Shows the image of a request, which may have settings of its own. Its target is in pixels of the screen.
    public func setImage(_ request: ImageRequest, placeholder: Paintable? = nil, completion: Completion? = nil) {
        let earlier = self.completion
        (self.completion, self.placeholder) = (completion, placeholder)
        let slot = self.slot ?? ImageSlot(images) { [weak self] content in self?.show(content) }
        self.slot = slot
        slot.set(request)
        earlier?(.failure(ReplacedImage.error))
    }

    /// Sets the image of the last request again; has no effect without one.
    public func retry(completion: Completion? = nil) {
        if let request { setImage(request, placeholder: placeholder, completion: completion) }
    }

    /// Cancels the request, and shows nothing.
    public func clear() {
        placeholder = nil
        slot?.clear()
        finish(.failure(ReplacedImage.error))
    }

    /// Cancels the request. What is shown stays.
    public func cancel() {
        slot?.cancel()
        setBusy(false)
        finish(.failure(ReplacedImage.error))
    }

    // MARK: Showing

    private func show(_ content: ImageSlot.Content) {
        fade += 1
        (image, error) = (nil, nil)
        setBusy(isLoading(content))
        switch content {
        case .empty: draw(nil)
        case .loading: draw(placeholder?.pointer)
        case .image(let image, let isFromMemory):
            self.image = image
            let texture = Textures.texture(of: image.pixels)
            if isFromMemory || !canFade { draw(texture.opaque) } else { fadeIn(texture) }
            finish(.success(image))
        case .failed(let error):
            self.error = error
            draw(placeholder?.pointer)
            finish(.failure(error))
        }
    }

    private func isLoading(_ content: ImageSlot.Content) -> Bool { if case .loading = content { true } else { false } }

    private func draw(_ paintable: OpaquePointer?) { gtk_picture_set_paintable(reference.opaque, paintable) }

    private var canFade: Bool {
        fadeDuration > .zero && gtk_widget_get_mapped(widget) != 0 && sterna_gtk_animates(widget)
    }

    private func fadeIn(_ texture: ObjectReference) {
        let paintable: OpaquePointer = sterna_gtk_fade(placeholder?.pointer, texture.opaque, fit == .cover)
        let fading = ObjectReference(taking: UnsafeMutableRawPointer(paintable))
        draw(fading.opaque)
        let (number, duration) = (fade, fadeDuration)
        var begin: Duration?
        onFrames(of: widget) { [weak self] time in
            guard let self, fade == number else { return false }
            let start = begin ?? time
            begin = start
            guard time - start < duration else {
                draw(texture.opaque)
                return false
            }
            sterna_gtk_fade_set_progress(fading.opaque, (time - start) / duration)
            return true
        }
    }

    // MARK: Details

    private func finish(_ result: Result<DecodedImage, SternaError>) {
        completion.take()?(result)
    }

    private var isBusy = false

    private func setBusy(_ busy: Bool) {
        guard busy != isBusy else { return }
        isBusy = busy
        sterna_gtk_set_busy(widget, busy)
    }

    private func describe() {
        gtk_picture_set_alternative_text(reference.opaque, label)
        sterna_gtk_set_label(widget, label)
    }
}
