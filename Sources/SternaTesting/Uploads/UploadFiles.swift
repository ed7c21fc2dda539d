import SternaCore
import SternaPlatform

/// The files of one upload: `ID.json` with its record, `ID.content`, and `ID.received` with the number of bytes read.
///
/// Written data survives a kill of the process. Nothing is synchronised with the disk, so a power failure may lose it.
struct UploadFiles: Sendable {
    let folder: String
    let id: String

    var content: String { "\(folder)/\(id).content" }
    private var record: String { "\(folder)/\(id).json" }
    private var received: String { "\(folder)/\(id).received" }

    /// The largest record that is read, in bytes.
    private static let longestRecord = 64 << 10

    func save(_ value: UploadRecord) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Replaced in one step, so that a kill leaves the old record or the new one.
        try encoder.encode(value).write(to: URL(filePath: record), options: .atomic)
    }

    /// Returns the stored record; nil without one, and for one that cannot be read.
    func load() -> UploadRecord? {
        guard Self.size(record) ?? .max <= Self.longestRecord, let data = try? Data(contentsOf: URL(filePath: record))
        else { return nil }
        return UploadRecord(stored: data)
    }

    /// Writes bytes at an offset of the content.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        try Self.write(bytes, at: offset, of: content)
    }

    /// Stores the number of bytes read, in 20 digits, so that each number overwrites the previous one.
    func save(received count: Int64) throws {
        let text = String(max(0, count))
        let padded = String(repeating: "0", count: max(0, 20 - text.utf8.count)) + text
        try Array(padded.utf8).withUnsafeBytes { try Self.write($0, at: 0, of: received) }
    }

    func loadReceived() -> Int64 {
        guard Self.size(received) == 20, let data = try? Data(contentsOf: URL(filePath: received)) else { return 0 }
        let text = String(decoding: data, as: UTF8.self)
        // Refuses a sign, which a number could have.
        return text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) ?? 0 : 0
    }

    /// The number of content bytes in the file.
    var count: Int64 { Self.size(content) ?? 0 }

    func cut(to offset: Int64) throws {
        guard count > offset else { return }
        guard truncate(content, off_t(offset)) == 0 else { throw UploadStorageError(code: errno) }
    }

    /// Removes the files, the record last: if a kill leaves some of them, they are removed when the record expires.
    func remove() {
        for path in [content, received, record] { unlink(path) }
    }

    /// Removes the files of all uploads in a folder that have expired; returns when each of the others expires, by id, in seconds
    /// since 1970.
    ///
    /// Other files stay, and so do records that cannot be read.
    static func sweep(_ folder: String, now: Int64) throws -> [String: Int64] {
        var stored: [String: Int64] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".json") {
            let files = UploadFiles(folder: folder, id: String(name.dropLast(5)))
            guard UploadText.isID(files.id), let record = files.load() else { continue }
            let expires = record.expires ?? .max
            if expires <= now { files.remove() } else { stored[files.id] = expires }
        }
        return stored
    }

    /// Returns the size of a file; nil for none, and for a link, a folder or a pipe in its place.
    private static func size(_ path: String) -> Int64? {
        FileStatus(linkAt: path).flatMap { $0.isRegular ? $0.size : nil }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, of path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw UploadStorageError(code: errno) }
        defer { close(descriptor) }
        var rest = bytes[...]
        var position = off_t(offset)
        while !rest.isEmpty {
            // The kernel copies the bytes within the call.
            let count = pwrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, position)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw UploadStorageError(code: errno) }
            rest = rest.dropFirst(count)
            position += off_t(count)
        }
    }
}

/// A file of an upload that cannot be written.
struct UploadStorageError: Error, CustomStringConvertible {
    let code: CInt

    var description: String { "an upload's file cannot be written: \(String(cString: strerror(code)))" }
}
