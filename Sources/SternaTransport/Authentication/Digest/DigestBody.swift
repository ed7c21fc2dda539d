package import SternaCore

/// The hash of a request's body, for answers with `auth-int` (RFC 7616, 3.4.3).
package enum DigestBody {
    /// Whether a body can be read before it is sent: bytes, files, and producers that can begin again. No body counts as an
    /// empty one.
    package static func canHash(_ body: Body?) -> Bool { body?.isReplayable ?? true }

    /// Returns the hash of a body; nil if the body can be read only once.
    ///
    /// Throws `fileUnreadable`, and the errors of sources.
    package nonisolated(nonsending) static func hash(_ body: Body?, by algorithm: DigestHash) async throws -> [UInt8]? {
        guard canHash(body) else { return nil }
        var function = DigestFunction(algorithm)
        if let body {
            var reader = BodyReader(body)
            while let piece = try await reader.next() { function.update(piece) }
        }
        return function.finish()
    }
}
