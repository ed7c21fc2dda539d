import CGTKChecks
import PictureSite
import SternaGTK

/// The window as it is drawn.
@MainActor struct Screenshot {
    let width: Int
    let height: Int
    /// Blue, green, red and alpha of each pixel.
    private let bytes: [UInt8]
    private let window: WidgetPointer

    /// Draws a window; nil if it is not visible. Saves it as a PNG if there is a path.
    init?(_ window: WidgetPointer, savedTo path: String? = nil) {
        guard let texture = check_drawn(window) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
        let (width, height) = (Int(gdk_texture_get_width(texture)), Int(gdk_texture_get_height(texture)))
        var bytes = [UInt8](repeating: 0, count: width * height * 4)
        gdk_texture_download(texture, &bytes, gsize(width * 4))
        if let path { gdk_texture_save_to_png(texture, path) }
        (self.width, self.height, self.bytes, self.window) = (width, height, bytes, window)
    }

    /// Returns the place of a widget in the window: left, top, width, height.
    static func place(of widget: WidgetPointer, in window: WidgetPointer) -> (Float, Float, Float, Float)? {
        var (x, y, width, height): (Float, Float, Float, Float) = (0, 0, 0, 0)
        return check_bounds(widget, window, &x, &y, &width, &height) ? (x, y, width, height) : nil
    }

    /// Returns the number of the picture that is drawn where a widget is; nil if there is no such picture.
    func number(at widget: WidgetPointer) -> Int? {
        guard let (left, top, width, height) = Self.place(of: widget, in: window) else { return nil }
        return NumberedPicture.number { x, y in
            brightness(Int(left + Float(x) * width), Int(top + Float(y) * height))
        }
    }

    private func brightness(_ x: Int, _ y: Int) -> Int? {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return nil }
        let place = 4 * (y * width + x)
        return Int(bytes[place]) + Int(bytes[place + 1]) + Int(bytes[place + 2])
    }
}
