import SternaPlatform

/// Ways to move a file without replacing another. Each returns 0 or the system's error number: `EEXIST` if the name exists, even as
/// a symbolic link.
enum ExclusiveMove: CaseIterable, Sendable {
    /// A rename that the system refuses if the name exists.
    case rename
    /// A second link to the file, after which the first is removed.
    case link
    /// An empty file that reserves the name, and a rename over it. Only for file systems without the other two, since the
    /// destination is empty for a moment.
    case placeholder

    /// Moves a file by the first method that the file system supports.
    static func move(_ source: String, to path: String, by methods: [ExclusiveMove] = allCases) -> CInt {
        var code = ENOTSUP
        for method in methods {
            code = method.move(source, to: path)
            guard method.isUnsupported(code) else { break }
        }
        // The system reports another file system before an existing name. `EEXIST` saves the caller a useless copy.
        return code == EXDEV && FileStatus(linkAt: path) != nil ? EEXIST : code
    }

    private func move(_ source: String, to path: String) -> CInt {
        switch self {
        case .rename: return Self.renameExclusively(source, path)
        case .link:
            guard SternaPlatform.link(source, path) == 0 else { return errno }
            unlink(source)
            return 0
        case .placeholder:
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return errno }
            close(descriptor)
            guard SternaPlatform.rename(source, path) == 0 else {
                let code = errno
                unlink(path)
                return code
            }
            return 0
        }
    }

    private func isUnsupported(_ code: CInt) -> Bool {
        switch self {
        case .rename: [ENOSYS, EINVAL, ENOTSUP, EOPNOTSUPP].contains(code)
        case .link: [ENOSYS, EPERM, EACCES, EMLINK, ENOTSUP, EOPNOTSUPP].contains(code)
        case .placeholder: false
        }
    }

    #if canImport(Darwin)
    private static func renameExclusively(_ source: String, _ path: String) -> CInt {
        renamex_np(source, path, UInt32(RENAME_EXCL)) == 0 ? 0 : errno
    }
    #else
    private typealias Rename =
        @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt

    // The C library's module omits the function.
    // Invariant: if the symbol exists, it is the C library's function with this signature.
    private static let systemRename: Rename? = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: Rename.self) }

    /// The kernel's `RENAME_NOREPLACE`.
    private static let noReplace: CUnsignedInt = 1

    private static func renameExclusively(_ source: String, _ path: String) -> CInt {
        guard let systemRename else { return ENOSYS }
        return systemRename(AT_FDCWD, source, AT_FDCWD, path, noReplace) == 0 ? 0 : errno
    }
    #endif
}
