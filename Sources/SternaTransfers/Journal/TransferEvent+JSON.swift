import Sterna
import SternaCore
import SternaPlatform
import SternaSerialization

extension TransferEvent {
    /// The JSON of a line.
    ///
    /// Most of it is built as a tree: a journal gets several lines a second for each transfer, and `JSONEncoder` is slower.
    var json: [UInt8] {
        // Strings and finite numbers can always be serialized.
        (try? JSON.object(.init(pairs: [("event", .string(name))] + members)).serialized()) ?? []
    }

    private var members: [(String, JSON)] {
        switch self {
        case .began(let count, let at, let kept):
            [("at", number(at)), ("kept", number(kept)), ("number", number(count))]
        case .opened(let path): [("path", .string(path))]
        case .found(let data), .synced(let data): [("data", data.json)]
        case .wrote(let range, let sum):
            [
                ("range", .array([number(range.lowerBound), number(range.upperBound)])),
                ("sum", .string(String(sum, radix: 16))),
            ]
        case .placing(let file): [("file", file.json)]
        case .uploading(let record): [("upload", coded(record))]
        case .responded(let response): [("answer", coded(response))]
        case .failed(let failure, let at, let again, let requests):
            [("again", number(again)), ("at", number(at)), ("failure", coded(failure))]
                + (requests > 0 ? [("requests", number(requests))] : [])
        case .blocked(let failure, let at): [("at", number(at)), ("failure", coded(failure))]
        case .ended(let failure): [("failure", coded(failure))]
        case .finished(let path, let length): [("length", number(length)), ("path", .string(path))]
        case .discarded, .paused, .resumed, .cancelled: []
        }
    }

    private func number(_ value: some FixedWidthInteger) -> JSON { .number(.init(Int64(clamping: value))) }

    /// Returns the JSON of a value by its `Encodable` conformance.
    private func coded(_ value: some Encodable) -> JSON {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let limits = JSON.ParseLimits(depth: 8, bytes: JournalLine.longest, values: 16_384)
        return (try? JSON(parsing: encoder.encode(value), limits: limits)) ?? .null
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
        case .responded: "answered"
        case .failed: "failed"
        case .blocked: "blocked"
        case .paused: "paused"
        case .resumed: "resumed"
        case .cancelled: "cancelled"
        case .ended: "ended"
        case .finished: "finished"
        }
    }
}

extension TransferFile {
    fileprivate var json: JSON {
        var members: [(String, JSON)] = [
            ("device", .number(.init(device))), ("length", .number(.init(length))), ("number", .number(.init(number))),
            ("path", .string(path)),
        ]
        if let modified { members.append(("modified", .number(.init(modified)))) }
        return .object(.init(pairs: members))
    }
}
