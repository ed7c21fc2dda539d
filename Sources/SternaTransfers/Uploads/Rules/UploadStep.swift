import SternaCore

/// What is to be done next for an upload.
enum UploadStep: Sendable, Hashable {
    /// Ask the server for its protocols.
    case discover
    /// Create the upload, with a part of the content that may be empty.
    case create(Range<Int64>, completes: Bool)
    /// Ask for the offset.
    case ask
    /// Send a range of the content, which is the last one if it completes the upload.
    case append(Range<Int64>, completes: Bool)
    /// Have the server forget the upload.
    case cancel
    case finish
    case fail(UploadFault)
}

extension UploadStep {
    /// The content that the step sends; empty for none.
    var content: Range<Int64> {
        switch self {
        case .create(let range, _), .append(let range, _): range
        default: 0..<0
        }
    }

    /// Whether the step's request completes the upload.
    var completes: Bool {
        switch self {
        case .create(_, let completes), .append(_, let completes): completes
        default: false
        }
    }
}

/// The request of a step: a value that the runner sends.
struct UploadRequest: Sendable, Hashable {
    var method: Request.Method
    var url: HTTPURL
    var headers = Headers()

    /// The range of the content that is the body; nil for no body.
    var content: Range<Int64>?
}

/// A response as far as the rules look at it, interim or final.
struct UploadReply: Sendable {
    var status: Int
    var fields: FieldSection
    var problem: UploadProblem?

    /// The moment at which it arrived, in seconds since 1970.
    var now: Int64

    /// The URL that answered.
    var url: HTTPURL

    /// Whether the status means success.
    var isSuccess: Bool { (200..<300).contains(status) }

    /// How long the server asks to wait; nil if it does not.
    var retryAfter: Duration? {
        fields[values: "Retry-After"].compactMap { text -> Int64? in
            if let seconds = UploadNumber.value(text) { return seconds }
            guard let moment = HTTPDate.seconds(text) else { return nil }
            return max(0, moment - (fields["Date"].flatMap { HTTPDate.seconds($0) } ?? now))
        }.max().map { .seconds(min($0, 366 * 86_400)) }
    }
}

/// What a response, or the lack of one, means for an upload.
enum UploadAnswer: Sendable, Hashable {
    /// Go on from this state.
    case proceed(UploadState)
    /// Repeat the step at another URL, by a redirect with this status.
    case follow(UploadState, status: Int)
    /// Wait, then go on from this state: the fault may pass.
    case again(UploadState, UploadFault, after: Duration?)
    /// The server no longer has the upload: create it again.
    case startAnew(UploadState, UploadFault)
    case complete(UploadState)
    case fail(UploadFault)
}
