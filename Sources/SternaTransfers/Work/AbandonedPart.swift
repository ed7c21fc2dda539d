import SternaCore
import SternaPlatform

/// Deletes partial files that no download resumes.
enum AbandonedPart {
    /// Deletes a partial file. Keeps other files, and partial files that another download uses or can resume. Blocks on the disk.
    static func remove(_ path: String) {
        guard path.utf8.reversed().starts(with: suffix.utf8.reversed()) else { return }
        // A download outside of stores keeps its resume data there.
        guard FileStatus(linkAt: path.dropLast(suffix.count) + sidecarSuffix) == nil else { return }
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Downloads lock the partial file while they write it.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
        PartialFiles.remove(path)
    }

    private static let suffix = ".sterna-part"
    private static let sidecarSuffix = ".sterna-resume"
}
