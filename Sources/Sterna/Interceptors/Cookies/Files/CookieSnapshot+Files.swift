public import SternaCore

extension CookieSnapshot {
    /// The format of a file of cookies.
    public enum FileFormat: Sendable, Hashable {
        /// JSON with everything that a jar knows of its cookies. A cookie that no server could set is an error.
        case json
        /// The `cookies.txt` of curl, wget and other programs.
        ///
        /// It has no `SameSite`, no `Partitioned` and no fractions of a second. A cookie with a tab is left out: see
        /// ``Cookie/hasTextLine``. Invalid lines are skipped, as in curl, and so are cookies that no server could set. The port
        /// that Wget writes after a domain is dropped: cookies are for all ports of a host (RFC 6265, 8.5).
        case cookiesText
    }

    /// Reads cookies, in the order of the file.
    ///
    /// - Throws: `decodingFailed` for another format, and for more than 64 MiB or 200,000 cookies.
    public init(_ bytes: some Sequence<UInt8>, format: FileFormat = .json) throws(SternaError) {
        do throws(CookieFault) {
            try self.init(Array(bytes), as: format)
        } catch {
            throw SternaError(.decodingFailed, phase: .decode, "The cookies cannot be read: \(error.reason).")
        }
    }

    private init(_ bytes: [UInt8], as format: FileFormat) throws(CookieFault) {
        switch format {
        case .json: try self.init(parsing: bytes)
        case .cookiesText: try self.init(cookiesText: bytes, now: .now)
        }
    }

    /// Returns the cookies in a format, in UTF-8. **It contains their values.**
    public func bytes(format: FileFormat = .json) -> [UInt8] {
        switch format {
        case .json: CookieFile(cookies: cookies).json()
        case .cookiesText: CookiesText().replacing(by: cookies).bytes ?? CookiesText.title
        }
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
                try self.init(content.bytes, as: format)
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
            bytes(format: format))
    }
}
