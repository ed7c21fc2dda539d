public import SternaCore

extension CookieSnapshot {
    /// The form of a file of cookies.
    public enum FileFormat: Sendable, Hashable {
        /// As ``CookieSnapshot/json()`` has it: everything that a jar knows.
        case json
        /// `cookies.txt`, as ``CookieSnapshot/cookiesText()`` has it, for curl, wget and others.
        case cookiesText
    }

    /// Reads a file of cookies, and waits for the disk. Nil if there is no file.
    ///
    /// - Throws: `fileUnreadable` for a file that cannot be read, or has another form.
    public init?(contentsOf file: some FileReference, format: FileFormat = .json) throws(SternaError) {
        let file = PrivateFile(path: try file.filePath(), title: "The file of cookies")
        do throws(FileFault) {
            guard let content = try file.load(upTo: JSONLimits.bytes, followsLinks: format == .cookiesText) else {
                return nil
            }
            do throws(CookieFault) {
                switch format {
                case .json: try self.init(parsing: content.bytes)
                case .cookiesText: try self.init(cookiesText: content.bytes, now: .now)
                }
            } catch {
                throw FileFault(error.reason)
            }
        } catch {
            throw file.unreadable(error)
        }
    }

    /// Replaces a file of cookies, or makes it, and waits for the disk. Only its owner can read it; it is complete, or as it was before.
    ///
    /// - Throws: `writeFailed`, also for a symbolic link.
    public func write(to file: some FileReference, format: FileFormat = .json) throws(SternaError) {
        try PrivateFile(path: file.filePath(), title: "The file of cookies").write(
            format == .json ? json() : cookiesText())
    }
}
