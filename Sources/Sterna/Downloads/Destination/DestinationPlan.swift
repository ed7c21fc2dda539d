import HTTPTypes
import SternaCore
import SternaPlatform
import SternaSerialization

/// A checked destination with absolute paths, made before the transfer begins.
struct DestinationPlan: Sendable {
    private enum Target: Sendable {
        case file(String)
        case folder(String)
        case chosen(@Sendable (URL, Response) async throws -> any FileReference)
    }

    private let target: Target
    private let existing: ExistingFile

    /// The folder for the partial file: the destination's, so that the file can be renamed, or the temporary folder if the
    /// destination is chosen after the transfer. ``makePartialFolder()`` creates it.
    let partialFolder: String

    /// The permissions of the partial file before the umask; private in the temporary folder, which other users can read.
    var partialPermissions: mode_t {
        if case .chosen = target { 0o600 } else { 0o666 }
    }

    /// Checks a destination; throws `destinationUnusable` if it cannot be used. Creates nothing. Blocks.
    init(_ destination: DownloadDestination) throws(SternaError) {
        existing = destination.existing
        do {
            switch destination.target {
            case .file(let reference):
                let path = try Self.path(of: reference)
                try Self.check(file: path, destination.existing)
                target = .file(path)
                partialFolder = FilePaths.folder(of: path)
            case .folder(let reference):
                let path = try FilePaths.absolute(try Self.text(of: reference))
                target = .folder(path)
                partialFolder = path
            case .chosen(let choose):
                target = .chosen(choose)
                partialFolder = try FilePaths.absolute(Self.temporaryFolder)
            }
            try FilePaths.checkWritable(partialFolder)
        } catch let fault as DestinationFault {
            throw fault.error(phase: .prepare)
        } catch {
            throw Self.unusable(error, phase: .prepare)
        }
    }

    /// Creates the folder for the partial file, and its parents. Blocks.
    func makePartialFolder() throws(SternaError) {
        do {
            try FilePaths.makeFolder(partialFolder)
        } catch {
            throw error.error(phase: .read)
        }
    }

    /// Returns the path to which ``place(_:at:)`` moves the complete file.
    ///
    /// Throws the errors of the closure in ``DownloadDestination/choose(existing:_:)``.
    ///
    /// - Parameter temporary: the path of the complete file.
    func path(for response: Response, temporary: String) async throws -> String {
        switch target {
        case .file(let path): return path
        case .folder(let folder): return Self.path(of: response, in: folder)
        case .chosen(let choose):
            let reference = try await choose(URL(filePath: temporary), response)
            do {
                return try Self.path(of: reference)
            } catch let fault as DestinationFault {
                throw fault.error(phase: .read)
            } catch {
                throw Self.unusable(error, phase: .read)
            }
        }
    }

    /// The path of the destination if it is known before the request is sent; otherwise nil.
    var knownPath: String? {
        if case .file(let path) = target { path } else { nil }
    }

    /// The folder in which the server names the file; nil for other destinations.
    var knownFolder: String? {
        if case .folder(let path) = target { path } else { nil }
    }

    /// Throws `destinationUnusable` if a name that the server chose exists and must not be replaced. Blocks.
    func checkFree(_ path: String) throws(SternaError) {
        guard case .folder = target, existing == .fail else { return }
        if FileStatus(linkAt: path) != nil { throw DestinationFault.exists(path: path).error(phase: .read) }
    }

    /// Returns the path of the destination when the response's head has arrived; nil if a closure chooses it after the transfer.
    func path(forHeadOf response: Response) -> String? {
        switch target {
        case .file(let path): path
        case .folder(let folder): Self.path(of: response, in: folder)
        case .chosen: nil
        }
    }

    private static func path(of response: Response, in folder: String) -> String {
        FilePaths.path(DownloadFileName.name(for: response), in: folder)
    }

    /// Moves the complete file to a path, and returns its final path. Blocks.
    func place(_ temporary: String, at path: String) throws(SternaError) -> String {
        var placement = FilePlacement(existing: existing)
        switch target {
        case .file: break
        case .folder: placement.numbersFolders = existing == .addNumber
        case .chosen: placement.isPrivate = true
        }
        return try placement.place(temporary, at: path)
    }

    // MARK: Checks

    /// Returns the absolute path of a file; a path that ends in a slash names a folder.
    private static func path(of reference: any FileReference) throws -> String {
        let text = try text(of: reference)
        if text.utf8.last == UInt8(ascii: "/") { throw DestinationFault.folder(path: text) }
        return try FilePaths.absolute(text)
    }

    private static func text(of reference: any FileReference) throws -> String { try reference.filePath() }

    private static func check(file path: String, _ existing: ExistingFile) throws(DestinationFault) {
        guard FileStatus(linkAt: path) != nil else {
            let code = errno
            guard code == ENOENT || code == ENOTDIR else { throw DestinationFault(code: code, path: path) }
            return
        }
        if FileStatus(path: path)?.isDirectory == true { throw .folder(path: path) }
        switch existing {
        case .addNumber: break
        case .replace: try FilePlacement.checkReplaceable(path)
        case .fail: throw .exists(path: path)
        }
    }

    private static func unusable(_ error: any Error, phase: SternaError.Phase) -> SternaError {
        let cause = (error as? SternaError)?.underlying ?? error
        return SternaError(
            .destinationUnusable, phase: phase, "The download's destination is not a file: \(cause).", underlying: cause
        )
    }

    private static var temporaryFolder: String {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        return folder.isEmpty ? "/tmp" : folder
    }
}
