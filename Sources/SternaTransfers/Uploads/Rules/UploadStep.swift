import SternaCore

/// The next step of an upload.
enum UploadStep: Sendable, Hashable {
    /// Ask the server for its protocols.
    case discover
    /// Create the upload with the first part of the content, which may be empty.
    case create(Range<Int64>, completes: Bool)
    /// Request the offset.
    case ask
    /// Send a range of the content, which is the last one if it completes the upload.
    case append(Range<Int64>, completes: Bool)
    /// Have the server delete the upload.
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

/// The properties of an interim or final response that the rules use.
struct UploadResponse: Sendable {
    var status: Int
    var fields: FieldSection
    var problem: UploadProblem?

    /// The time of its arrival, in seconds since 1970.
    var now: Int64

    /// The URL of the response.
    var url: HTTPURL

    /// Whether the status means success.
    var isSuccess: Bool { (200..<300).contains(status) }

    /// The wait that the server requests, in seconds; nil for none.
    var retryAfter: Duration? {
        fields[values: "Retry-After"].compactMap { text -> Int64? in
            if let seconds = UploadNumber.value(text) { return seconds }
            guard let moment = HTTPDate.seconds(text) else { return nil }
            return max(0, moment - (fields["Date"].flatMap { HTTPDate.seconds($0) } ?? now))
        }.max().map { .seconds(min($0, 366 * 86_400)) }
    }
}

/// The consequence of a response, or of a missing one, for an upload.
enum UploadDecision: Sendable, Hashable {
    /// Continue from this state.
    case proceed(UploadState)
    /// Repeat the step at another URL, by a redirect with this status.
    case follow(UploadState, status: Int)
    /// Wait, then continue from this state: the fault is transient.
    case again(UploadState, UploadFault, after: Duration?)
    /// The server no longer has the upload: create it again.
    case startAnew(UploadState, UploadFault)
    case complete(UploadState)
    case fail(UploadFault)
}
