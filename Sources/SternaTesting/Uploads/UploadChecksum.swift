import Crypto
import NIOCore
import SternaPlatform

/// The checksum of a request's content (tus 1.0.0, Upload-Checksum).
struct UploadChecksum {
    static let algorithms = "md5,sha1,sha256,sha512"

    private enum Function {
        case md5(Insecure.MD5)
        case sha1(Insecure.SHA1)
        case sha256(SHA256)
        case sha512(SHA512)
    }

    /// A field's value.
    struct Expected: Sendable {
        let algorithm: String
        let digest: Data

        init?(_ text: String) {
            let parts = text.split(separator: " ")
            guard parts.count == 2, text.utf8.count <= 200, let digest = Data(base64Encoded: String(parts[1])) else {
                return nil
            }
            (algorithm, self.digest) = (String(parts[0]), digest)
        }
    }

    private var functions: [String: Function]

    /// - Parameter algorithm: the algorithm to compute; nil for all, while the trailer field has not arrived.
    init(_ algorithm: String?) {
        functions = [
            "md5": .md5(Insecure.MD5()), "sha1": .sha1(Insecure.SHA1()), "sha256": .sha256(SHA256()),
            "sha512": .sha512(SHA512()),
        ]
        if let algorithm { functions = functions.filter { $0.key == algorithm } }
    }

    /// Whether the algorithm is known.
    var isKnown: Bool { !functions.isEmpty }

    mutating func update(_ buffer: ByteBuffer) {
        functions = functions.mapValues { function in
            buffer.withUnsafeReadableBytes { bytes in
                switch function {
                case .md5(var function):
                    function.update(bufferPointer: bytes)
                    return .md5(function)
                case .sha1(var function):
                    function.update(bufferPointer: bytes)
                    return .sha1(function)
                case .sha256(var function):
                    function.update(bufferPointer: bytes)
                    return .sha256(function)
                case .sha512(var function):
                    function.update(bufferPointer: bytes)
                    return .sha512(function)
                }
            }
        }
    }

    /// Whether the content has the expected digest; nil for an unknown algorithm.
    func matches(_ expected: Expected) -> Bool? {
        functions[expected.algorithm].map { function in
            let digest =
                switch function {
                case .md5(let function): Data(function.finalize())
                case .sha1(let function): Data(function.finalize())
                case .sha256(let function): Data(function.finalize())
                case .sha512(let function): Data(function.finalize())
                }
            return digest == expected.digest
        }
    }
}
