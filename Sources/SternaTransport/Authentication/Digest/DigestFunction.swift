import Crypto
package import NIOCore

/// A hash under way, of bytes that arrive in pieces.
package struct DigestFunction: Sendable {
    private enum State: Sendable {
        case md5(Insecure.MD5)
        case sha256(SHA256)
        case sha512Truncated(SHA512Truncated256)
        case sha512(SHA512)
    }

    private var state: State

    package init(_ algorithm: DigestHash) {
        switch algorithm {
        case .md5, .md5Sess: state = .md5(Insecure.MD5())
        case .sha256, .sha256Sess: state = .sha256(SHA256())
        case .sha512Truncated, .sha512TruncatedSess: state = .sha512Truncated(SHA512Truncated256())
        case .sha512: state = .sha512(SHA512())
        }
    }

    /// Returns the hash of bytes.
    package static func hash(_ bytes: [UInt8], by algorithm: DigestHash) -> [UInt8] {
        switch algorithm {
        case .md5, .md5Sess: Array(Insecure.MD5.hash(data: bytes))
        case .sha256, .sha256Sess: Array(SHA256.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        case .sha512Truncated, .sha512TruncatedSess: SHA512Truncated256.hash(bytes)
        }
    }

    /// Adds bytes.
    package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

    /// Adds the readable bytes of a buffer.
    package mutating func update(_ buffer: ByteBuffer) { buffer.withUnsafeReadableBytes { update($0) } }

    private mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .md5(var hash):
            hash.update(bufferPointer: bytes)
            state = .md5(hash)
        case .sha256(var hash):
            hash.update(bufferPointer: bytes)
            state = .sha256(hash)
        case .sha512Truncated(var hash):
            hash.update(bytes)
            state = .sha512Truncated(hash)
        case .sha512(var hash):
            hash.update(bufferPointer: bytes)
            state = .sha512(hash)
        }
    }

    /// Returns the hash of all bytes.
    package func finish() -> [UInt8] {
        switch state {
        case .md5(let hash): Array(hash.finalize())
        case .sha256(let hash): Array(hash.finalize())
        case .sha512Truncated(let hash): hash.finalize()
        case .sha512(let hash): Array(hash.finalize())
        }
    }
}
