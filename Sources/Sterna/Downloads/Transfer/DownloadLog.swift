import NIOCore
package import SternaCore

/// Stores the state from which a download resumes, in place of the sidecar. All functions wait for the disk, and throw
/// `writeFailed`.
package protocol DownloadLog: AnyObject, Sendable {
    /// A part of the partial file's name, after the destination's name. With the name that all downloads to a destination share,
    /// another download could write to the file while this one waits, since it has no sidecar.
    var partialName: String { get }

    /// Records the path of the partial file, which is empty.
    func opened(_ path: String) throws(SternaError)

    /// Records that a download starts, or starts over: the partial file has none of its bytes.
    func began(_ data: ResumeData) throws(SternaError)

    /// Records bytes in the partial file, which survive the end of the process, but not a power failure.
    func wrote(_ bytes: Bytes, at offset: Int64) throws(SternaError)

    /// Records the bytes that are on disk.
    func synced(_ data: ResumeData) throws(SternaError)

    /// Records that the complete file is about to be moved, so that a restart recognises it by its identity.
    func placing(at path: String, _ file: FileStatus) throws(SternaError)

    /// Forgets the partial file, which is about to be emptied or deleted.
    func discarded() throws(SternaError)
}
