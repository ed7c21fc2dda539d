import Sterna
import SternaCore
import SternaPlatform

/// Opens the cache of a folder that a command line names.
enum CacheOpening {
    /// Opens the cache of a folder. Throws `fileUnreadable` if the path is not a folder's, and for a folder of
    /// other files.
    ///
    /// - Parameter mustExist: whether a folder without a cache is an error, too.
    static func open(_ path: String, mustExist: Bool) throws(SternaError) -> ResponseCache {
        if let status = FileStatus(path: path), !status.isDirectory {
            throw fault("it is not a folder; choose another name", path)
        }
        guard !mustExist || ResponseCache.isCache(at: path) else {
            throw fault("nothing was stored there; fill it with --cache FOLDER", path)
        }
        // What a cache writes would be mixed with the user's own files.
        guard ResponseCache.isCache(at: path) || isEmpty(path) else {
            throw fault("it holds other files; choose a folder of its own", path)
        }
        return ResponseCache.folder(path)
    }

    /// Whether a folder has no files, or does not exist.
    private static func isEmpty(_ path: String) -> Bool {
        guard let folder = opendir(path) else { return true }
        defer { closedir(folder) }
        // The two entries that every folder has.
        var left = 2
        while readdir(folder) != nil { left -= 1 }
        return left >= 0
    }

    private static func fault(_ reason: String, _ path: String) -> SternaError {
        FileFault(reason).error(.fileUnreadable, title: "The cache", path: path, what: "used")
    }
}
