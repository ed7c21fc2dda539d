public import SternaPlatform

/// A reference to a file or folder: a path, or Foundation's file `URL`.
public protocol FileReference: Sendable {
    /// Returns the path of the file; throws `fileUnreadable` for a URL that is not a file URL.
    func filePath() throws(SternaError) -> String
}

extension FileReference {
    /// The path. For a URL that is not a file URL, a nonexistent path without secrets, so that reading it fails with an error that
    /// names it.
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
