public import Sterna
public import SternaCore

/// A way of resumable uploading, in addition to the protocols that the store implements.
///
/// The store calls it for uploads with ``UploadOptions/Resumption/method(_:)`` and its name, with one call at a time for each
/// upload.
public protocol UploadMethod: Sendable {
    /// The name, which stored transfers refer to: later programs must use the same one.
    var name: String { get }

    /// Uploads the content, or the rest of it, and returns the server's response to the complete upload; nil if the response was
    /// lost.
    ///
    /// - Parameters:
    ///   - state: the last recorded state, perhaps of an earlier process; nil if none was recorded.
    ///   - record: stores the state of the upload. Await it before you send anything that depends on the state.
    ///   - progress: reports the bytes sent; returns at once.
    ///
    /// Throws `SternaError`. After a transient error the store calls it again.
    func run(
        _ job: UploadJob, from state: UploadMethodState?,
        record: @escaping @Sendable (UploadMethodState) async throws -> Void,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> Response?

    /// Has the server delete an upload that was cancelled or has failed for good, but not one that is complete. The store waits at
    /// most 10 s.
    func abandon(_ job: UploadJob, _ state: UploadMethodState) async throws
}

/// The content, target and options of an upload by an ``UploadMethod``.
public struct UploadJob: Sendable {
    /// The session that sends the upload's requests.
    public let session: Session

    /// The URL that the program gave.
    public let url: HTTPURL

    /// The program's header fields, including secrets. Send them only to the URL's origin.
    public let headers: Headers

    /// The options of the upload.
    public let options: UploadOptions

    /// The length of the content in bytes.
    public let length: Int64

    /// The media type of the content; nil if it is unknown.
    public let mediaType: String?

    let source: UploadSource

    /// Returns a range of the content as a body, which is read while it is sent. The range is clamped to the content.
    public func body(_ range: Range<Int64>) -> Body { source.body(range.clamped(to: 0..<length)) }

    /// Returns the digest of a range of the content. The range is clamped to the content.
    ///
    /// Throws `fileUnreadable` if a file cannot be read.
    public func digest(_ range: Range<Int64>, by checksum: UploadOptions.Checksum) async throws -> [UInt8] {
        try await source.digest(range.clamped(to: 0..<length), by: checksum.algorithm).bytes
    }
}

extension UploadOptions.Checksum {
    var algorithm: UploadDigest.Algorithm {
        switch self {
        case .md5: .md5
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}
