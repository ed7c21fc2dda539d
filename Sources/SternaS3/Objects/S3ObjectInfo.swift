import Sterna
public import SternaPlatform

/// What the server says of an object.
public struct S3ObjectInfo: Sendable, Hashable {
    /// The object's key.
    public let key: String

    /// The entity tag with its quotation marks, for `If-Match`.
    public let entityTag: String?

    /// The number of bytes; nil in the answer to an upload.
    public let size: Int64?

    /// When the object was stored.
    public let lastModified: Date?

    /// The media type.
    public let contentType: String?

    /// The version, in a bucket with versions.
    public let version: String?

    /// The storage class; nil for the standard one.
    public let storageClass: String?

    /// The object's own metadata, by names in lower case without the prefix `x-amz-meta-`.
    public let metadata: [String: String]

    /// Reads the fields of a response.
    ///
    /// - Parameter isStored: whether it answers an upload, and so has a body and a media type of its own.
    init(key: String, _ response: Response, isStored: Bool) {
        self.key = key
        entityTag = response[.eTag]
        size = isStored ? nil : response[.contentLength].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
        lastModified = response[.lastModified].flatMap(HTTPDate.seconds).map { Date(timeIntervalSince1970: Double($0)) }
        contentType = isStored ? nil : response[.contentType]
        version = response["x-amz-version-id"]
        storageClass = response["x-amz-storage-class"]
        var metadata: [String: String] = [:]
        let prefix = "x-amz-meta-"
        for field in response.headers where field.name.canonicalName.hasPrefix(prefix) {
            let name = String(field.name.canonicalName.dropFirst(prefix.count))
            metadata[name] = metadata[name].map { "\($0), \(field.value)" } ?? field.value
        }
        self.metadata = metadata
    }
}
