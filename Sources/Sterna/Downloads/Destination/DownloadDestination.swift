public import SternaCore
public import SternaPlatform

/// The place where a download's file is saved.
///
///     .file("/data/big.iso")                                  // fails if the file exists
///     .file("/data/big.iso", existing: .replace)
///     .folder("/data")                                        // the server's name, numbered if it is taken
///     .choose { temporaryFile, response in "/data/\(response.status.code).bin" }
///
/// The destination is complete or absent at any time. Missing folders on the way to it are created. A symbolic link at the
/// destination is never written through: it counts as an existing file, and `.replace` replaces the link.
public struct DownloadDestination: Sendable {
    enum Place: Sendable {
        case file(any FileReference)
        case folder(any FileReference)
        case chosen(@Sendable (URL, Response) async throws -> any FileReference)
    }

    let place: Place
    let existing: ExistingFile

    /// Saves to a file.
    ///
    /// - Parameters:
    ///   - file: the file's path or URL. Relative paths begin at the current folder.
    ///   - existing: what happens if the file exists. By default the download fails before anything is sent, as with Alamofire
    ///     and URLSession; curl would replace the file.
    public static func file(_ file: some FileReference, existing: ExistingFile = .fail) -> DownloadDestination {
        DownloadDestination(place: .file(file), existing: existing)
    }

    /// Saves to a folder, under the name in the response's Content-Disposition field (RFC 6266), else the last segment of the
    /// URL's path, else `download` with the extension of the media type.
    ///
    /// The name is reduced to a safe base name of at most 255 bytes.
    /// - Parameters:
    ///   - folder: the folder's path or URL.
    ///   - existing: what happens if the name is taken. By default a number is added, as by browsers.
    public static func folder(_ folder: some FileReference, existing: ExistingFile = .addNumber) -> DownloadDestination
    {
        DownloadDestination(place: .folder(folder), existing: existing)
    }

    /// Saves to the file that a closure returns, which runs once after the transfer.
    ///
    /// - Parameters:
    ///   - existing: what happens if that file exists; by default the download fails.
    ///   - choose: receives the complete temporary file and the response, and returns the path or URL of the destination. The
    ///     file is moved there, or copied to another file system. If the closure throws, the download fails with its error.
    public static func choose<File: FileReference>(
        existing: ExistingFile = .fail,
        _ choose: @escaping @Sendable (_ temporaryFile: URL, _ response: Response) async throws -> File
    ) -> DownloadDestination {
        DownloadDestination(place: .chosen { try await choose($0, $1) }, existing: existing)
    }
}

/// What happens to a file that exists at a download's destination.
public enum ExistingFile: Sendable, Hashable, CaseIterable {
    /// It stays, and the download gets a number: `name (2).txt`.
    case addNumber

    /// The download replaces it in one step, and keeps its permissions. Folders and devices are never replaced.
    case replace

    /// It stays, and the download fails with `destinationUnusable`.
    case fail
}
