import Sterna

/// Writes Content-Digest and Repr-Digest (RFC 9530).
enum UploadDigestField {
    /// Returns the field's value; nil for an algorithm that must not be used there.
    static func text(_ digest: UploadDigest) -> String? {
        digest.algorithm.fieldName.map { DigestField.text([($0, digest.bytes)]) }
    }
}
