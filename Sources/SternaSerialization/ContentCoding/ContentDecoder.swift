import NIOCore
package import SternaCore

/// Decodes a body in one content coding, in pieces of bounded size.
package protocol ContentDecoder: AnyObject {
    /// Decodes from `input`, advancing its reader index, until it is used up or the output has `limit` bytes.
    ///
    /// Returns the decoded bytes, or none if more input is needed: what is left of the input must be passed again, before what
    /// follows it. Throws `contentCodingFailed` for data that is not in the format, or has bytes after its end.
    func decode(_ input: inout Bytes, limit: Int) throws(SternaError) -> Bytes

    /// Throws if the input is incomplete.
    func finish() throws(SternaError)
}

/// Compresses a body in one content coding.
protocol ContentEncoder: AnyObject {
    /// Returns the output for the next bytes; nil ends the stream.
    func compress(_ input: Bytes?) throws(SternaError) -> Bytes
}

extension SternaError {
    /// Returns the error for coded bytes that cannot be decoded.
    static func damagedCoding(_ why: String) -> SternaError {
        SternaError(.contentCodingFailed, phase: .decode, "The compressed bytes of the body are damaged: \(why).")
    }

    /// Returns the error for a decoder that cannot be made.
    static var noDecoder: SternaError {
        SternaError(.contentCodingFailed, phase: .decode, "The decoder for the body could not be created.")
    }

    /// Returns the error for a body that cannot be compressed.
    ///
    /// - Parameter why: the reason, as the end of a sentence.
    static func encoding(_ phase: SternaError.Phase, _ why: String) -> SternaError {
        SternaError(.encodingFailed, phase: phase, "The body cannot be compressed: \(why).")
    }
}

/// Why the bytes are damaged, in words that all codings share.
enum CodingFault {
    static let truncated = "they end too early"
    static let trailing = "bytes follow their end"
    static let foreign = "they are not in the format that Content-Encoding names"
}
