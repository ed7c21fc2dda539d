import SternaCore

/// The capabilities of a tus server, from its response to OPTIONS.
struct TusSupport: Sendable, Hashable, Codable {
    /// The extensions of tus 1.0.0.
    enum Extension: String, Sendable, Hashable, Codable, CaseIterable {
        case creation, expiration, checksum, termination, concatenation
        case creationWithUpload = "creation-with-upload"
        case creationDeferLength = "creation-defer-length"
        case checksumTrailer = "checksum-trailer"
        case concatenationUnfinished = "concatenation-unfinished"
    }

    var extensions: Set<Extension> = []

    /// The names of the checksum algorithms.
    var checksums: Set<String> = []

    /// The largest upload, in bytes.
    var maxSize: Int64?

    init(extensions: Set<Extension> = [], checksums: Set<String> = [], maxSize: Int64? = nil) {
        (self.extensions, self.checksums, self.maxSize) = (extensions, checksums, maxSize)
    }

    /// Reads the fields of a response; nil if none of them names tus 1.0.0.
    init?(_ fields: FieldSection) {
        let versions = TusField.list(fields[values: "Tus-Version"]) + TusField.list(fields[values: "Tus-Resumable"])
        guard versions.contains(TusField.version) else { return nil }
        extensions = Set(
            TusField.list(fields[values: "Tus-Extension"]).compactMap { Extension(rawValue: $0) })
        checksums = Set(TusField.list(fields[values: "Tus-Checksum-Algorithm"]).prefix(32))
        maxSize = UploadNumber.value(fields[values: "Tus-Max-Size"])
    }
}
