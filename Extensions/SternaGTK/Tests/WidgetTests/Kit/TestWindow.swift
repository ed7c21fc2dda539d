import CGTKChecks
import CSternaLibGTK
import PictureSite
import SternaGTK
import SternaImages
import SternaPlatform

/// A window with a widget.
@MainActor final class TestWindow {
    let pointer: UnsafeMutablePointer<GtkWindow>
    let title: String
    private static var last = 0

    init(_ child: WidgetPointer, width: Int = 400, height: Int = 300) {
        Self.last += 1
        title = "Sterna \(Self.last)"
        let widget: WidgetPointer = gtk_window_new()
        pointer = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_title(pointer, title)
        gtk_window_set_default_size(pointer, CInt(width), CInt(height))
        gtk_window_set_child(pointer, child)
        gtk_window_present(pointer)
    }

    isolated deinit { gtk_window_destroy(pointer) }

    var widget: WidgetPointer { UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GtkWidget.self) }

    /// Waits until so many frames more are drawn.
    func frames(_ count: Int) async throws {
        let counter = FrameCounter(widget)
        while counter.count < count { try await Task.sleep(for: .milliseconds(2)) }
        counter.end()
    }

    /// Presses keys, as the user does.
    func press(_ keys: String...) async throws {
        try await Program.run("xdotool", ["search", "--name", "^\(title)$", "windowfocus"])
        try await frames(2)
        for key in keys {
            try await Program.run("xdotool", ["key", key])
            try await frames(2)
        }
    }
}

/// Counts the frames of a widget, and has them drawn.
@MainActor final class FrameCounter {
    private(set) var count = 0
    private var goesOn = true

    init(_ widget: WidgetPointer) {
        let box = Unmanaged.passRetained(Weak(self)).toOpaque()
        gtk_widget_add_tick_callback(
            widget,
            { _, _, data in
                guard let data else { return 0 }
                let box = Unmanaged<Weak>.fromOpaque(data).takeUnretainedValue()
                return MainActor.assumeIsolated { box.counter?.frame() ?? false } ? 1 : 0
            }, box, { data in if let data { Unmanaged<Weak>.fromOpaque(data).release() } })
    }

    func end() { goesOn = false }

    private func frame() -> Bool {
        count += 1
        return goesOn
    }

    private final class Weak: Sendable {
        @MainActor weak var counter: FrameCounter?

        @MainActor init(_ counter: FrameCounter) { self.counter = counter }
    }
}

/// A widget as it is drawn.
struct Drawing {
    let width: Int
    let height: Int
    /// Blue, green, red and alpha of each pixel.
    let bytes: [UInt8]

    /// Draws a widget; nil if it is not visible.
    @MainActor init?(_ widget: WidgetPointer) {
        guard let texture = check_drawn(widget) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
        let (width, height) = (Int(gdk_texture_get_width(texture)), Int(gdk_texture_get_height(texture)))
        var bytes = [UInt8](repeating: 0, count: width * height * 4)
        gdk_texture_download(texture, &bytes, gsize(width * 4))
        (self.width, self.height, self.bytes) = (width, height, bytes)
    }

    /// How light a pixel is: the sum of its colours.
    func brightness(_ x: Int, _ y: Int) -> Int? {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return nil }
        let place = 4 * (y * width + x)
        return Int(bytes[place]) + Int(bytes[place + 1]) + Int(bytes[place + 2])
    }

    /// The number of the picture that fills the drawing.
    var number: Int? {
        NumberedPicture.number { x, y in brightness(Int(x * Double(width)), Int(y * Double(height))) }
    }
}
