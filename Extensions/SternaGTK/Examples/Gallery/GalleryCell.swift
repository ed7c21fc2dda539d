import CSternaGTK
import Sterna
import SternaGTK
import SternaImages

/// A cell of the gallery, which notes how long the library's part of showing an item takes.
@MainActor final class GalleryCell: RecycledCell {
    /// How long it took to give cells their items, while it is asked for.
    static var turns: [MainLoop.Turn]?

    let cell: PictureCell

    init(_ images: ImageDownloader, placeholder: Paintable?) {
        cell = PictureCell(images, size: GalleryWindow.size, placeholder: placeholder)
    }

    var widget: WidgetPointer { cell.widget }

    /// The number of the picture that the cell is to show.
    var number: Int? { cell.item.flatMap { Int($0.label.drop { !$0.isNumber }) } }

    func show(_ item: PictureItem) { measured { cell.show(item) } }

    func prepareForReuse() { measured { cell.prepareForReuse() } }

    private func measured(_ work: () -> Void) {
        guard Self.turns != nil else { return work() }
        let (begin, processor) = (ContinuousClock.now, sterna_gtk_processor_time())
        work()
        let ran = sterna_gtk_processor_time() - processor
        Self.turns?.append(
            MainLoop.Turn(
                duration: ContinuousClock.now - begin, processorTime: .nanoseconds(Int64(clamping: ran))))
    }
}

/// The cells that the grid has made, which it keeps.
@MainActor final class CellRegister {
    private var known: [Weak] = []

    private struct Weak { weak var cell: GalleryCell? }

    func add(_ cell: GalleryCell) {
        known.removeAll { $0.cell == nil }
        known.append(Weak(cell: cell))
    }

    var all: [GalleryCell] { known.compactMap(\.cell) }
}
