import CSternaLibGTK
import PictureSite
import Sterna
import SternaGTK
import SternaImages

/// Cells of lists are used again.
@MainActor enum ListChecks {
    static var all: [Check] {
        [
            Check("A list of 5,000 items makes few cells, and gives each the item of its place") { findings in
                let list = RecycledList(.list, items: Array(0..<5_000)) { TextCell() }
                let window = TestWindow(list.widget)
                try await window.frames(3)
                let first = list.madeCells
                findings.expect(first > 5 && first < 400, "\(first) cells")
                for step in 1...10 {
                    list.scroll(to: Double(step) / 10)
                    try await window.frames(2)
                }
                findings.expect(list.madeCells < 800, "\(list.madeCells) cells for \(list.shownItems) items")
                findings.expect(TextCell.shown.contains(4_999), "the last item was never shown")
                findings.expect(TextCell.released > 100, "only \(TextCell.released) cells were given back")
            },
            Check("Items are replaced in place") { findings in
                TextCell.shown = []
                let list = RecycledList(.list, items: [1, 2, 3]) { TextCell() }
                let window = TestWindow(list.widget)
                try await window.frames(3)
                findings.expect(TextCell.shown, is: [1, 2, 3])
                list.replaceSubrange(1..<2, with: [20, 21])
                findings.expect(list.items, is: [1, 20, 21, 3])
                try await window.frames(3)
                findings.expect(TextCell.shown, is: [1, 2, 3, 20, 21])
                list.items = []
                try await window.frames(3)
                findings.expect(TextCell.shown.count, is: 5)
                list.replaceSubrange(7..<9, with: [5])
                findings.expect(list.items, is: [5])
            },
            Check("A cell is chosen by the keyboard") { findings in
                var chosen: [Int] = []
                let list = RecycledList(.list, items: Array(0..<20)) { TextCell() }
                list.activated = { chosen.append($0) }
                let window = TestWindow(list.widget)
                try await window.frames(3)
                try await window.press("Home", "Down", "Down", "Return")
                try await findings.waits(for: "the choice") { chosen == [2] }
            },
            Check("Cells that are scrolled away cancel their requests") { findings in
                try await Pictures.with({ $0.abandonedTransfers = .cancel }) { pictures in
                    pictures.site.hold()
                    let items = (0..<500).map { PictureItem(url: Pictures.url($0), label: "Picture \($0)") }
                    let grid = RecycledList(.grid(columns: 2...2), items: items) {
                        PictureCell(pictures.images, size: PixelSize(width: 160, height: 120))
                    }
                    let window = TestWindow(grid.widget)
                    try await window.frames(3)
                    try await findings.waits(for: "the first requests") { pictures.site.requests.count == 4 }
                    grid.scroll(to: 1)
                    // GTK keeps the cell that has the focus.
                    try await findings.waits(for: "the cancellations") { pictures.site.cancelled >= 3 }
                    pictures.site.release()
                    try await findings.waits(for: "the last image") { pictures.site.requests[499] == 1 }
                    findings.expect(
                        pictures.site.requests.count < 250, "\(pictures.site.requests.count) images were asked for")
                    try await window.frames(1)
                }
            },
            Check("A cell says what went wrong, and tries again by the keyboard") { findings in
                try await Pictures.with { pictures in
                    pictures.site.fail(0, with: 404)
                    let item = PictureItem(url: Pictures.url(0), label: "Picture 0")
                    let cell = PictureCell(pictures.images, size: PixelSize(width: 160, height: 120))
                    let window = TestWindow(cell.widget)
                    cell.show(item)
                    try await findings.waits(for: "the failure") { cell.failure.error != nil }
                    findings.expect(cell.failure.text, is: "Not found (404)")
                    findings.expect(Drawing(cell.picture.widget)?.number == nil, "the picture is drawn")
                    pictures.site.fail(0, with: nil)
                    try await window.press("Tab", "Return")
                    try await findings.waits(for: "the image") { cell.picture.number == 0 }
                }
            },
        ]
    }
}

/// A cell with a number.
@MainActor final class TextCell: RecycledCell {
    static var shown: Set<Int> = []
    static var released = 0

    let widget: WidgetPointer = gtk_label_new(nil)

    init() { g_object_ref_sink(widget) }

    isolated deinit { g_object_unref(widget) }

    func show(_ item: Int) {
        Self.shown.insert(item)
        gtk_label_set_text(OpaquePointer(widget), "Item \(item)")
    }

    func prepareForReuse() { Self.released += 1 }
}
