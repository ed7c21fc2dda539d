public import CSternaLibGTK

/// A reference of a GObject, given back on the main thread.
@MainActor final class ObjectReference {
    let raw: UnsafeMutableRawPointer

    /// Takes over the reference that the caller has.
    init(taking raw: UnsafeMutableRawPointer) { self.raw = raw }

    /// Adds a reference.
    init(to raw: UnsafeMutableRawPointer) {
        self.raw = raw
        g_object_ref(raw)
    }

    /// Takes the floating reference of a new widget.
    convenience init(sinking widget: UnsafeMutablePointer<GtkWidget>) {
        g_object_ref_sink(widget)
        self.init(taking: UnsafeMutableRawPointer(widget))
    }

    isolated deinit { g_object_unref(raw) }

    var opaque: OpaquePointer { OpaquePointer(raw) }
}

/// A widget's pointer as GTK's functions take it.
public typealias WidgetPointer = UnsafeMutablePointer<GtkWidget>
