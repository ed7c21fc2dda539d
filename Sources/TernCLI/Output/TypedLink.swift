import Sterna
import SternaPlatform

/// Symbolic links in place of files that the user names, as curl and wget follow them. Names that come from a URL or a server are
/// never followed.
enum TypedLink {
    /// The number of links that lead to each other, as Linux has it.
    private static let mostLinks = 40

    /// Returns the path that a link leads to, whether or not there is a file; the path itself if it is no link.
    ///
    /// A link that another user may have put there is not followed: its folder, and that of each link that it leads to, must be the
    /// user's own, and no other user may write to it.
    static func target(of path: String) -> String {
        var target = path
        for _ in 0..<mostLinks {
            guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: target), !link.isEmpty else {
                return target
            }
            let folder = folder(of: target)
            guard let status = FileStatus(path: folder), isSafe(status, user: geteuid()) else { return path }
            target = link.hasPrefix("/") ? link : folder + "/" + link
        }
        return path
    }

    /// Whether only the user and root can have made a link in a folder.
    static func isSafe(_ folder: FileStatus, user: uid_t) -> Bool {
        folder.isDirectory && folder.owner == user && folder.permissions & 0o022 == 0
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
