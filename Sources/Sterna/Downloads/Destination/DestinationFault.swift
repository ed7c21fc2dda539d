import SternaCore
import SternaPlatform

/// Why a download's destination cannot be used; the `underlying` error of a ``SternaError``.
public enum DestinationFault: Error, Sendable, Hashable {
    /// The file exists, and the policy is ``ExistingFile/fail``, or all numbers up to 9,999 are taken.
    case exists(path: String)
    /// A folder is where the file would be.
    case folder(path: String)
    /// A file is where a folder would be.
    case notAFolder(path: String)
    /// A device, pipe or socket, which is never replaced.
    case notAFile(path: String)
    /// The folder is not writable; with the system's error number.
    case notWritable(folder: String, code: Int32)
    /// The disk is full, the user's quota is used up, or the file is too large for the file system; with the system's error number.
    case noSpace(path: String, code: Int32)
    /// Another program removed the temporary file.
    case vanished(temporaryFile: String)
    /// The file cannot be created for another reason; with the system's error number.
    case failed(path: String, code: Int32)
}

extension DestinationFault: CustomStringConvertible {
    /// What happened, where, and what to do, in one or two sentences.
    public var description: String {
        switch self {
        case .exists(let path):
            "The file \(Self.shown(path)) exists. Choose another destination, or “.replace” or “.addNumber” for existing files."
        case .folder(let path):
            "The destination \(Self.shown(path)) is a folder. Name a file in it, or use “.folder” for the server's name."
        case .notAFolder(let path): "\(Self.shown(path)) is not a folder. Choose another destination."
        case .notAFile(let path):
            "\(Self.shown(path)) is not a regular file, and is not replaced. Choose another destination."
        case .notWritable(let folder, let code):
            "The folder \(Self.shown(folder)) cannot be written: \(Self.reason(code)). Change its permissions, or choose another "
                + "destination."
        case .noSpace(let path, let code):
            "The file \(Self.shown(path)) cannot be written: \(Self.reason(code)). Free some space, or choose a destination on "
                + "another disk."
        case .vanished(let path):
            "The temporary file \(Self.shown(path)) was removed by another program. Start the download again."
        case .failed(let path, let code):
            "The file \(Self.shown(path)) cannot be created: \(Self.reason(code)). Choose another destination."
        }
    }

    /// Returns the error with this cause: `writeFailed` for a full disk, otherwise `destinationUnusable`.
    package func error(phase: SternaError.Phase) -> SternaError {
        var kind = SternaError.Kind.destinationUnusable
        if case .noSpace = self { kind = .writeFailed }
        return SternaError(kind, phase: phase, description, underlying: self)
    }

    /// Makes the fault for the error number of a system call that should have created a file.
    package init(code: Int32, path: String) {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: self = .noSpace(path: path, code: code)
        case EACCES, EPERM, EROFS: self = .notWritable(folder: FilePaths.folder(of: path), code: code)
        case EISDIR: self = .folder(path: path)
        case ENOTDIR: self = .notAFolder(path: FilePaths.folder(of: path))
        case EEXIST: self = .exists(path: path)
        default: self = .failed(path: path, code: code)
        }
    }

    // Paths are shortened less than other texts, since their end says most.
    private static func shown(_ path: String) -> String { "“\(FieldSyntax.printable(path, limit: 1_024))”" }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
