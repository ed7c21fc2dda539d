import HTTPTypes
import SternaCore

/// The rules of tus 1.0.0 with its extensions.
enum TusRule {
    static let resumableField = "Tus-Resumable"
    static let offsetField = "Upload-Offset"
    static let lengthField = "Upload-Length"
    static let checksumField = "Upload-Checksum"

    /// The media type of content.
    static let contentType = "application/offset+octet-stream"

    /// Returns a fault if an option needs an extension that the server does not offer; nil if the server was not asked.
    static func missing(_ state: UploadState, _ plan: UploadPlan) -> UploadFault? {
        guard let support = state.tus, !support.extensions.isEmpty else { return nil }
        var needed: [TusSupport.Extension] = [.creation]
        if plan.defersLength { needed.append(.creationDeferLength) }
        if plan.concatenation != .none { needed.append(.concatenation) }
        if plan.checksum != nil {
            needed.append(.checksum)
            if plan.sendsDigestInTrailer { needed.append(.checksumTrailer) }
        }
        if let name = needed.first(where: { !support.extensions.contains($0) }) { return .missingExtension(name) }
        guard let name = plan.checksum?.tusName, !support.checksums.isEmpty, !support.checksums.contains(name) else {
            return nil
        }
        return .missingAlgorithm(name)
    }

    // MARK: Requests

    static func request(
        _ step: UploadStep, _ state: UploadState, _ plan: UploadPlan, digest: UploadDigest?
    ) throws -> UploadRequest {
        var headers = Headers([(resumableField, TusField.version)])
        switch step {
        case .discover: return UploadRequest(method: .options, url: state.target)
        case .create(let content, _):
            try describe(state, plan, &headers)
            guard !content.isEmpty else {
                return UploadRequest(method: .post, url: state.target, headers: headers, content: 0..<0)
            }
            add(digest, plan, to: &headers)
            headers.append("Content-Type", contentType)
            return UploadRequest(method: .post, url: state.target, headers: headers, content: content)
        case .ask:
            guard let url = state.url else { throw UploadFault.noRequest }
            return UploadRequest(method: .head, url: url, headers: headers)
        case .append(let content, _):
            guard let url = state.url else { throw UploadFault.noRequest }
            headers.append(offsetField, "\(content.lowerBound)")
            if !state.isLengthTold { headers.append(lengthField, "\(state.length)") }
            add(digest, plan, to: &headers)
            headers.append("Content-Type", contentType)
            return changing(UploadRequest(method: .patch, url: url, headers: headers, content: content), plan)
        case .cancel:
            guard let url = state.url else { throw UploadFault.noRequest }
            return changing(UploadRequest(method: .delete, url: url, headers: headers), plan)
        case .finish, .fail: throw UploadFault.noRequest
        }
    }

    private static func changing(_ request: UploadRequest, _ plan: UploadPlan) -> UploadRequest {
        guard plan.overridesMethods else { return request }
        var request = request
        request.headers.append("X-HTTP-Method-Override", request.method.rawValue)
        request.method = .post
        request.content = request.content ?? 0..<0
        return request
    }

    private static func describe(_ state: UploadState, _ plan: UploadPlan, _ headers: inout Headers) throws {
        switch plan.concatenation {
        case .final(let parts): headers.append("Upload-Concat", TusField.concatenation(of: parts))
        case .partial: headers.append("Upload-Concat", "partial")
        case .none: break
        }
        if case .final = plan.concatenation {
            // The length follows from the parts.
        } else if plan.defersLength {
            headers.append("Upload-Defer-Length", "1")
        } else {
            headers.append(lengthField, "\(state.length)")
        }
        // Some servers need both names to resume.
        var pairs = plan.metadata
        for (name, value) in [("filename", plan.fileName ?? "upload"), ("filetype", plan.mediaType)]
        where !pairs.contains(where: { $0.name == name }) {
            pairs.append(UploadPlan.Pair(name: name, value: value))
        }
        if let text = try TusField.metadata(pairs) { headers.append("Upload-Metadata", text) }
    }

