import CGTKChecks
import CSternaLibGTK
import PictureSite
import Sterna
import SternaGTK
import SternaImages
import SternaPlatform

/// Operates the gallery as a user does, and looks at what is drawn.
@MainActor final class GalleryCheck {
    let site: GallerySite
    let images: ImageDownloader
    let window: GalleryWindow
    let folder: String?
    private var faults: [String] = []
    private var memory: MemoryWatch?
    /// The pictures that were seen where they belong.
    private var seen: Set<Int> = []
    private var looks = 0

    init(_ site: GallerySite, _ images: ImageDownloader, _ window: GalleryWindow, folder: String?) {
        (self.site, self.images, self.window, self.folder) = (site, images, window, folder)
    }

    /// Returns the status of the program.
    func run() async throws -> Int32 {
        let begin = ContinuousClock.now
        // The window is there, and no picture yet.
        try await drawn(2)
        let memory = MemoryWatch()
        self.memory = memory
        try await errorPage()
        try await loadAll()
        labels()
        try await scrollThroughAll()
        try await failingPicture()
        try await fling()
        try await keyboard()
        try await download()
        memory.end()
        let (start, most) = memory.figures
        if most - start > Gallery.memory + 40 << 20 {
            fault("memory has grown from \(start >> 20) to \(most >> 20) MB")
        }
        if let path = window.badge.path { print("reachability: \(path)") } else { fault("the badge has no answer") }
        if images.imageCache is AutoPurgingImageCache == false { fault("there is no cache") }
        print(
            "\(faults.isEmpty ? "ok" : "not ok") - the gallery, \(Int((ContinuousClock.now - begin) / .milliseconds(1))) ms"
        )
        for fault in faults.prefix(20) { print("    \(fault)") }
        return faults.isEmpty ? 0 : 1
    }

    // MARK: Steps

    /// The index fails: there is a page that says so, whose button is operated by the keyboard.
    private func errorPage() async throws {
        site.failIndex(with: 500)
        window.load()
        try await wait(for: "the error page") { window.showsErrorPage }
        try await drawn(3)
        save("error-page")
        if !window.errorPage.text.contains("rebuilt") { fault("the error page says: \(window.errorPage.text)") }
        site.failIndex(with: nil)
        try await press("Return")
        try await wait(for: "the pictures") { !window.showsErrorPage && !window.grid.items.isEmpty }
        try await allVisible()
    }

    /// Scrolls through all pictures at a steady pace, and measures meanwhile: the check itself only scrolls.
    private func loadAll() async throws {
        (images.imageCache as? AutoPurgingImageCache)?.removeAllImages()
        try await beginAnew()
        try await drawn(2)
        let before = requestCount
        let measuring = GalleryMeasuring(window.widget)
        await glide(for: .seconds(8))
        while images.activeDownloads > 0 { await MainLoop.nextFrame(of: window.widget) }
        measuring.end()
        let (start, most) = memory?.figures ?? (0, 0)
        print(
            """
            {"requests":\(requestCount - before),"main_actor":\(measuring.turns.json),"cells":\(measuring.cells.json),\
            "gtk_frames":\(measuring.frames.json),"memory":{"start_kB":\(start >> 10),"most_kB":\(most >> 10),\
            "cache_kB":\(Gallery.memory >> 10)},"set_from_memory":\(setFromMemory().json)}
            """)
    }

    /// Scrolls from the top to the end, in the frames of GTK, so that its layout does not count as the main actor's work.
    private func glide(for time: Duration) async {
        let grid = window.grid
        var begin: Duration?
        var isOver = false
        onFrames(of: grid.widget) { now in
            let start = begin ?? now
            begin = start
            grid.scroll(to: (now - start) / time)
            isOver = now - start >= time
            return !isOver
        }
        while !isOver { await MainLoop.nextFrame(of: grid.widget) }
    }

