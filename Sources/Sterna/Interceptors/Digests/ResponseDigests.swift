import HTTPTypes
import NIOCore
import SternaCore

/// The digests that the content of one response must have, and those of its bytes so far.
struct ResponseDigests: Sendable {
    private let sources: [ExpectedDigest.Source]
    private let header: [ExpectedDigest]
    private let isRequired: Bool
    private let isGet: Bool

    /// Whether trailer fields may follow.
    private let mayHaveTrailers: Bool
    private var hashers: [DigestHasher]
    private var isEmpty = true

    /// Reads the digests in a response's head; nil if there is nothing to verify.
    init?(_ response: Response, to request: Request, isRequired: Bool) {
        let fields = response.section
        sources = DigestRule.sources(
            request.method, status: response.status.code,
            hasContentLocation: fields.contains(.contentLocation))
        guard !sources.isEmpty else { return nil }
        (self.isRequired, isGet) = (isRequired, request.method == .get)
        header = Self.digests(sources) { fields[values: $0] }
        // Unknown trailers are not worth hashing content of known length, which hardly ever has any.
        mayHaveTrailers =
            response.body.whole != nil
            ? response.body.trailers != nil : response.body.length == nil || fields.contains(.trailer)
        let algorithms = DigestAlgorithm.allCases.filter { [header, mayHaveTrailers] algorithm in
            mayHaveTrailers || header.contains { $0.algorithm == algorithm }
        }
        hashers = algorithms.map { DigestHasher($0) }
        if hashers.isEmpty, !isRequired { return nil }
    }

    private static func digests(
        _ sources: [ExpectedDigest.Source], _ lines: (HTTPField.Name) -> [String]
    ) -> [ExpectedDigest] {
        sources.flatMap { source in source.field.map { DigestField.digests(lines($0), source) } ?? [] }
    }

    /// The error of a streamed response that lacks a required digest already by its head; nil if one may still come.
    var missingInHead: SternaError? { isRequired && hashers.isEmpty ? missing : nil }

    /// Adds a piece of the content.
    mutating func add(_ piece: Bytes) {
        if piece.readableBytes > 0 { isEmpty = false }
        for index in hashers.indices { hashers[index].update(piece) }
    }

    /// Throws `digestMismatch` if the complete content does not have a stated digest, and `unacceptableResponse` if a required one
    /// is missing.
    func check(_ trailers: HTTPFields?) throws(SternaError) {
        var expected = header
        if let trailers { expected += Self.digests(sources) { trailers[values: $0] } }
        // A response without content may name the digest of the resource that the request has made.
        if isEmpty, !isGet { expected.removeAll { $0.source == .representationField } }
        var isVerified = false
        for hasher in hashers where expected.contains(where: { $0.algorithm == hasher.algorithm }) {
            isVerified = true
            let error = hasher.verdict(expected, of: "the response's content", remedy: "send the request again")
            if let error { throw error }
        }
        if isRequired, !isVerified, isGet || !isEmpty { throw missing }
    }

    private var missing: SternaError {
        var error = SternaError(
            .unacceptableResponse, phase: .read,
            "The response has no digest of its content in SHA-256 or SHA-512, which the request's `digests` require. Have the "
                + "server send \(sources.contains(.representationField) ? "Content-Digest or Repr-Digest" : "Content-Digest"), "
                + "or set `digests` to `.verify`, which verifies only what has one.")
        error.requestSent = true
        return error
    }
}
