import SternaCore

/// The state of an upload in the journal.
enum UploadRecord: Sendable, Hashable {
    /// An upload by a resumable protocol.
    case resumable(UploadState)
    /// An upload in several parts, which the server joins.
    case parts(ConcatenatedUpload.State)
    /// An upload by a method of the program, with the method's state.
    case method(UploadMethodState)
    /// An upload in one request.
    case whole

    /// Whether the server may have responded to the upload.
    var isBegun: Bool {
        switch self {
        case .resumable(let state): state.url != nil
        case .parts(let state): state.parts.contains { $0.url != nil }
        case .method, .whole: true
        }
    }

    /// The bytes that the server has confirmed.
    var confirmed: Int64 {
        switch self {
        case .resumable(let state): state.offset
        case .parts(let state):
            // Until its parts are joined, the whole has no confirmed bytes.
            state.whole.stage == .complete
                ? state.whole.length
                : state.parts.reduce(0) { $0.addingReportingOverflow($1.offset).partialValue }
        case .method(let state): state.confirmed
        case .whole: 0
        }
    }

    /// The bytes that requests have carried, confirmed or not; nil if that is unknown.
    var sent: Int64? {
        switch self {
        case .resumable(let state): max(state.sent, state.offset)
        case .parts(let state):
            state.whole.stage == .complete
                ? state.whole.length
                : state.parts.reduce(0) { $0.addingReportingOverflow(max($1.sent, $1.offset)).partialValue }
        case .method, .whole: nil
        }
    }

    /// Whether this record must survive a power failure: any change but a larger offset or more bytes sent.
    func isEssential(after before: UploadRecord?) -> Bool {
        guard case .resumable(var old)? = before, case .resumable(var new) = self else { return true }
        (old.offset, old.reached, new.offset, new.reached) = (0, 0, 0, 0)
        (old.sent, new.sent) = (0, 0)
        return old != new
    }
}

/// The recorded state of an upload by an ``UploadMethod``.
public struct UploadMethodState: Sendable, Hashable, Codable {
    /// The name of the method.
    public var name: String

    /// The method's own state, such as JSON; at most 256 KiB. It is not shown, so that it may contain a secret such as the upload's
    /// URL.
    public var note: String

    /// The bytes that the server has confirmed.
    public var confirmed: Int64

    /// Creates a state. The number of confirmed bytes must not be negative.
    public init(name: String, note: String, confirmed: Int64) {
        (self.name, self.note, self.confirmed) = (name, note, confirmed)
    }

    static let longestNote = 256 << 10
}

extension UploadMethodState: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "confirmed": confirmed], displayStyle: .struct)
    }
}

extension UploadRecord: Codable {
    private enum Members: String, CodingKey { case kind, state }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Members.self)
        switch try members.decode(String.self, forKey: .kind) {
        case "resumable": self = .resumable(try members.decode(UploadState.self, forKey: .state))
        case "parts":
            let state = try members.decode(ConcatenatedUpload.State.self, forKey: .state)
            guard state.parts.count <= 64 else {
                throw DecodingError.dataCorruptedError(
                    forKey: .state, in: members, debugDescription: "It has too many parts.")
            }
            self = .parts(state)
        case "method":
            let state = try members.decode(UploadMethodState.self, forKey: .state)
            guard state.confirmed >= 0, state.note.utf8.count <= UploadMethodState.longestNote else {
                throw DecodingError.dataCorruptedError(
                    forKey: .state, in: members, debugDescription: "It is not the state of an upload.")
            }
            self = .method(state)
        case "whole": self = .whole
        case let other:
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: members, debugDescription: "“\(FieldSyntax.printable(other))” is unknown.")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Members.self)
        switch self {
        case .resumable(let state):
            try members.encode("resumable", forKey: .kind)
            try members.encode(state, forKey: .state)
        case .parts(let state):
            try members.encode("parts", forKey: .kind)
            try members.encode(state, forKey: .state)
        case .method(let state):
            try members.encode("method", forKey: .kind)
            try members.encode(state, forKey: .state)
        case .whole: try members.encode("whole", forKey: .kind)
        }
    }
}
