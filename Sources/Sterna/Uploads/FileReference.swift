public import SternaCore
public import SternaPlatform

/// Something that names a file to be sent: a path, or Foundation's file `URL`.
public protocol FileReference: Sendable {
    /// The path of the file; throws `fileUnreadable` for what names none.
    func filePath() throws(SternaError) -> String
}

extension String: FileReference {
    /// The string itself.
    public func filePath() throws(SternaError) -> String { self }
}

extension URL: FileReference {
    /// The path of a file URL.
    public func filePath() throws(SternaError) -> String {
        guard isFileURL else {
            let fault = BodyFault.notAFileURL(scheme: scheme ?? "")
            throw SternaError(.fileUnreadable, phase: .prepare, "Nothing was sent: \(fault).", underlying: fault)
        }
        return path
    }
}