    /// How long it takes to set an image that is in memory.
    private func setFromMemory() -> Times {
        guard let cell = visible().first(where: { $0.cell.picture.image != nil }), let item = cell.cell.item else {
            fault("no picture is visible")
            return Times([])
        }
        let pictures = (0..<2).map { _ in RemotePicture(images, fit: .cover) }
        var times: [Duration] = []
        for index in 0..<2_000 {
            let begin = ContinuousClock.now
            pictures[index % 2].setImage(item.url, size: GalleryWindow.size)
            times.append(ContinuousClock.now - begin)
        }
        if pictures[0].image == nil { fault("the image was not in memory") }
        return Times(times)
    }

    /// Scrolls through all pictures, and finds each where it belongs.
    private func scrollThroughAll() async throws {
        let steps = 60
        for step in 0...steps {
            window.grid.scroll(to: Double(step) / Double(steps))
            try await drawn(2)
            try await allVisible()
            if step == 20 { save("gallery") }
        }
        if seen != Set(0..<GallerySite.count) {
            fault(
                "\(GallerySite.count - seen.count) pictures were not seen, such as \(Set(0..<GallerySite.count).subtracting(seen).sorted().prefix(5))"
            )
        }
        let cells = window.cells.all.count
        if cells >= GallerySite.count { fault("\(cells) cells for \(GallerySite.count) pictures: none was used again") }
        let requests = requestCount
        print("scrolled: \(seen.count) pictures seen in \(looks) looks, \(cells) cells, \(requests) requests")
    }

    /// A picture that fails says why, and is fetched by its button.
    private func failingPicture() async throws {
        (images.imageCache as? AutoPurgingImageCache)?.removeAllImages()
        site.pictures.fail(0, with: 404)
        site.pictures.fail(1, with: 500)
        try await beginAnew()
        try await wait(for: "two failures") {
            visible().filter { $0.cell.failure.error != nil && gtk_widget_get_mapped($0.cell.failure.widget) != 0 }
                .count == 2
        }
        try await drawn(3)
        save("failures")
        guard let first = window.cells.all.first(where: { $0.number == 0 }) else {
            return fault("no cell shows picture 0")
        }
        if first.cell.failure.text != "Not found (404)" { fault("the cell says: \(first.cell.failure.text)") }
        site.pictures.fail(0, with: nil)
        site.pictures.fail(1, with: nil)
        gtk_widget_grab_focus(first.cell.failure.button)
        try await press("space")
        try await wait(for: "picture 0") { first.number == 0 && first.cell.picture.image != nil }
        window.cells.all.first { $0.number == 1 }?.cell.load()
        try await allVisible()
    }

    /// Scrolls from end to end while the server does not answer: what is scrolled past is cancelled.
    private func fling() async throws {
        (images.imageCache as? AutoPurgingImageCache)?.removeAllImages()
        let (before, cancelled) = (requestCount, site.pictures.cancelled)
        site.pictures.hold()
        window.grid.scroll(to: 1)
        try await wait(for: "requests at the end") { requestCount - before >= 4 }
        for step in 1...20 {
            window.grid.scroll(to: 1 - Double(step) / 20)
            try await drawn(1)
        }
        try await wait(for: "cancellations") { site.pictures.cancelled - cancelled >= 4 }
        window.grid.scroll(to: 0.5)
        try await drawn(2)
        site.pictures.release()
        try await allVisible()
        let requests = requestCount - before
        if requests > GallerySite.count / 2 { fault("\(requests) requests for pictures that were scrolled past") }
        print("flung: \(requests) requests, \(site.pictures.cancelled - cancelled) cancelled under way")
    }

    private var requestCount: Int { site.pictures.requests.values.reduce(0, +) }

