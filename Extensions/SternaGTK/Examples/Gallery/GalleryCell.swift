import Sterna
import SternaGTK
import SternaImages

/// A cell of the gallery, which notes how long the library's part of showing an item takes.
@MainActor final class GalleryCell: RecycledCell {
    /// How long it took to give cells their items, while somebody asks for it.
    static var times: [Duration]?

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
        guard Self.times != nil else { return work() }
        let begin = ContinuousClock.now
        work()
        Self.times?.append(ContinuousClock.now - begin)
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
