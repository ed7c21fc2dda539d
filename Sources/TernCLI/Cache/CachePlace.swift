import Sterna
import SternaCore
import SternaPlatform

/// The folder of a cache that a command line names.
enum CachePlace {
    /// Opens the cache of a folder. Throws `fileUnreadable` for what is no folder.
    ///
    /// - Parameter mustExist: whether a folder without a cache is an error, too.
    static func open(_ path: String, mustExist: Bool) throws(SternaError) -> ResponseCache {
        if let status = FileStatus(path: path), !status.isDirectory {
            throw fault("it is not a folder; choose another name", path)
        }
        guard !mustExist || ResponseCache.isCache(at: path) else {
            throw fault("nothing was stored there; fill it with --cache FOLDER", path)
        }
        return ResponseCache.folder(path)
    }

    private static func fault(_ reason: String, _ path: String) -> SternaError {
        FileFault(reason).error(.fileUnreadable, title: "The cache", path: path, what: "used")
    }
}
