import Crypto
import SternaCore
import SternaPlatform

/// A checksum that is sent after the content of a body in signed chunks, for the service to verify.
public enum AWSChecksum: String, Sendable, Hashable, CaseIterable {
    case crc32, crc32c, sha1, sha256

    /// The length of the checksum in base64.
    var textLength: Int {
        switch self {
        case .crc32, .crc32c: 8
        case .sha1: 28
        case .sha256: 44
        }
    }

    /// The name of the trailing field: `x-amz-checksum-crc32`.
    func field(_ vendor: AWSScope.Vendor) -> String { "\(vendor.prefix)checksum-\(rawValue)" }
}

/// Computes a checksum incrementally.
struct AWSChecksumHasher: Sendable {
    private enum State: Sendable {
        case crc(UInt32, table: [UInt32])
        case sha1(Insecure.SHA1)
        case sha256(SHA256)
    }

    private var state: State

    init(_ checksum: AWSChecksum) {
        switch checksum {
        case .crc32: state = .crc(.max, table: Self.crc32)
        case .crc32c: state = .crc(.max, table: Self.crc32c)
        case .sha1: state = .sha1(Insecure.SHA1())
        case .sha256: state = .sha256(SHA256())
        }
    }

    /// Adds the next bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .crc(var value, let table):
            for byte in bytes {
                // A table has an entry for each byte.
                value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8)
            }
            state = .crc(value, table: table)
        case .sha1(var hasher):
            hasher.update(bufferPointer: bytes)
            state = .sha1(hasher)
        case .sha256(var hasher):
            hasher.update(bufferPointer: bytes)
            state = .sha256(hasher)
        }
    }

    /// Returns the checksum of all bytes so far, in base64.
    var text: String {
        switch state {
        case .crc(let value, _):
            let sum = ~value
            return Data((0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * UInt32($0))) }).base64EncodedString()
        case .sha1(let hasher): return Data(hasher.finalize()).base64EncodedString()
        case .sha256(let hasher): return Data(hasher.finalize()).base64EncodedString()
        }
    }

    /// CRC-32 (ISO 3309), as zlib has it.
    private static let crc32 = table(0xEDB8_8320)

    /// CRC-32C (RFC 3720, B.4).
    private static let crc32c = table(0x82F6_3B78)

    private static func table(_ polynomial: UInt32) -> [UInt32] {
        (0..<256).map { index in
            var value = UInt32(index)
            for _ in 0..<8 { value = value & 1 == 1 ? polynomial ^ (value >> 1) : value >> 1 }
            return value
        }
    }
}
