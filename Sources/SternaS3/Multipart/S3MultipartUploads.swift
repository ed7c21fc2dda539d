public import Sterna
public import SternaTransfers

/// An upload method of `TransferStore`: multipart uploads to S3, which resume after a kill.
///
///     let store = try TransferStore(folder: folder) { $0.uploadMethods = [S3MultipartUploads()] }
///     let session = try Session { $0.auth.awsSigning = .s3(region: "eu-central-1", credentials: AWSEnvironmentCredentials()) }
///     let url = "https://s3.eu-central-1.amazonaws.com/photos/film.mov"
///     try await store.upload(file: "film.mov", to: url, with: session, UploadOptions(.method("s3")))
///
/// The session signs the requests. A file of up to one part is sent in one request. For a larger one, the server's identifier of
/// the upload is on the disk before its first part is sent; after a kill the method lists the parts that the server has, and sends
/// only the others. Header fields such as `x-amz-meta-…` and `Cache-Control` become the object's. A cancelled upload is aborted at
/// the server.
///
/// `UploadOptions.parts`, if it is more than 1, replaces ``concurrency``. `maxRequestBytes` limits the size of parts. `checksum`
/// has the server verify each part: MD5, SHA-1 or SHA-256.
public struct S3MultipartUploads: UploadMethod {
    /// The name, `s3`, for `UploadOptions(.method("s3"))`.
    public var name: String { "s3" }

    /// The size of a part in bytes, from 5 MiB to 5 GiB; 8 MiB by default. Values out of range are clamped. A file that would have
    /// more than 10,000 parts gets larger ones.
    public var partBytes: Int64

    /// The number of parts that are sent at the same time, 1 to 64; 4 by default. Values out of range are clamped.
    public var concurrency: Int

    /// How often a request is repeated before the store pauses the upload.
    var patience = S3UploadPatience()

    /// A smaller limit on parts than S3's, for tests.
    var smallestPart = S3PartPlan.Limits.smallestPart

    /// Creates the method.
    public init(partBytes: Int64 = 8 << 20, concurrency: Int = 4) {
        (self.partBytes, self.concurrency) = (partBytes, concurrency)
    }

    /// Uploads the content, or the parts that the server lacks, and returns the response to the completion.
    ///
    /// Throws `invalidRequest` for a URL that is not an object's, for a file of more than 5 TiB, and for options that S3 does not
    /// support; `fileUnreadable`; and the server's error.
    public func run(
        _ job: UploadJob, from state: UploadMethodState?,
        record: @escaping @Sendable (UploadMethodState) async throws -> Void,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> Response? {
        let noted = state.flatMap { S3UploadState(note: $0.note, length: job.length, smallest: smallestPart) }
        let plan: S3PartPlan
        if let noted, let known = S3PartPlan(length: job.length, partBytes: noted.partBytes, smallest: smallestPart) {
            plan = known
        } else {
            plan = try S3PartPlan.choose(
                length: job.length, wanted: partBytes, largest: job.options.maxRequestBytes, smallest: smallestPart)
        }
        let upload = S3MultipartUpload(
            client: try S3UploadClient(job, patience), plan: plan,
            checksum: try job.options.checksum.map { (kind) throws(SternaError) in try S3UploadFields.Checksum(kind) },
            concurrency: min(max(1, job.options.parts > 1 ? job.options.parts : concurrency), 64),
            record: { [name] in
                try await record(UploadMethodState(name: name, note: $0.note, confirmed: $0.confirmed))
            }, progress: progress)
        return try await upload.run(from: noted)
    }

    /// Aborts the upload at the server (AbortMultipartUpload). Throws the server's error.
    public func abandon(_ job: UploadJob, _ state: UploadMethodState) async throws {
        guard let noted = S3UploadState(note: state.note, length: job.length, smallest: smallestPart),
            let id = noted.uploadID
        else { return }
        try await S3UploadClient(job, patience).abort(id)
    }
}
