import HTTPTypes
import Sterna
import SternaPlatform
import Synchronization

/// Keeps the partial file of an interrupted request, and the resume data with which `tern download --continue` resumes it.
final class KeptPart: Sendable {
    private let url: HTTPURL
    private let kept = Mutex<Int64?>(nil)

    /// - Parameter url: the URL of the request.
    init(url: HTTPURL) { self.url = url }

    /// The bytes that were kept; nil if there are none.
    var bytes: Int64? { kept.withLock { $0 } }

    /// Keeps what was received. Nothing is kept if the server has no strong validator for the file (RFC 9110, 8.8.1), or if an
    /// earlier download has left a part of it.
    func keep(_ file: OutputFile, of response: Response) {
        guard keeps(file, of: response) else { return }
        let count = file.count
        kept.withLock { $0 = count }
    }

    private func keeps(_ file: OutputFile, of response: Response) -> Bool {
        guard response.status == .ok, !response.isDecoded, let validator = Self.validator(response),
            let partial = file.partialName
        else { return false }
        let count = file.count
        guard count > 0, response.body.length.map({ count < $0 }) ?? true, file.keepPart() else { return false }
        var members: JSON.Object = [:]
        members["version"] = 1
        members["url"] = .string(url.removingUserinfo().href)
        members["validator"] = .object(validator)
        if let length = response.body.length { members["length"] = JSON(length) }
        members["ranges"] = [[0, JSON(count)]]
        members["partial"] = .string(Self.absolute(partial))
        members["destination"] = .string(Self.absolute(file.name))
        do {
            // What the library could not read would never be resumed.
            let data = try ResumeData(data: Data(try JSON.object(members).serialized()))
            try PrivateFile(path: String(partial.dropLast(OutputFile.partSuffix.count)) + ".sterna-resume").write(
                [UInt8](data.data))
            return true
        } catch {
            unlink(partial)
            return false
        }
    }

    private static func validator(_ response: Response) -> JSON.Object? {
        if let tag = response.headers[.eTag] { return tag.hasPrefix("\"") ? ["etag": .string(tag)] : nil }
        guard let text = response.headers[.lastModified], let modified = HTTPDate.seconds(text),
            let made = response.headers[.date].flatMap(HTTPDate.seconds), made > modified
        else { return nil }
        return ["lastModified": .string(text)]
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}
