/// The version of this library.
package enum LibraryVersion {
    package static let text = "0.1.0"
}