    private static func add(_ digest: UploadDigest?, _ plan: UploadPlan, to headers: inout Headers) {
        if let digest {
            headers.append(checksumField, TusField.checksum(digest))
        } else if plan.checksum != nil, plan.sendsDigestInTrailer {
            headers.append("Trailer", checksumField)
        }
    }

    // MARK: Responses

    static func decide(
        _ response: UploadResponse, to step: UploadStep, _ state: UploadState
    ) throws(UploadFault) -> UploadDecision {
        if response.status == 412 {
            return .fail(.tusVersion(offered: response.fields["Tus-Version"] ?? ""))
        }
        switch step {
        case .create: return try created(response, step, state)
        case .ask: return try asked(response, state)
        case .append: return try appended(response, step, state)
        case .cancel:
            switch response.status {
            case 200..<300, 404, 410: return .complete(state.startedAnew())
            default: return UploadRule.refusal(response, to: step, state)
            }
        case .discover, .finish, .fail: return .fail(.noRequest)
        }
    }

    private static func created(
        _ response: UploadResponse, _ step: UploadStep, _ state: UploadState
    ) throws(UploadFault) -> UploadDecision {
        guard response.isSuccess else {
            switch response.status {
            case 413: return UploadRule.smaller(step, state)
            // The server discarded the content, so that nothing was created.
            case 460:
                var next = state
                next.stage = .begun
                return .again(next, .checksum, after: nil)
            default: return UploadRule.refusal(response, to: step, state)
            }
        }
        guard let url = try UploadLocation.url(response.fields, relativeTo: response.url) else { throw .noLocation }
        var next = state
        (next.url, next.stage) = (url, .open)
        takeExpiry(response, &next)
        // A concatenation has no content of its own.
        if step.completes, step.content.isEmpty {
            (next.stage, next.offset, next.reached) = (.complete, state.length, state.length)
            return .complete(next)
        }
        let offset = UploadNumber.value(response.fields[values: offsetField])
        if let offset { try next.confirm(offset) }
        // A server that ignored the content does not name an offset either.
        next.isCurrent = offset != nil || step.content.isEmpty
        return finished(next)
    }

    private static func asked(_ response: UploadResponse, _ state: UploadState) throws(UploadFault) -> UploadDecision {
        guard response.isSuccess else { return UploadRule.refusal(response, to: .ask, state) }
        guard let offset = UploadNumber.value(response.fields[values: offsetField]) else { throw .noOffset }
        var next = state
        takeExpiry(response, &next)
        if let length = UploadNumber.value(response.fields[values: lengthField]) {
            guard length == state.length else { throw .otherLength(length, length: state.length) }
            next.isLengthTold = true
        }
        try next.confirm(offset)
        next.isCurrent = true
        next.stage = .open
        return finished(next)
    }

    private static func appended(
        _ response: UploadResponse, _ step: UploadStep, _ state: UploadState
    ) throws(UploadFault) -> UploadDecision {
        guard response.isSuccess else {
            switch response.status {
            case 413: return UploadRule.smaller(step, state)
            case 460: return .again(state.unsure(), .checksum, after: nil)
            default: return UploadRule.refusal(response, to: step, state)
            }
        }
        var next = state
        takeExpiry(response, &next)
        next.stage = .open
        next.isLengthTold = true
        guard let offset = UploadNumber.value(response.fields[values: offsetField]) else {
            return .again(next.unsure(), .noOffset, after: nil)
        }
        try next.confirm(offset)
        // The server may take less than was sent; the next content begins there.
        next.isCurrent = offset > step.content.lowerBound || offset == state.length
        return finished(next)
    }

    /// Returns the consequence of a state: the upload is complete with its last byte, once the server has the length.
    private static func finished(_ state: UploadState) -> UploadDecision {
        guard state.isCurrent, state.offset == state.length, state.isLengthTold else { return .proceed(state) }
        var next = state
        next.stage = .complete
        return .complete(next)
    }

    private static func takeExpiry(_ response: UploadResponse, _ state: inout UploadState) {
        state.expires = TusField.expires(response.fields[values: "Upload-Expires"]) ?? state.expires
    }
}
