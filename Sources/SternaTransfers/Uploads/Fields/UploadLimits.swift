/// The limits that a server sets for an upload; nil for each that it does not name.
struct UploadLimits: Sendable, Hashable, Codable {
    /// The largest and the smallest size of the whole upload, in bytes.
    var maxSize: Int64?
    var minSize: Int64?

    /// The largest and the smallest content of a request, in bytes. The last request may be smaller.
    var maxAppend: Int64?
    var minAppend: Int64?
}

extension UploadLimits {
    /// The value of Upload-Limit (draft-ietf-httpbis-resumable-upload, 4.1.4): limits, and the seconds for which the server keeps
    /// the upload.
    struct Field: Sendable, Hashable {
        var limits: UploadLimits
        var maxAge: Int64?

        /// Reads the field's lines; nil without the field, if it breaks the grammar, or if a known key has a value of another type.
        ///
        /// Interop version 6 calls `max-age` `expires`.
        init?(_ lines: [String]) {
            let keys = ["max-size", "min-size", "max-append-size", "min-append-size", "max-age", "expires"]
            guard let found = StructuredUploadField.integers(lines, keys) else { return nil }
            limits = UploadLimits(
                maxSize: found["max-size"], minSize: found["min-size"], maxAppend: found["max-append-size"],
                minAppend: found["min-append-size"])
            maxAge = found["max-age"] ?? found["expires"]
        }
    }
}
