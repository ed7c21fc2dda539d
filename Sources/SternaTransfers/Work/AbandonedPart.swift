import SternaCore
import SternaPlatform

/// Removes the partial file of a download that nothing goes on with.
enum AbandonedPart {
    /// Removes a partial file; leaves anything else, and a file that another download uses or goes on with. Waits for the disk.
    static func remove(_ path: String) {
        guard path.utf8.reversed().starts(with: suffix.utf8.reversed()) else { return }
        // A download outside of stores keeps what continues it there.
        guard FileStatus(linkAt: path.dropLast(suffix.count) + sidecarSuffix) == nil else { return }
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Downloads lock the file that they write.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
        PartialFiles.remove(path)
    }

    private static let suffix = ".sterna-part"
    private static let sidecarSuffix = ".sterna-resume"
}
