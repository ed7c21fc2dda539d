import SternaCore
import SternaPlatform

/// The file next to a partial file that has its ``ResumeData``, from which a download resumes after its process was killed.
///
/// It must never list bytes that a crash can lose: sync the partial file before writing the sidecar. All functions wait for the
/// disk; call them in ``BlockingWork``. Two downloads must not write the same sidecar at once.
enum ResumeSidecar {
    /// Writes the sidecar of a partial file. A failure, even of the power, leaves the old or the new one.
    ///
    /// Only its owner can read it, since the URL may contain secrets. Throws `writeFailed`.
    static func write(_ data: ResumeData, _ names: PartialNames) throws(SternaError) {
        try file(names).write([UInt8](data.data))
    }

    /// Reads the sidecar of a partial file; nil if there is none.
    ///
    /// The paths come from `names`, whatever the file says: it may have been moved, or made by another user. Throws
    /// `fileUnreadable` for a link, a file of another user, and a file of another download; throws `decodingFailed` for anything
    /// that is not resume data.
    ///
    /// - Parameter destination: the path of the destination; nil if it is decided after the transfer.
    static func read(_ names: PartialNames, destination: String?) throws(SternaError) -> ResumeData? {
        guard let data = try load(names) else { return nil }
        guard data.destinationPath.map(lastComponent) == destination.map(lastComponent) else {
            throw otherFile(names)
        }
        return data.moved(partialPath: names.partialPath, destinationPath: destination)
    }

    /// Reads the sidecar of a partial file, for the destination in the same folder that the sidecar names; nil if there is none.
    ///
    /// Unlike the names of a partial file and its sidecar, that of the destination is never shortened. Throws like
    /// ``read(_:destination:)``, and for a destination that would have another sidecar.
    static func read(_ names: PartialNames, in folder: String) throws(SternaError) -> ResumeData? {
        guard let data = try load(names) else { return nil }
        let destination = data.destinationPath.map { FilePaths.path(FilePaths.name(of: $0), in: folder) }
        guard let destination, let own = PartialNames(destination: destination),
            lastComponent(own.sidecar) == lastComponent(names.sidecar)
        else { throw otherFile(names) }
        return data.moved(partialPath: names.partialPath, destinationPath: destination)
    }

    /// Reads a sidecar, whose paths are not checked apart from the partial file's name.
    private static func load(_ names: PartialNames) throws(SternaError) -> ResumeData? {
        let file = Self.file(names)
        let content: PrivateFile.Content?
        do throws(FileFault) {
            content = try file.load(upTo: ResumeData.Limits.bytes)
        } catch {
            throw file.unreadable(error)
        }
        guard let content else { return nil }
        guard content.isOwn else { throw file.unreadable(FileFault("it belongs to another user")) }
        let data = try ResumeData(data: Data(content.bytes))
        guard lastComponent(data.partialPath) == lastComponent(names.partial) else { throw otherFile(names) }
        return data
    }

    private static func otherFile(_ names: PartialNames) -> SternaError {
        file(names).unreadable(FileFault("it belongs to another file"))
    }

    /// Deletes the sidecar, and a killed process's unfinished one.
    static func remove(_ names: PartialNames) {
        unlink(names.newSidecarPath)
        unlink(names.sidecarPath)
    }

    // Returns the bytes of the last component in reverse. Bytes are compared, as the file system does.
    private static func lastComponent(_ path: String) -> [UInt8] {
        Array(path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") })
    }

    private static func file(_ names: PartialNames) -> PrivateFile {
        PrivateFile(path: names.sidecarPath, title: "The file that a download is continued by,")
    }
}
