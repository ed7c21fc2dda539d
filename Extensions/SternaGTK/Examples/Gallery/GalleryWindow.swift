import Sterna
import SternaGTK
import SternaImages
import SternaPlatform

/// An entry of the server's index.
struct GalleryEntry: Decodable, Sendable {
    let url: String
    let title: String
}

/// The window: a grid of pictures, or an error page; above it refresh and reachability, below it a download.
@MainActor final class GalleryWindow {
    static let size = PixelSize(width: 160, height: 120)

    let pointer: UnsafeMutablePointer<GtkWindow>
    let grid: RecycledList<GalleryCell>
    let errorPage = FailureView()
    let bar = TaskProgressBar(label: "Download of all pictures")
    let badge = ReachabilityBadge()
    let cells: CellRegister
    private(set) var refresh: RefreshAction?
    private(set) var download: DownloadTask?
    private let api: Session
    private let pages: WidgetPointer = gtk_stack_new()
    private let downloadButton: WidgetPointer = gtk_button_new_with_label("Download all")
    private var closing: CheckedContinuation<Void, Never>?

    init(_ api: Session, _ images: ImageDownloader) {
        self.api = api
        let cells = CellRegister()
        self.cells = cells
        let placeholder =
            (try? PixelBuffer(PixelSize(width: 4, height: 3), [Pixel](repeating: Pixel(222, 222, 222), count: 12)))
            .map { Paintable($0) }
        grid = RecycledList(.grid(columns: 2...5), label: "Pictures") {
            let cell = GalleryCell(images, placeholder: placeholder)
            cells.add(cell)
            return cell
        }
        let window: WidgetPointer = gtk_window_new()
        pointer = UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_title(pointer, "Sterna Gallery")
        gtk_window_set_default_size(pointer, 920, 640)
        refresh = RefreshAction(label: "Refresh") { [weak self] in self?.loadTask() }
        layOut()
        connect()
        gtk_window_present(pointer)
    }

    var widget: WidgetPointer { UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GtkWidget.self) }

    private func layOut() {
        let header: WidgetPointer = gtk_header_bar_new()
        if let refresh { gtk_header_bar_pack_start(OpaquePointer(header), refresh.widget) }
        gtk_header_bar_pack_end(OpaquePointer(header), badge.widget)
        gtk_window_set_titlebar(pointer, header)
        gtk_stack_add_child(OpaquePointer(pages), grid.widget)
        gtk_stack_add_child(OpaquePointer(pages), errorPage.widget)
        errorPage.retry = { [weak self] in self?.load() }
        refresh?.ended = { [weak self] error in self?.ended(error) }
        let footer: WidgetPointer = gtk_action_bar_new()
        gtk_widget_set_size_request(bar.widget, 320, -1)
        gtk_widget_set_valign(bar.widget, GTK_ALIGN_CENTER)
        bar.showsText = true
        gtk_action_bar_pack_start(OpaquePointer(footer), downloadButton)
        gtk_action_bar_pack_start(OpaquePointer(footer), bar.widget)
        let all: WidgetPointer = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        let box = UnsafeMutableRawPointer(all).assumingMemoryBound(to: GtkBox.self)
        gtk_box_append(box, pages)
        gtk_box_append(box, footer)
        gtk_window_set_child(pointer, all)
    }

    private func connect() {
        UnsafeMutableRawPointer(pointer).onSignal("destroy") { [weak self] in self?.closing.take()?.resume() }
        UnsafeMutableRawPointer(downloadButton).onSignal("clicked") { [weak self] in
            guard let self, download?.isFinished ?? true else { return }
            _ = downloadAll(to: Self.archive)
        }
        // F5 refreshes.
        guard let refresh else { return }
        let group: OpaquePointer = OpaquePointer(g_simple_action_group_new())
        g_action_map_add_action(group, refresh.action)
        gtk_widget_insert_action_group(widget, "gallery", group)
        g_object_unref(UnsafeMutableRawPointer(group))
        let keys: OpaquePointer = gtk_shortcut_controller_new()
        gtk_shortcut_controller_set_scope(keys, GTK_SHORTCUT_SCOPE_MANAGED)
        let trigger = gtk_keyval_trigger_new(guint(GDK_KEY_F5), GdkModifierType(rawValue: 0))
        gtk_shortcut_controller_add_shortcut(
            keys, gtk_shortcut_new(trigger, gtk_named_action_new("gallery.refresh")))
        gtk_widget_add_controller(widget, keys)
    }

    // MARK: The index

    /// Loads the index, and shows its pictures.
    func load() { refresh?.refresh() }

    private var loading: DataTask?

    private func loadTask() -> SessionTask {
        let task = api.dataTask(.get("index") { $0.cache.policy = .reload })
        loading = task
        return task
    }

    private func ended(_ error: SternaError?) {
        let task = loading.take()
        if let error { return show(error) }
        Task {
            do {
                guard let entries = try await task?.value.decode([GalleryEntry].self) else { return }
                grid.items = entries.map { PictureItem(url: $0.url, label: $0.title) }
                gtk_stack_set_visible_child(OpaquePointer(pages), grid.widget)
                // Items get the focus once they are laid out.
                for _ in 0..<2 { await MainLoop.nextFrame(of: grid.widget) }
                gtk_widget_grab_focus(grid.list)
            } catch {
                show(.wrap(error, as: .decodingFailed, phase: .decode, "The index cannot be read."))
            }
        }
    }

    private func show(_ error: SternaError) {
        errorPage.show(error)
        gtk_stack_set_visible_child(OpaquePointer(pages), errorPage.widget)
        gtk_widget_grab_focus(errorPage.button)
    }

    var showsErrorPage: Bool { gtk_stack_get_visible_child(OpaquePointer(pages)) == errorPage.widget }

    // MARK: The download

    /// Where the archive is saved.
    static var archive: String { "/tmp/sterna-gallery-\(getpid())" }

    /// The button that begins a download.
    var button: WidgetPointer { downloadButton }

    /// Downloads the archive, shown by the bar.
    func downloadAll(to path: String) -> DownloadTask {
        let task = api.download("archive", to: .file(path))
        download = task
        bar.follow(downloadOf: task)
        return task
    }

    // MARK: Its end

    /// Waits until the user closes the window.
    func closed() async {
        await withCheckedContinuation { closing = $0 }
    }
}
