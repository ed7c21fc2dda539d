import SternaCore
import SternaPlatform

/// The file next to a partial file that has its ``ResumeData``, for a process that was killed.
///
/// It must never claim bytes that a crash can take back: sync the partial file, then write the sidecar. All functions wait for the
/// disk; call them in ``BlockingWork``. Two downloads must not write the same sidecar at once.
enum ResumeSidecar {
    /// Writes the sidecar of a partial file, which is complete or as it was before, also after a power failure.
    ///
    /// Only its owner may read it, since the URL may hold secrets. Throws `writeFailed`.
    static func write(_ data: ResumeData, _ names: PartialNames) throws(SternaError) {
        try file(names).write([UInt8](data.data))
    }

    /// Reads the sidecar of a partial file; nil if there is none.
    ///
    /// The paths of the data are those of `names`, whatever the file says: it may have been moved, or made by someone else. Throws
    /// `fileUnreadable` for a link, for what is not a file of this user, and for a file of another download; `decodingFailed` for
    /// anything that is not resume data.
    ///
    /// - Parameter destination: the path of the destination; nil if it is decided after the transfer.
    static func read(_ names: PartialNames, destination: String?) throws(SternaError) -> ResumeData? {
        let file = Self.file(names)
        let content: SavedFile.Content?
        do throws(FileFault) {
            content = try file.load(upTo: ResumeData.Limits.bytes)
        } catch {
            throw file.unreadable(error)
        }
        guard let content else { return nil }
        guard content.isOwn else { throw file.unreadable(FileFault("it belongs to another user")) }
        let data = try ResumeData(data: Data(content.bytes))
        guard lastComponent(data.partialPath) == lastComponent(names.partial),
            data.destinationPath.map(lastComponent) == destination.map(lastComponent)
        else { throw file.unreadable(FileFault("it belongs to another file")) }
        return data.moved(partialPath: names.partialPath, destinationPath: destination)
    }

    /// Removes the sidecar if there is one, and what a killed process left of one.
    static func remove(_ names: PartialNames) {
        unlink(names.newSidecarPath)
        unlink(names.sidecarPath)
    }

    // Bytes are compared, as the file system does.
    /// Returns the bytes of the last component in reverse.
    private static func lastComponent(_ path: String) -> [UInt8] {
        Array(path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") })
    }

    private static func file(_ names: PartialNames) -> SavedFile {
        SavedFile(path: names.sidecarPath, title: "The file that a download is continued by,")
    }
}
