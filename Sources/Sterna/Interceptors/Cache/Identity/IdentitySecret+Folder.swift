import SternaCore
import SternaPlatform

extension IdentitySecret {
    /// Returns the key of a cache's folder, and makes it if there is none; nil if the folder cannot be used. Waits for the disk.
    static func kept(in folder: String) -> IdentitySecret? {
        guard CacheFolder(path: folder).make() else { return nil }
        let file = PrivateFile(path: folder + "/key-1", title: "The key of the cache")
        if let known = read(file) { return known }
        return try? FileLock.withLock(path: file.path) {
            if let known = read(file) { return known }
            // A damaged key is replaced: responses that were stored under it are never found again.
            let new = IdentitySecret()
            try file.write(new.bytes)
            return new
        }
    }

    private static func read(_ file: PrivateFile) -> IdentitySecret? {
        guard let content = try? file.load(upTo: size), content.isOwn, !content.isOpenToOthers else { return nil }
        return IdentitySecret(content.bytes)
    }
}
