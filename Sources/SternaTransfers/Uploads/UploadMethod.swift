public import Sterna
public import SternaCore

/// A way of uploading that goes on after a kill, beside the protocols that the store has itself.
///
/// The store calls it for uploads with ``UploadOptions/Resumption/method(_:)`` and its name, one call at a time for each upload.
public protocol UploadMethod: Sendable {
    /// The name, which descriptions of transfers have: a later program must know it again.
    var name: String { get }

    /// Uploads the content, or what is missing of it, and returns the server's answer to the complete upload; nil if it was lost.
    ///
    /// - Parameters:
    ///   - state: what was recorded last, perhaps by an earlier process; nil if nothing was.
    ///   - record: notes how far the upload is; awaited before anything that depends on it is sent.
    ///   - progress: called with the bytes that were sent; returns at once.
    ///
    /// Throws `SternaError`. After one that may pass, it is called again.
    func run(
        _ job: UploadJob, from state: UploadMethodState?,
        record: @escaping @Sendable (UploadMethodState) async throws -> Void,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> Response?

    /// Has the server forget an upload that is cancelled, or has failed for good; what is complete stays. Awaited for at most 10 s.
    func abandon(_ job: UploadJob, _ state: UploadMethodState) async throws
}

/// What an ``UploadMethod`` uploads, where to, and how.
public struct UploadJob: Sendable {
    /// The session that sends its requests.
    public let session: Session

    /// The URL that the program has given.
    public let url: HTTPURL

    /// The header fields of the program, secrets among them: for requests to the URL's origin.
    public let headers: Headers

    public let options: UploadOptions

    /// The number of bytes.
    public let length: Int64

    public let mediaType: String?

    let source: UploadSource

    /// Returns a range of the content as a body, which is read while it is sent.
    public func body(_ range: Range<Int64>) -> Body { source.body(range.clamped(to: 0..<length)) }

    /// Returns the digest of a range of the content.
    ///
    /// Throws `fileUnreadable`.
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
