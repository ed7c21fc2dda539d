import CSternaLibGTK

// GTK's casting macros are not visible in Swift; these are the types that its headers declare completely.
extension UnsafeMutablePointer<GtkWidget> {
    var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }

    var opaque: OpaquePointer { OpaquePointer(self) }

    var button: UnsafeMutablePointer<GtkButton> { raw.assumingMemoryBound(to: GtkButton.self) }

    var window: UnsafeMutablePointer<GtkWindow> { raw.assumingMemoryBound(to: GtkWindow.self) }
}
