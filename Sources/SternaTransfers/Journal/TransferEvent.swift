import Sterna
import SternaCore
import SternaPlatform

/// An event of a transfer, which is a line of its journal.
///
/// | event | meaning | further members |
/// |---|---|---|
/// | `began` | an attempt began | `at`, its `number` from 1, the bytes `kept` from earlier ones |
/// | `opened` | the partial file was created, empty | `path` |
/// | `found` | the server's file is known, no byte of it has been received | `data` |
/// | `wrote` | bytes are in the partial file | `range`, `sum` |
/// | `synced` | these bytes were synced to the disk | `data` |
/// | `discarded` | the partial file is invalid | |
/// | `placing` | the complete file is about to be renamed | `file` |
/// | `uploading` | the state of an upload at the server; written before requests that depend on it | `upload` |
/// | `answered` | the server has the complete upload; its response | `answer` |
/// | `failed` | an attempt failed | `at`, `failure`, `again`: when the next is due, `requests`: how many made no progress |
/// | `blocked` | an attempt failed because the program has not supplied credentials or a method | `at`, `failure` |
/// | `paused`, `resumed`, `cancelled` | the program requested it | |
/// | `ended` | the transfer failed for good | `failure` |
/// | `finished` | the file is at its destination, or the server has the upload | `path`, `length` |
///
/// Times are in milliseconds since 1970, positions and lengths in bytes. `sum` is the XXH64 in hexadecimal digits, `data` is
/// ``ResumeData``, `file` is ``TransferFile``. A newer program has written an event that this one does not know.
enum TransferEvent: Sendable, Hashable {
    case began(number: Int, at: Int64, kept: Int64)
    case opened(path: String)
    case found(ResumeData)
    case wrote(Range<Int64>, sum: UInt64)
    case synced(ResumeData)
    case discarded
    case placing(TransferFile)
    case uploading(UploadRecord)
    case responded(TransferResponse)
    case failed(TransferFailure, at: Int64, again: Int64, requests: Int = 0)
    case blocked(TransferFailure, at: Int64)
    case paused
    case resumed
    case cancelled
    case ended(TransferFailure)
    case finished(path: String, length: Int64)
}

/// The identity of a file, independent of its name. The device number may change with a reboot; the modification time, in
/// nanoseconds since 1970, does not.
struct TransferFile: Sendable, Hashable, Decodable {
    let path: String
    let device: UInt64
    let number: UInt64
    let length: Int64
    let modified: Int64?

    init(_ path: String, _ status: FileStatus) {
        self.path = path
        (device, number, length) = (status.identity.device, status.identity.number, status.size)
        modified = status.modified
    }

    /// Whether this file is at its path.
    var isThere: Bool {
        guard let status = FileStatus(linkAt: path) else { return false }
        guard status.isRegular, status.identity.number == number, status.size == length else { return false }
        // Older journals lack the time.
        return modified.map { $0 == status.modified } ?? (status.identity.device == device)
    }
}

extension TransferEvent: Decodable {
    private enum Members: String, CodingKey {
        case event, number, at, kept, data, range, sum, file, upload, answer, failure, again, requests, path, length
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Members.self)
        func time(_ key: Members) throws -> Int64 { try members.decode(Int64.self, forKey: key) }
        switch try members.decode(String.self, forKey: .event) {
        case "began":
            self = .began(
                number: try members.decode(Int.self, forKey: .number), at: try time(.at), kept: try time(.kept))
        case "opened": self = .opened(path: try members.decode(String.self, forKey: .path))
        case "found": self = .found(try members.decode(ResumeData.self, forKey: .data))
        case "wrote":
            let pair = try members.decode([Int64].self, forKey: .range)
            let sum = try members.decode(String.self, forKey: .sum)
            guard pair.count == 2, pair[0] >= 0, pair[0] < pair[1], let sum = UInt64(sum, radix: 16) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .range, in: members, debugDescription: "It is not a block of a file.")
            }
            self = .wrote(pair[0]..<pair[1], sum: sum)
        case "synced": self = .synced(try members.decode(ResumeData.self, forKey: .data))
        case "discarded": self = .discarded
        case "placing": self = .placing(try members.decode(TransferFile.self, forKey: .file))
        case "uploading": self = .uploading(try members.decode(UploadRecord.self, forKey: .upload))
        case "answered": self = .responded(try members.decode(TransferResponse.self, forKey: .answer))
        case "failed":
            self = .failed(
                try members.decode(TransferFailure.self, forKey: .failure), at: try time(.at), again: try time(.again),
                requests: max(0, try members.decodeIfPresent(Int.self, forKey: .requests) ?? 0))
        case "blocked":
            self = .blocked(try members.decode(TransferFailure.self, forKey: .failure), at: try time(.at))
        case "paused": self = .paused
        case "resumed": self = .resumed
        case "cancelled": self = .cancelled
        case "ended": self = .ended(try members.decode(TransferFailure.self, forKey: .failure))
        case "finished":
            self = .finished(
                path: try members.decode(String.self, forKey: .path), length: try time(.length))
        case let name:
            throw DecodingError.dataCorruptedError(
                forKey: .event, in: members, debugDescription: "“\(FieldSyntax.printable(name))” is unknown.")
        }
    }

    /// Reads the JSON of a line; nil for anything but an event.
    init?(json: ArraySlice<UInt8>) {
        let limits = JSON.ParseLimits(depth: 8, bytes: JournalLine.longest, values: 16_384)
        guard let event = try? JSON(parsing: Data(json), limits: limits).decode(TransferEvent.self) else { return nil }
        self = event
    }
}
