import Sterna
public import SternaPlatform

/// The properties of an object that the server sends.
public struct S3ObjectInfo: Sendable, Hashable {
    /// The object's key.
    public let key: String

    /// The entity tag, including its quotation marks, for `If-Match`; nil if the server sent none.
    public let entityTag: String?

    /// The size in bytes; nil in the response to an upload.
    public let size: Int64?

    /// The time at which the object was stored; nil if the server sent none.
    public let lastModified: Date?

    /// The media type; nil in the response to an upload.
    public let contentType: String?

    /// The version; nil in a bucket without versioning.
    public let version: String?

    /// The storage class; nil for the standard one.
    public let storageClass: String?

    /// The object's metadata, by names in lower case without the prefix `x-amz-meta-`. Repeated fields are joined by commas.
    public let metadata: [String: String]

    /// Reads the fields of a response.
    ///
    /// - Parameter isStored: whether it is the response to an upload, whose length and media type are not the object's.
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
