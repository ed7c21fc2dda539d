import Sterna
import SternaCore
import SternaPlatform

/// What happened to a transfer: a line of its journal.
///
/// | event | meaning | further members |
/// |---|---|---|
/// | `began` | an attempt began | `at`, its `number` from 1, the bytes that it `kept` |
/// | `opened` | the partial file is there, and empty | `path` |
/// | `found` | the server's file is known, and nothing of it is there | `data` |
/// | `wrote` | bytes are in the partial file | `range`, `sum` |
/// | `synced` | the disk has these bytes | `data` |
/// | `discarded` | the partial file is void | |
/// | `placing` | the complete file is about to get its name | `path`, `device`, `number`, `length` |
/// | `uploading` | the server has this of an upload; written before what depends on it is sent | `upload` |
/// | `answered` | the server has all of an upload, and answered this | `answer` |
/// | `failed` | an attempt failed | `at`, `reason`, `kind`, `again`: when the next one is due |
/// | `blocked` | an attempt failed for want of credentials | `at`, `reason`, `kind` |
/// | `paused`, `resumed`, `cancelled` | the program asked for it | |
/// | `ended` | the transfer failed for good | `reason`, `kind` |
/// | `finished` | the file is at its destination, or the server has the upload | `path`, `length` |
///
/// Times are in milliseconds since 1970, positions and lengths in bytes, `sum` is XXH64 in hexadecimal digits, `data` is ``ResumeData``.
/// A program ignores events that it does not know.
enum TransferEvent: Sendable, Hashable {
    case began(number: Int, at: Int64, kept: Int64)
    case opened(path: String)
    case found(ResumeData)
    case wrote(Range<Int64>, sum: UInt64)
    case synced(ResumeData)
    case discarded
    case placing(TransferFile)
    case uploading(UploadRecord)
    case answered(TransferAnswer)
    case failed(TransferFailure, at: Int64, again: Int64)
    case blocked(TransferFailure, at: Int64)
    case paused
    case resumed
    case cancelled
    case ended(TransferFailure)
    case finished(path: String, length: Int64)
    case unknown
}

/// A file as the file system knows it, whatever its name.
struct TransferFile: Sendable, Hashable, Codable {
    let path: String
    let device: UInt64
    let number: UInt64
    let length: Int64

    init(_ path: String, _ status: FileStatus) {
        self.path = path
        (device, number, length) = (status.identity.device, status.identity.number, status.size)
    }

    /// Whether the file has its name.
    var isThere: Bool {
        guard let status = FileStatus(linkAt: path) else { return false }
        return status.isRegular && status.identity.device == device && status.identity.number == number
            && status.size == length
    }
}

extension TransferEvent: Codable {
    private enum Members: String, CodingKey {
        case event, number, at, kept, data, range, sum, file, upload, answer, failure, again, path, length
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
        case "answered": self = .answered(try members.decode(TransferAnswer.self, forKey: .answer))
        case "failed":
            self = .failed(
                try members.decode(TransferFailure.self, forKey: .failure), at: try time(.at), again: try time(.again))
        case "blocked":
            self = .blocked(try members.decode(TransferFailure.self, forKey: .failure), at: try time(.at))
        case "paused": self = .paused
        case "resumed": self = .resumed
        case "cancelled": self = .cancelled
        case "ended": self = .ended(try members.decode(TransferFailure.self, forKey: .failure))
        case "finished":
            self = .finished(
                path: try members.decode(String.self, forKey: .path), length: try time(.length))
        default: self = .unknown
        }
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Members.self)
        try members.encode(name, forKey: .event)
        switch self {
        case .began(let number, let at, let kept):
            try members.encode(kept, forKey: .kept)
            try members.encode(number, forKey: .number)
            try members.encode(at, forKey: .at)
        case .opened(let path): try members.encode(path, forKey: .path)
        case .found(let data), .synced(let data): try members.encode(data, forKey: .data)
        case .wrote(let range, let sum):
            try members.encode([range.lowerBound, range.upperBound], forKey: .range)
            try members.encode(String(sum, radix: 16), forKey: .sum)
        case .placing(let file): try members.encode(file, forKey: .file)
        case .uploading(let record): try members.encode(record, forKey: .upload)
        case .answered(let answer): try members.encode(answer, forKey: .answer)
        case .failed(let failure, let at, let again):
            try members.encode(failure, forKey: .failure)
            try members.encode(at, forKey: .at)
            try members.encode(again, forKey: .again)
        case .blocked(let failure, let at):
            try members.encode(failure, forKey: .failure)
            try members.encode(at, forKey: .at)
        case .ended(let failure): try members.encode(failure, forKey: .failure)
        case .finished(let path, let length):
            try members.encode(path, forKey: .path)
            try members.encode(length, forKey: .length)
        case .discarded, .paused, .resumed, .cancelled, .unknown: break
        }
    }

    private var name: String {
        switch self {
        case .began: "began"
        case .opened: "opened"
        case .found: "found"
        case .wrote: "wrote"
        case .synced: "synced"
        case .discarded: "discarded"
        case .placing: "placing"
        case .uploading: "uploading"
        case .answered: "answered"
        case .failed: "failed"
        case .blocked: "blocked"
        case .paused: "paused"
        case .resumed: "resumed"
        case .cancelled: "cancelled"
        case .ended: "ended"
        case .finished: "finished"
        case .unknown: "unknown"
        }
    }

    /// The JSON of a line.
    var json: [UInt8] {
        // The frequent one, many times a second.
        if case .wrote(let range, let sum) = self {
            let pair = "[\(range.lowerBound),\(range.upperBound)]"
            return Array(#"{"event":"wrote","range":\#(pair),"sum":"\#(String(sum, radix: 16))"}"#.utf8)
        }
        // Texts and numbers that are finite can always be written.
        return (try? Self.encoder.encode(self)).map { Array($0) } ?? []
    }

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    /// Reads the JSON of a line; nil for anything else.
    init?(json: ArraySlice<UInt8>) {
        let limits = JSON.ParseLimits(depth: 8, bytes: JournalLine.longest, values: 16_384)
        guard let event = try? JSON(parsing: Data(json), limits: limits).decode(TransferEvent.self) else { return nil }
        self = event
    }
}
