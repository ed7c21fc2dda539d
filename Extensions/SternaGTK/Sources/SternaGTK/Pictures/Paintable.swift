import CSternaLibGTK
public import SternaImages

/// What GTK can draw (a GdkPaintable): decoded pixels, an icon, or whatever the program has.
@MainActor public final class Paintable {
    let reference: ObjectReference

    /// The GdkPaintable, valid while this object lives.
    public var pointer: OpaquePointer { reference.opaque }

    /// Shows pixels, without a copy of them.
    public init(_ pixels: PixelBuffer) { reference = Textures.texture(of: pixels) }

    /// Shows an icon of the user's theme, as large as a length in pixels.
    public init(icon name: String, size: Int = 48) {
        let theme = gtk_icon_theme_get_for_display(gdk_display_get_default())
        let icon: OpaquePointer = gtk_icon_theme_lookup_icon(
            theme, name, nil, CInt(clamping: size), 1, GTK_TEXT_DIR_NONE, GtkIconLookupFlags(rawValue: 0))
        reference = ObjectReference(taking: UnsafeMutableRawPointer(icon))
    }

    /// Shares a GdkPaintable of the program's own.
    public init(_ pointer: OpaquePointer) { reference = ObjectReference(to: UnsafeMutableRawPointer(pointer)) }
}
