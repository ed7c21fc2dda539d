import CSternaGTK
import CSternaLibGTK
public import Sterna
public import SternaImages

/// A GtkButton with images of URLs, one for each state: UIButton+AFNetworking.
///
///     let button = RemoteButton(images, label: "Play") { player.start() }
///     button.setImage("icons/play.png", for: .normal, size: PixelSize(width: 24, height: 24))
///     button.setImage("icons/play-pale.png", for: .disabled, size: PixelSize(width: 24, height: 24))
///
/// A state without an image of its own shows that of ``ButtonState/normal``. Releasing this object cancels the requests; keep it as long as the
/// button is shown.
@MainActor public final class RemoteButton {
    /// A layer of the button: the image, or what is behind it.
    enum Layer: CaseIterable { case background, image }

    /// The GtkButton, or GtkToggleButton.
    public var widget: WidgetPointer { reference.raw.assumingMemoryBound(to: GtkWidget.self) }

    /// What the button does, for screen readers: images alone do not tell.
    public var label: String {
        didSet { sterna_gtk_set_label(widget, label) }
    }

    /// Called when the button is clicked, by the pointer or the keyboard.
    public var clicked: (@MainActor () -> Void)?

    private let reference: ObjectReference
    private let images: ImageDownloader
    private let pictures: [Layer: ObjectReference]
    private var slots: [Layer: [ButtonState: ButtonImage]] = [:]

    /// Makes a button without an image.
    ///
    /// - Parameters:
    ///   - label: what the button does, for screen readers.
    ///   - isToggle: whether it is a GtkToggleButton, which has the state ``ButtonState/checked``.
    public init(
        _ images: ImageDownloader, label: String, isToggle: Bool = false,
        clicked: (@MainActor () -> Void)? = nil
    ) {
        (self.images, self.label, self.clicked) = (images, label, clicked)
        reference = ObjectReference(sinking: isToggle ? gtk_toggle_button_new() : gtk_button_new())
        let (background, image) = (
            ObjectReference(sinking: gtk_picture_new()), ObjectReference(sinking: gtk_picture_new())
        )
        pictures = [.background: background, .image: image]
        gtk_picture_set_content_fit(background.opaque, GTK_CONTENT_FIT_FILL)
        gtk_picture_set_content_fit(image.opaque, GTK_CONTENT_FIT_SCALE_DOWN)
        let overlay = gtk_overlay_new()
        let layers = OpaquePointer(overlay)
        gtk_overlay_set_child(layers, background.raw.assumingMemoryBound(to: GtkWidget.self))
        gtk_overlay_add_overlay(layers, image.raw.assumingMemoryBound(to: GtkWidget.self))
        gtk_overlay_set_measure_overlay(layers, image.raw.assumingMemoryBound(to: GtkWidget.self), 1)
        gtk_button_set_child(widget.button, overlay)
        sterna_gtk_set_label(widget, label)
        reference.raw.onSignal("clicked") { [weak self] in self?.clicked?() }
        reference.raw.onSignal("state-flags-changed") { [weak self] in self?.showAll() }
    }

    /// Whether the button can be clicked.
    public var isEnabled: Bool {
        get { gtk_widget_get_sensitive(widget) != 0 }
        set { gtk_widget_set_sensitive(widget, newValue ? 1 : 0) }
    }

    // MARK: Images

    /// Shows the image at a URL while the button is in a state.
    ///
    /// - Parameters:
    ///   - placeholder: shown until the image is there.
    ///   - size: the size of the image in GTK's pixels; its own by default.
    ///   - completion: called once; before this returns for an image in memory.
    public func setImage(
        _ url: some URLConvertible, for state: ButtonState, placeholder: Paintable? = nil, size: PixelSize? = nil,
        completion: RemotePicture.Completion? = nil
    ) {
        set(.image, state, request(url, size), placeholder, completion)
    }

    /// Shows the image of a request, which may have settings of its own, while the button is in a state. Its target is in pixels of the screen.
    public func setImage(
        _ request: ImageRequest, for state: ButtonState, placeholder: Paintable? = nil,
        completion: RemotePicture.Completion? = nil
    ) {
        set(.image, state, request, placeholder, completion)
    }

    /// Shows the image of a request behind the button's image, as above.
    public func setBackgroundImage(
        _ request: ImageRequest, for state: ButtonState, placeholder: Paintable? = nil,
        completion: RemotePicture.Completion? = nil
    ) {
        set(.background, state, request, placeholder, completion)
    }

    /// Shows the image at a URL behind the button's image, stretched over the button, while it is in a state.
    public func setBackgroundImage(
        _ url: some URLConvertible, for state: ButtonState, placeholder: Paintable? = nil, size: PixelSize? = nil,
        completion: RemotePicture.Completion? = nil
    ) {
        set(.background, state, request(url, size), placeholder, completion)
    }

    /// Cancels the request of a state's image. What is shown stays.
    public func cancelImage(for state: ButtonState) { slots[.image]?[state]?.cancel() }

    /// Cancels the request of a state's background. What is shown stays.
    public func cancelBackgroundImage(for state: ButtonState) { slots[.background]?[state]?.cancel() }

    /// Removes the image of a state.
    public func clearImage(for state: ButtonState) { remove(.image, state) }

    /// Removes the background of a state.
    public func clearBackgroundImage(for state: ButtonState) { remove(.background, state) }

    /// The state whose image is shown; nil if there is none.
    public var shownState: ButtonState? { ButtonImageRule.shown(in: states, of: Set((slots[.image] ?? [:]).keys)) }

    // MARK: Showing

    private func request(_ url: some URLConvertible, _ size: PixelSize?) -> ImageRequest {
        ImageRequest(url, target: ScaledTarget.of(size, .fit, shownBy: widget))
    }

    private func set(
        _ layer: Layer, _ state: ButtonState, _ request: ImageRequest, _ placeholder: Paintable?,
        _ completion: RemotePicture.Completion?
    ) {
        let slot = slots[layer]?[state] ?? ButtonImage(images) { [weak self] in self?.show(layer) }
        slots[layer, default: [:]][state] = slot
        slot.set(request, placeholder, completion)
    }

    private func remove(_ layer: Layer, _ state: ButtonState) {
        let removed = slots[layer]?.removeValue(forKey: state)
        removed?.cancel()
        show(layer)
    }

    private func showAll() { for layer in Layer.allCases { show(layer) } }

    private func show(_ layer: Layer) {
        guard let picture = pictures[layer] else { return }
        let known = slots[layer] ?? [:]
        let state = ButtonImageRule.shown(in: states, of: Set(known.keys))
        let paintable = state.flatMap { known[$0]?.paintable }
        if gtk_picture_get_paintable(picture.opaque) != paintable {
            gtk_picture_set_paintable(picture.opaque, paintable)
        }
    }

    private var states: Set<ButtonState> {
        let flags = gtk_widget_get_state_flags(widget).rawValue
        let all: [(ButtonState, GtkStateFlags)] = [
            (.hovered, GTK_STATE_FLAG_PRELIGHT), (.pressed, GTK_STATE_FLAG_ACTIVE), (.checked, GTK_STATE_FLAG_CHECKED),
            (.disabled, GTK_STATE_FLAG_INSENSITIVE),
        ]
        return Set(all.filter { flags & $0.1.rawValue != 0 }.map(\.0))
    }
}
