public import SternaCore

extension CookieSnapshot {
    /// The format of a file of cookies.
    public enum FileFormat: Sendable, Hashable {
        /// The JSON of ``CookieSnapshot/json()``, which has everything that a jar knows.
        case json
        /// The `cookies.txt` of ``CookieSnapshot/cookiesText()``, for curl, wget and other programs.
        case cookiesText
    }

    /// Reads a file of cookies; blocks the thread on the disk. Nil if the file does not exist.
    ///
    /// - Throws: `fileUnreadable` for a file that cannot be read, or has another format.
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

    /// Creates or atomically replaces a file of cookies, which only its owner can read; blocks the thread on the disk.
    ///
    /// - Throws: `writeFailed`, also for a symbolic link.
    public func write(to file: some FileReference, format: FileFormat = .json) throws(SternaError) {
        try PrivateFile(path: file.filePath(), title: "The file of cookies").write(
            format == .json ? json() : cookiesText())
    }
}