    /// Keys move through the grid.
    private func keyboard() async throws {
        window.grid.scroll(to: 0)
        try await drawn(2)
        gtk_widget_grab_focus(window.grid.list)
        let top = window.grid.position
        try await press("Page_Down", "Page_Down", "Right", "Down")
        try await wait(for: "the grid to scroll by keys") { window.grid.position > top }
        try await allVisible()
        let loads = site.indexCount
        try await press("F5")
        try await wait(for: "the index after F5") {
            site.indexCount == loads + 1 && window.refresh?.isRefreshing == false
        }
        try await drawn(3)
        try await press("End")
        try await allVisible()
        if !visible().contains(where: { $0.number == GallerySite.count - 1 }) {
            fault("the key End does not show the last picture")
        }
    }

    /// The bar shows the download.
    private func download() async throws {
        defer { unlink(GalleryWindow.archive) }
        gtk_widget_grab_focus(window.button)
        try await press("space")
        try await wait(for: "the download") { window.download != nil }
        _ = try await window.download?.value
        try await wait(for: "the end of the bar") { window.bar.progress?.fraction == 1 }
        try await drawn(2)
        save("download")
    }

    /// Gives all cells their items again, and scrolls to the top.
    private func beginAnew() async throws {
        window.grid.items = window.grid.items
        try await drawn(2)
        window.grid.scroll(to: 0)
        try await drawn(2)
    }

    // MARK: Looking

    /// Screen readers get a name for each picture, and for the rest of the window.
    private func labels() {
        let cells = visible()
        if cells.isEmpty { fault("no picture has a label") }
        for cell in cells { label(of: cell.cell.picture.widget, is: cell.cell.item?.label ?? "") }
        label(of: window.grid.list, is: "Pictures")
        label(of: window.bar.widget, is: "Download of all pictures")
        label(of: window.badge.widget, is: window.badge.text)
        if let refresh = window.refresh { label(of: refresh.widget, is: "Refresh") }
    }

    private func label(of widget: WidgetPointer, is text: String) {
        let wrong = check_accessible_text(widget, GTK_ACCESSIBLE_PROPERTY_LABEL, text)
        if let wrong { fault("the label “\(text)” is \(String(cString: wrong))") }
        g_free(wrong)
    }

    /// The cells that are visible as a whole.
    private func visible() -> [GalleryCell] {
        guard let (_, top, _, height) = Screenshot.place(of: window.grid.widget, in: window.widget) else { return [] }
        return window.cells.all.filter { cell in
            guard cell.number != nil, gtk_widget_get_mapped(cell.widget) != 0,
                let (_, y, _, own) = Screenshot.place(of: cell.widget, in: window.widget)
            else { return false }
            return y >= top && y + own <= top + height && own > 0
        }
    }

    /// Waits until all visible cells have their images, and looks at the pixels.
    private func allVisible() async throws {
        try await wait(for: "the visible pictures") {
            let cells = visible()
            return !cells.isEmpty && cells.allSatisfy { !$0.cell.picture.isLoading }
        }
        // They fade in.
        try await wait(for: "the pixels of the visible pictures") {
            guard let picture = Screenshot(window.widget) else { return false }
            return visible().allSatisfy { picture.number(at: $0.cell.picture.widget) == $0.number }
        }
        looks += 1
        seen.formUnion(visible().compactMap(\.number))
    }

    private func save(_ name: String) {
        if let folder { _ = Screenshot(window.widget, savedTo: "\(folder)/\(name).png") }
    }

    // MARK: Waiting

    private func fault(_ what: String) { faults.append(what) }

    private func wait(for what: String, _ condition: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while !condition() {
            guard ContinuousClock.now < end else {
                save("fault")
                throw SternaError(.timedOut, phase: .wait, "The check waited in vain for \(what).")
            }
            try await Task.sleep(for: .milliseconds(4))
        }
    }

    /// Waits until so many frames are drawn.
    private func drawn(_ count: Int) async throws {
        for _ in 0..<count { await MainLoop.nextFrame(of: window.widget) }
    }

    private func press(_ keys: String...) async throws {
        try await Keyboard.press(keys, in: "Sterna Gallery")
    }
}
