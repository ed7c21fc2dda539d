import SternaCore
import SternaPlatform

/// Absolute paths and their parent folders. Functions that access the disk block.
enum FilePaths {
    /// Returns an absolute path without trailing slashes; throws for an empty path, and one with a NUL.
    static func absolute(_ path: String) throws(DestinationFault) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw .failed(path: path, code: path.isEmpty ? ENOENT : EINVAL)
        }
        var whole = path.utf8.first == slash ? path : FileManager.default.currentDirectoryPath + "/" + path
        while whole.utf8.count > 1, whole.utf8.last == slash { whole.unicodeScalars.removeLast() }
        return whole
    }

    /// Returns the folder of an absolute path.
    static func folder(of path: String) -> String {
        guard let last = path.utf8.lastIndex(of: slash) else { return "/" }
        var folder = path[..<last].unicodeScalars
        while folder.last == "/" { folder.removeLast() }
        return folder.isEmpty ? "/" : String(folder)
    }

    /// Returns the last component of an absolute path.
    static func name(of path: String) -> String {
        path.utf8.lastIndex(of: slash).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }

    static func path(_ name: String, in folder: String) -> String { folder == "/" ? "/\(name)" : "\(folder)/\(name)" }

    private static let slash = UInt8(ascii: "/")

    // MARK: Folders

    /// Creates a folder and its parents, with the permissions that the umask allows.
    static func makeFolder(_ path: String) throws(DestinationFault) {
        let (existing, missing) = try missingFolders(of: path)
        var parent = existing
        for folder in missing.reversed() {
            if mkdir(folder, 0o777) == 0 {
                sync(folder: parent)
            } else {
                let code = errno
                // Another download may have created it.
                guard code == EEXIST else { throw DestinationFault(code: code, path: folder) }
                guard FileStatus(path: folder)?.isDirectory == true else { throw .notAFolder(path: folder) }
            }
            parent = folder
        }
    }

    /// Checks that a folder is writable, or can be created.
    static func checkWritable(_ path: String) throws(DestinationFault) {
        let existing = try missingFolders(of: path).existing
        guard access(existing, W_OK | X_OK) == 0 else {
            let code = errno
            throw .notWritable(folder: existing, code: code)
        }
    }

    /// Returns the nearest existing parent, and the missing folders below it, the lowest first.
    private static func missingFolders(
        of path: String
    ) throws(DestinationFault) -> (existing: String, missing: [String]) {
        var missing: [String] = []
        var folder = path
        while true {
            if let status = FileStatus(path: folder) {
                guard status.isDirectory else { throw .notAFolder(path: folder) }
                return (folder, missing)
            }
            let code = errno
            // A file in place of a folder is found at one of the parents.
            guard code == ENOENT || code == ENOTDIR, folder != "/" else {
                throw DestinationFault(code: code, path: folder)
            }
            missing.append(folder)
            folder = Self.folder(of: folder)
        }
    }

    /// Syncs a folder's entries to disk. Not every file system can; a failure loses no file while the system runs.
    static func sync(folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        FileWriting.sync(descriptor)
        close(descriptor)
    }
}
