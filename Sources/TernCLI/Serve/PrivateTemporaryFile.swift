import Sterna
import SternaPlatform

/// A temporary file that only its owner can read, removed with this object or when the process ends.
final class PrivateTemporaryFile: Sendable {
    let path: String
    private let cleanup: Int

    /// Creates a file in the folder for temporary files; throws `OutputError`.
    init(content: Bytes, name: String) throws(OutputError) {
        let folder = FileManager.default.temporaryDirectory.path
        // `mkstemp` replaces the last six characters of the template, which is zero-terminated.
        var template = Array("\(folder)/\(name)-XXXXXX".utf8CString)
        let number = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { mkstemp($0) } ?? -1
        }
        guard number >= 0 else { throw OutputError(name: "A file in \(folder)", code: errno) }
        defer { close(number) }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.path = path
        cleanup = Cleanup.add { unlink(path) }
        try Descriptor(number: number, name: path).write(content)
    }

    convenience init(content: String, name: String) throws(OutputError) {
        try self.init(content: Bytes(text: content), name: name)
    }

    deinit { Cleanup.run(cleanup) }
}
