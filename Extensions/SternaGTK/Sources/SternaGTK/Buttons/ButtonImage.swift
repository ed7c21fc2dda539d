import CSternaLibGTK
import Sterna
import SternaImages

/// The image of one layer and state of a button.
@MainActor final class ButtonImage {
    private let images: ImageDownloader
    private let changed: @MainActor () -> Void
    private var slot: ImageSlot?
    private var texture: ObjectReference?
    private var placeholder: Paintable?
    private var completion: RemotePicture.Completion?

    init(_ images: ImageDownloader, changed: @escaping @MainActor () -> Void) {
        (self.images, self.changed) = (images, changed)
    }

    isolated deinit {
        slot = nil
        completion.take()?(.failure(ReplacedImage.error))
    }

    /// What there is to show.
    var paintable: OpaquePointer? { texture?.opaque ?? placeholder?.pointer }

    func set(_ request: ImageRequest, _ placeholder: Paintable?, _ completion: RemotePicture.Completion?) {
        let earlier = self.completion
        (self.placeholder, self.completion) = (placeholder, completion)
        let slot = self.slot ?? ImageSlot(images) { [weak self] content in self?.show(content) }
        self.slot = slot
        slot.set(request)
        earlier?(.failure(ReplacedImage.error))
    }

    func cancel() {
        slot?.cancel()
        completion.take()?(.failure(ReplacedImage.error))
    }

    private func show(_ content: ImageSlot.Content) {
        texture = nil
        switch content {
        case .empty, .loading: changed()
        case .image(let image, _):
            texture = Textures.texture(of: image.pixels)
            changed()
            completion.take()?(.success(image))
        case .failed(let error):
            changed()
            completion.take()?(.failure(error))
        }
    }
}
