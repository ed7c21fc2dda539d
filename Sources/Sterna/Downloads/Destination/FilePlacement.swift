import SternaCore
import SternaPlatform

/// Moves a complete, synced temporary file to its destination, which is always either complete or absent.
///
/// It blocks, so `BlockingWork` runs it.
struct FilePlacement: Sendable {
    /// The greatest number that is added to a name.
    static let greatestNumber = 9_999

    var existing: ExistingFile

    /// Whether a folder at the destination counts as an existing name, which gets a number; for names from servers.
    var numbersFolders = false

    /// Whether the temporary file is private, and gets the permissions of a new file when it is moved.
    var isPrivate = false

    /// The methods to try, in order; tests omit some.
    var moves = ExclusiveMove.allCases

    /// Moves a file. Returns its path, with a number if the policy added one.
    ///
    /// On failure, the temporary file stays.
    func place(_ temporary: String, at path: String) throws(SternaError) -> String {
        do {
            return try placed(temporary, at: path)
        } catch {
            throw error.error(phase: .read)
        }
    }

    private func placed(_ temporary: String, at given: String) throws(DestinationFault) -> String {
        if given.utf8.last == UInt8(ascii: "/") { throw .folder(path: given) }
        let path = try FilePaths.absolute(given)
        if !numbersFolders, FileStatus(path: path)?.isDirectory == true { throw .folder(path: path) }
        let folder = FilePaths.folder(of: path)
        try FilePaths.makeFolder(folder)
        var source = Source(original: temporary)
        do {
            let target = try moved(&source, to: path)
            if source.copy != nil { unlink(temporary) }
            FilePaths.sync(folder: folder)
            return target
        } catch {
            if let copy = source.copy { unlink(copy) }
            throw error
        }
    }

    /// The file to move: the temporary one, or a copy of it on the destination's file system.
    private struct Source {
        let original: String
        var copy: String?

        var path: String { copy ?? original }
    }

    private func moved(_ source: inout Source, to path: String) throws(DestinationFault) -> String {
        if isPrivate, let mode = FileCopy.permissionsOfNewFiles(beside: path) {
            FileCopy.setPermissions(mode, of: source.original)
        }
        switch existing {
        case .replace: try replace(path, by: &source)
        case .fail:
            guard try move(&source, to: path) else { throw .exists(path: path) }
        case .addNumber: return try numbered(&source, at: path)
        }
        return path
    }

    private func numbered(_ source: inout Source, at path: String) throws(DestinationFault) -> String {
        if try move(&source, to: path) { return path }
        let (folder, name) = (FilePaths.folder(of: path), FilePaths.name(of: path))
        for number in 2...Self.greatestNumber {
            let next = FilePaths.path(DownloadFileName.numbered(name, number), in: folder)
            if try move(&source, to: next) { return next }
        }
        throw .exists(path: path)
    }

    /// Moves the source to a free name. Returns false if the name exists.
    private func move(_ source: inout Source, to path: String) throws(DestinationFault) -> Bool {
        let code = try attempt(&source, path) { ExclusiveMove.move($0, to: path, by: moves) }
        switch code {
        case 0: return true
        case EEXIST: return false
        default: throw fault(code, source, path)
        }
    }

    private func replace(_ path: String, by source: inout Source) throws(DestinationFault) {
        try Self.checkReplaceable(path)
        // The source may be a new copy, so permissions are set on the file that is moved.
        let permissions = Self.permissions(ofFile: path)
        let code = try attempt(&source, path) { from in
            if let permissions { FileCopy.setPermissions(permissions, of: from) }
            return rename(from, path) == 0 ? 0 : errno
        }
        guard code == 0 else { throw fault(code, source, path) }
    }

    /// Moves the source, or a copy of it if the destination is on another file system.
    private func attempt(
        _ source: inout Source, _ path: String, _ move: (String) -> CInt
    ) throws(DestinationFault) -> CInt {
        let code = move(source.path)
        guard code == EXDEV, source.copy == nil else { return code }
        let copy = try FileCopy.make(of: source.original, beside: path)
        source.copy = copy
        return move(copy)
    }

    private func fault(_ code: CInt, _ source: Source, _ path: String) -> DestinationFault {
        code == ENOENT && access(source.path, F_OK) != 0
            ? .vanished(temporaryFile: source.path) : DestinationFault(code: code, path: path)
    }

    /// Checks that a path, also through a symbolic link, is a regular file or does not exist.
    static func checkReplaceable(_ path: String) throws(DestinationFault) {
        guard let status = FileStatus(path: path) else { return }
        if status.isDirectory { throw .folder(path: path) }
        if !status.isRegular { throw .notAFile(path: path) }
    }

    // A link's target has permissions of its own, which do not count.
    private static func permissions(ofFile path: String) -> mode_t? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return FileStatus(descriptor: descriptor).map { mode_t($0.permissions) & 0o777 }
    }
}
