import NIOCore
package import SternaCore

/// Keeps what continues a download, in place of the file beside the partial one. All functions wait for the disk; they throw
/// `writeFailed`.
package protocol DownloadLog: AnyObject, Sendable {
    /// What the name of the partial file has behind that of the destination. With the shared name another download would write to the file
    /// while this one waits, since there is no sidecar.
    var partialName: String { get }

    /// Notes the path of the partial file, which is empty.
    func opened(_ path: String) throws(SternaError)

    /// Notes that a download of a representation begins, or begins anew: nothing of it is in the partial file.
    func began(_ data: ResumeData) throws(SternaError)

    /// Notes bytes that are in the partial file. They survive the end of the process, but no power failure.
    func wrote(_ bytes: Bytes, at offset: Int64) throws(SternaError)

    /// Notes the bytes that the disk has.
    func synced(_ data: ResumeData) throws(SternaError)

    /// Notes that the complete file is about to get its name, so that a restart recognizes it by its identity.
    func placing(at path: String, _ file: FileStatus) throws(SternaError)

    /// Forgets the partial file, which is about to be emptied or removed.
    func discarded() throws(SternaError)
}
