import Sterna
import SternaPlatform

/// Reads the files that items name.
enum ItemFile {
    /// The longest content, in bytes, that is read into memory.
    static let longest: Int64 = 64 << 20

    /// Returns the content of a file as text; throws `fileUnreadable`.
    static func text(_ path: String) throws(SternaError) -> String {
        guard let text = String(validating: try bytes(path), as: UTF8.self) else {
            throw unreadable(path, "it is not UTF-8; send it as the body with @\(path)")
        }
        return text
    }

    /// Returns the content of a file; throws `fileUnreadable`.
    static func bytes(_ path: String) throws(SternaError) -> [UInt8] {
        let range = try FileRange(wholeFile: path)
        guard range.length <= longest else {
            throw unreadable(path, "it is longer than \(ByteSize(longest)); send it as the body with @\(path)")
        }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        let failure = errno
        guard file >= 0 else { throw unreadable(path, String(cString: strerror(failure))) }
        defer { close(file) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while content.count <= longest {
            let count = read(file, &chunk, chunk.count)
            let reason = count < 0 ? errno : 0
            if reason == EINTR { continue }
            guard reason == 0 else { throw unreadable(path, String(cString: strerror(reason))) }
            if count == 0 { break }
            content.append(contentsOf: chunk[..<count])
        }
        return content
    }

    private static func unreadable(_ path: String, _ why: String) -> SternaError {
        SternaError(.fileUnreadable, phase: .prepare, "The file “\(path)” cannot be read: \(why).")
    }
}
