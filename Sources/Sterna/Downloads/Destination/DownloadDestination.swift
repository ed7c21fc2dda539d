public import SternaCore
public import SternaPlatform

/// Where a download saves its file.
///
///     .file("/data/big.iso")                                  // fails if the file exists
///     .file("/data/big.iso", existing: .replace)
///     .folder("/data")                                        // the server's name, numbered if it is taken
///     .choose { temporaryFile, response in "/data/\(response.status.code).bin" }
///
/// The destination is always either complete or absent. Missing parent folders are created. A symbolic link at the destination
/// counts as an existing file: nothing is written through it, and `.replace` replaces the link.
public struct DownloadDestination: Sendable {
    enum Target: Sendable {
        case file(any FileReference)
        case folder(any FileReference)
        case chosen(@Sendable (URL, Response) async throws -> any FileReference)
    }

    let target: Target
    let existing: ExistingFile

    /// Saves to a file.
    ///
    /// - Parameters:
    ///   - file: the path or file URL. A relative path starts at the current folder.
    ///   - existing: what to do if the file exists. By default, the download fails before anything is sent, as with Alamofire and
    ///     URLSession; curl replaces the file.
    public static func file(_ file: some FileReference, existing: ExistingFile = .fail) -> DownloadDestination {
        DownloadDestination(target: .file(file), existing: existing)
    }

    /// Saves to a folder. The file's name is that in the response's Content-Disposition field (RFC 6266), else the last segment of
    /// the URL's path, else `download` with the media type's extension.
    ///
    /// The name is made safe, and has at most 255 bytes.
    ///
    /// - Parameters:
    ///   - folder: the path or file URL of the folder.
    ///   - existing: what to do if the name exists. By default, a number is added, as in browsers.
    public static func folder(_ folder: some FileReference, existing: ExistingFile = .addNumber) -> DownloadDestination
    {
        DownloadDestination(target: .folder(folder), existing: existing)
    }

    /// Saves to the file that a closure returns. The closure runs once, after the transfer.
    ///
    /// - Parameters:
    ///   - existing: what to do if that file exists; by default, the download fails.
    ///   - choose: receives the complete temporary file and the response, and returns the path or file URL of the destination. The
    ///     file is moved there, or copied to another file system. If the closure throws, the download fails with its error.
    public static func choose<File: FileReference>(
        existing: ExistingFile = .fail,
        _ choose: @escaping @Sendable (_ temporaryFile: URL, _ response: Response) async throws -> File
    ) -> DownloadDestination {
        DownloadDestination(target: .chosen { try await choose($0, $1) }, existing: existing)
    }
}

/// What to do with an existing file at a download's destination.
public enum ExistingFile: Sendable, Hashable, CaseIterable {
    /// Keeps it, and adds a number to the download's name: `name (2).txt`.
    case addNumber

    /// Replaces it atomically, and keeps its permissions. Folders and devices are never replaced.
    case replace

    /// Keeps it, and fails with `destinationUnusable`.
    case fail
}
