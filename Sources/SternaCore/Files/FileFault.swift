import SternaPlatform

/// The reason why a file cannot be read or written, as a part of a sentence, and what to do.
package struct FileFault: Error, Sendable, Hashable {
    package let reason: String

    /// The error number of the system call that failed; nil if the file itself is refused.
    package let code: CInt?

    package init(_ reason: String) {
        self.reason = reason
        code = nil
    }

    /// Makes the fault of a failed system call.
    package init(code: CInt, path: String) {
        self.code = code
        let folder = FieldSyntax.printable(Self.folder(of: path), limit: 1_024)
        let system = String(cString: strerror(code))
        reason =
            switch code {
            case ENOSPC, EDQUOT, EFBIG: "\(system); free some space. What was saved before is unchanged"
            case EACCES, EPERM, EROFS:
                "\(system); change the permissions of the file and of its folder “\(folder)”, or choose another folder"
            case ENOENT: "its folder “\(folder)” does not exist; create it"
            case ENOTDIR: "“\(folder)” is not a folder; choose another folder"
            case EISDIR: "it is a folder; name a file"
            case ELOOP: "it is a symbolic link; name the file that it leads to"
            case ENAMETOOLONG: "its name is too long; choose a shorter one"
            default: system
            }
    }

    /// Makes the fault of a path that does not lead to a regular file.
    init(irregular status: FileStatus) {
        self.init(
            status.isDirectory
                ? "it is a folder; name a file"
                : status.isSymbolicLink
                    ? "it is a symbolic link; name the file that it leads to" : "it is not a regular file; name another"
        )
    }

    /// Returns the fault as an error that names the file.
    ///
    /// - Parameters:
    ///   - title: what the file is, as the beginning of a sentence.
    ///   - what: what failed, such as “read”.
    package func error(_ kind: SternaError.Kind, title: String, path: String, what: String) -> SternaError {
        SternaError(
            kind, phase: .prepare,
            "\(title) “\(FieldSyntax.printable(path, limit: 1_024))” cannot be \(what): \(reason).", underlying: self)
    }

    /// Returns the folder of a path.
    static func folder(of path: String) -> String {
        // Compares bytes, like the file system: a combining character may follow a slash.
        let bytes = path.utf8
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == bytes.startIndex ? "/" : String(path[..<slash])
    }
}
