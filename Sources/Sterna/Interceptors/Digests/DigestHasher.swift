import Crypto
import NIOCore
import SternaCore

/// Computes the digest of bytes that arrive in pieces.
struct DigestHasher: Sendable {
    // One of the two is set; it is changed in place, without a copy.
    private var sha256: SHA256?
    private var sha512: SHA512?

    /// The algorithm.
    let algorithm: DigestAlgorithm

    /// Makes a hasher without bytes.
    init(_ algorithm: DigestAlgorithm) {
        self.algorithm = algorithm
        switch algorithm {
        case .sha256: sha256 = SHA256()
        case .sha512: sha512 = SHA512()
        }
    }

    /// Adds the next bytes.
    mutating func update(_ bytes: Bytes) {
        bytes.withUnsafeReadableBytes { update($0) }
    }

    /// Adds the next bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        sha256?.update(bufferPointer: bytes)
        sha512?.update(bufferPointer: bytes)
    }

    /// Returns the digest of all bytes so far.
    func digest() -> [UInt8] {
        if let sha256 { return Array(sha256.finalize()) }
        return sha512.map { Array($0.finalize()) } ?? []
    }

    /// Returns the error of the first expected digest that does not match; nil if all match.
    ///
    /// - Parameters:
    ///   - expected: the expected digests; those of other algorithms are ignored.
    ///   - what: what the bytes are, for the message, such as “the file big.iso”.
    ///   - remedy: what to do about bytes that the server vouched for.
    func verdict(
        _ expected: [ExpectedDigest], of what: String, remedy: String = "download it again"
    ) -> SternaError? {
        let own = expected.filter { $0.algorithm == algorithm }
        guard !own.isEmpty else { return nil }
        let computed = digest()
        guard let wrong = own.first(where: { $0.value != computed }) else { return nil }
        let advice =
            wrong.source == .caller
            ? "Check the digest and its source, and download the file again; do not use it."
            : "It was damaged on the way or changed on the server: \(remedy)."
        var error = SternaError(
            .digestMismatch, phase: .read,
            "The \(algorithm.rawValue) of \(FieldSyntax.printable(what)) is \(HexText.text(of: computed)), not "
                + "\(HexText.text(of: wrong.value)), which is that \(wrong.source.name). \(advice)",
            underlying: DigestMismatch(
                isCallersAlone: !own.contains { $0.source != .caller && $0.value != computed }, isJoined: false))
        error.requestSent = true
        return error
    }
}
