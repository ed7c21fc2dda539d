public import CSternaLibGTK

/// A reference of a GObject, given back on the main thread.
@MainActor package final class ObjectReference {
    package let raw: UnsafeMutableRawPointer

    /// Takes over the reference that the caller has.
    package init(taking raw: UnsafeMutableRawPointer) { self.raw = raw }

    /// Adds a reference.
    package init(to raw: UnsafeMutableRawPointer) {
        self.raw = raw
        g_object_ref(raw)
    }

    /// Takes the floating reference of a new widget.
    package convenience init(sinking widget: UnsafeMutablePointer<GtkWidget>) {
        g_object_ref_sink(widget)
        self.init(taking: UnsafeMutableRawPointer(widget))
    }

    isolated deinit { g_object_unref(raw) }

    package var opaque: OpaquePointer { OpaquePointer(raw) }
}

/// A widget's pointer as GTK's functions take it.
public typealias WidgetPointer = UnsafeMutablePointer<GtkWidget>

/// A window's pointer as GTK's functions take it.
public typealias WindowPointer = UnsafeMutablePointer<GtkWindow>
