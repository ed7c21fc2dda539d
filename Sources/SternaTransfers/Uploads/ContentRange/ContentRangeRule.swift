import HTTPTypes
import SternaCore

/// The rules of uploads by `Content-Range` to a URL that the server names (a session), as Google Cloud Storage and similar services
/// support them.
///
/// | step | request | response |
/// |---|---|---|
/// | create | `POST` without content to the target, with `X-Upload-Content-Length` and `-Type` | 2xx with `Location` |
/// | ask | `PUT` without content, `Content-Range: bytes */1000` | 308 with `Range: bytes=0-99`, or without for nothing; 2xx: complete |
/// | append | `PUT`, `Content-Range: bytes 100-999/1000` | the same |
/// | cancel | `DELETE` | 2xx, 404, 410 or 499 |
enum ContentRangeRule {
    static let rangeField = "Content-Range"

    /// The content of a request must be a multiple of this number of bytes, unless it is the last.
    static let unit: Int64 = 256 << 10

    static func request(_ step: UploadStep, _ state: UploadState, _ plan: UploadPlan) throws -> UploadRequest {
        var headers = Headers()
        switch step {
        case .discover: return UploadRequest(method: .options, url: state.target)
        case .create:
            headers.append("X-Upload-Content-Type", plan.mediaType)
            headers.append("X-Upload-Content-Length", "\(state.length)")
            return UploadRequest(method: plan.method, url: state.target, headers: headers, content: 0..<0)
        case .ask:
            guard let url = state.url else { throw UploadFault.noRequest }
            headers.append(rangeField, "bytes */\(state.length)")
            return UploadRequest(method: .put, url: url, headers: headers, content: 0..<0)
        case .append(let content, _):
            guard let url = state.url else { throw UploadFault.noRequest }
            let range = content.isEmpty ? "*" : "\(content.lowerBound)-\(content.upperBound - 1)"
            headers.append(rangeField, "bytes \(range)/\(state.length)")
            headers.append("Content-Type", plan.mediaType)
            return UploadRequest(method: .put, url: url, headers: headers, content: content)
        case .cancel:
            guard let url = state.url else { throw UploadFault.noRequest }
            return UploadRequest(method: .delete, url: url, headers: headers)
        case .finish, .fail: throw UploadFault.noRequest
        }
    }

    static func decide(
        _ response: UploadResponse, to step: UploadStep, _ state: UploadState
    ) throws(UploadFault) -> UploadDecision {
        switch step {
        case .create: return try created(response, step, state)
        case .ask, .append: return try confirmed(response, step, state)
        case .cancel:
            switch response.status {
            case 200..<300, 404, 410, 499: return .complete(state.startedAnew())
            default: return UploadRule.refusal(response, to: step, state)
            }
        case .discover, .finish, .fail: return .fail(.noRequest)
        }
    }

    private static func created(
        _ response: UploadResponse, _ step: UploadStep, _ state: UploadState
    ) throws(UploadFault) -> UploadDecision {
        guard response.isSuccess else { return UploadRule.refusal(response, to: step, state) }
        guard let url = try UploadLocation.url(response.fields, relativeTo: response.url) else { throw .noLocation }
        var next = state
        (next.url, next.stage, next.isCurrent) = (url, .open, true)
        return .proceed(next)
    }

    private static func confirmed(
        _ response: UploadResponse, _ step: UploadStep, _ state: UploadState
    ) throws(UploadFault) -> UploadDecision {
        var next = state
        switch response.status {
        case 200..<300:
            try next.confirm(state.length)
            (next.stage, next.isCurrent) = (.complete, true)
            return .complete(next)
        case 308:
            try next.confirm(try offset(response.fields[values: "Range"]))
            // The server has all bytes but does not complete the upload: it is asked again, as often as the pace allows.
            let isWhole = next.offset == state.length && state.length > 0
            (next.stage, next.isCurrent) = (.open, !isWhole && (step == .ask || next.offset > step.content.lowerBound))
            return .proceed(next)
        case 413: return UploadRule.smaller(step, state)
        default: return UploadRule.refusal(response, to: step, state)
        }
    }

    /// Returns how many bytes the server has, from a field such as `bytes=0-99`; 0 without the field. Throws a fault for any other
    /// value.
    static func offset(_ lines: [String]) throws(UploadFault) -> Int64 {
        guard let line = lines.first else { return 0 }
        let text = line[...].trimmingBlanks()
        guard lines.count == 1, text.hasPrefix("bytes=0-"), let last = UploadNumber.value([String(text.dropFirst(8))]),
            last < UploadNumber.largest
        else { throw .noOffset }
        return last + 1
    }
}
