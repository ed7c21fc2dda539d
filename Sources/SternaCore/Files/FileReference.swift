public import SternaPlatform

/// A reference to a file or folder: a path, or Foundation's file `URL`.
public protocol FileReference: Sendable {
    /// Returns the path of the file; throws `fileUnreadable` for a reference that names no file.
    func filePath() throws(SternaError) -> String
}

extension FileReference {
    /// The path. For a URL that is no file's it is one that does not exist, so that reading it fails and names it; without what may be
    /// secret.
    package var pathToRead: String {
        (try? filePath()) ?? (self as? URL).map { "\($0.scheme ?? ""):\($0.path)" } ?? ""
    }
}

extension String: FileReference {
    /// Returns the string itself.
    public func filePath() throws(SternaError) -> String { self }
}

extension URL: FileReference {
    /// Returns the path of a file URL.
    public func filePath() throws(SternaError) -> String {
        guard isFileURL else {
            let fault = BodyFault.notAFileURL(scheme: scheme ?? "")
            throw SternaError(.fileUnreadable, phase: .prepare, "Nothing was sent: \(fault).", underlying: fault)
        }
        return path
    }
}
