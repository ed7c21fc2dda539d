import HTTPTypes
import SternaCore

/// The rules of draft-ietf-httpbis-resumable-upload, interop versions 3 to 9.
enum IETFRule {
    static let versionField = "Upload-Draft-Interop-Version"
    static let completeField = "Upload-Complete"
    static let incompleteField = "Upload-Incomplete"
    static let offsetField = "Upload-Offset"
    static let lengthField = "Upload-Length"
    static let limitField = "Upload-Limit"

    /// The media type of appended content.
    static let partialType = "application/partial-upload"

    static func versionFields(_ version: IETFVersion) -> Headers {
        Headers([(versionField, "\(version.number)")])
    }

    // MARK: Requests

    static func request(
        _ step: UploadStep, _ state: UploadState, _ plan: UploadPlan, _ version: IETFVersion, digest: UploadDigest?
    ) throws -> UploadRequest {
        var headers = versionFields(version)
        switch step {
        case .discover: return UploadRequest(method: .options, url: state.target, headers: headers)
        case .create(let content, let completes):
            add(completes: completes, version, to: &headers)
            if version.tellsLength { headers.append(lengthField, "\(state.length)") }
            headers.append("Content-Type", plan.mediaType)
            if let name = plan.fileName { headers.append("Content-Disposition", disposition(name)) }
            if let digest = plan.fileDigest { add(digest, "Repr-Digest", to: &headers) }
            if let digest { add(digest, "Content-Digest", to: &headers) }
            return UploadRequest(method: plan.method, url: state.target, headers: headers, content: content)
        case .ask:
            guard let url = state.url else { throw UploadFault.noRequest }
            return UploadRequest(method: .head, url: url, headers: headers)
        case .append(let content, let completes):
            guard let url = state.url else { throw UploadFault.noRequest }
            headers.append(offsetField, "\(content.lowerBound)")
            add(completes: completes, version, to: &headers)
            if version.hasPartialType { headers.append("Content-Type", partialType) }
            if let digest { add(digest, "Content-Digest", to: &headers) }
            return UploadRequest(method: .patch, url: url, headers: headers, content: content)
        case .cancel:
            guard let url = state.url else { throw UploadFault.noRequest }
            return UploadRequest(method: .delete, url: url, headers: headers)
        case .finish, .fail: throw UploadFault.noRequest
        }
    }

    private static func add(completes: Bool, _ version: IETFVersion, to headers: inout Headers) {
        if version.negatesCompleteness {
            headers.append(incompleteField, StructuredUploadField.text(!completes))
        } else {
            headers.append(completeField, StructuredUploadField.text(completes))
        }
    }

    private static func add(_ digest: UploadDigest, _ field: String, to headers: inout Headers) {
        guard let text = UploadDigestField.text(digest) else { return }
        headers.append(field, text)
    }

    /// Returns the Content-Disposition of a file name (RFC 6266), with the form for other characters (RFC 8187).
    private static func disposition(_ name: String) -> String {
        let plain = name.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
        guard !plain else { return "inline; filename=\"\(name)\"" }
        let encoded = name.utf8.map { byte -> String in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                return String(Unicode.Scalar(byte))
            default:
                let text = String(byte, radix: 16, uppercase: true)
                return text.utf8.count == 1 ? "%0\(text)" : "%\(text)"
            }
        }.joined()
        return "inline; filename*=UTF-8''\(encoded)"
    }

    // MARK: Interim responses

    /// Returns the state after a 104 of the same version; nil for any other interim response.
    static func interim(
        _ response: UploadResponse, to step: UploadStep, _ state: UploadState, _ version: IETFVersion
    ) throws(UploadFault) -> UploadState? {
        guard response.status == 104, IETFVersion.named(response.fields[values: versionField]) == version else {
            return nil
        }
        var next = state
        takeLimits(response, &next)
        // Further content would be sent in vain.
        if let most = next.limits.maxSize, most < next.length { throw .tooLarge(length: next.length, most: most) }
        // Only creation names a Location; one in a progress report must not be used.
        if case .create = step, let url = try UploadLocation.url(response.fields, relativeTo: response.url) {
            guard state.url == nil || state.url == url else { throw .locationsDiffer }
            (next.url, next.stage) = (url, .open)
        }
        if let offset = StructuredUploadField.integer(response.fields[values: offsetField]), next.url != nil,
            offset > next.offset
        {
            try next.confirm(offset)
        }
        return next == state ? nil : next
    }

    // MARK: Final responses

    static func decide(
        _ response: UploadResponse, to step: UploadStep, _ state: UploadState, _ version: IETFVersion
    ) throws(UploadFault) -> UploadDecision {
        switch step {
        case .create: try created(response, step, state, version)
        case .ask: try asked(response, state, version)
        case .append: try appended(response, step, state, version)
        case .cancel: cancelled(response, state)
        case .discover, .finish, .fail: .fail(.noRequest)
        }
    }

    private static func created(
        _ response: UploadResponse, _ step: UploadStep, _ state: UploadState, _ version: IETFVersion
    ) throws(UploadFault) -> UploadDecision {
        let isComplete = completeness(response)
        if step.completes, isComplete == true || response.isSuccess && isComplete == nil {
            return ended(response, state)
        }
        guard response.isSuccess else {
            if state.url == nil, let decision = otherVersion(response, state, version, onEvery400: true) {
                return decision
            }
            return response.status == 413
                ? UploadRule.smaller(step, state) : UploadRule.refusal(response, to: step, state)
        }
        let url = try UploadLocation.url(response.fields, relativeTo: response.url)
        if let url, let known = state.url, url != known { throw .locationsDiffer }
        guard let url = url ?? state.url else {
            return otherVersion(response, state, version, onEvery400: false) ?? .fail(.noLocation)
        }
        if isComplete == true, state.length > 0 { throw .completeTooEarly(state.offset, length: state.length) }
        var next = state
        (next.url, next.stage) = (url, .open)
        takeLimits(response, &next)
        return try confirmed(response, step.content.upperBound, next)
    }

    private static func asked(
        _ response: UploadResponse, _ state: UploadState, _ version: IETFVersion
    ) throws(UploadFault) -> UploadDecision {
        guard response.isSuccess else {
            let other = otherVersion(response, state, version, onEvery400: true)
            guard case .fail? = other else { return other ?? UploadRule.refusal(response, to: .ask, state) }
            // One of the versions created the upload: that the server now refuses all of them says nothing about it.
            var next = state
            next.refused = []
            return UploadRule.refusal(response, to: .ask, next)
        }
        guard let offset = StructuredUploadField.integer(response.fields[values: offsetField]) else { throw .noOffset }
        var next = state
        takeLimits(response, &next)
        if let length = StructuredUploadField.integer(response.fields[values: lengthField]), length != state.length {
            throw .otherLength(length, length: state.length)
        }
        try next.confirm(offset)
        next.isCurrent = true
        next.stage = .open
        guard completeness(response) == true else { return .proceed(next) }
        guard offset == state.length else { throw .completeTooEarly(offset, length: state.length) }
        next.stage = .complete
        return .complete(next)
    }

    private static func appended(
        _ response: UploadResponse, _ step: UploadStep, _ state: UploadState, _ version: IETFVersion
    ) throws(UploadFault) -> UploadDecision {
        let isComplete = completeness(response)
        if isComplete == true {
            guard step.completes else { throw .completeTooEarly(step.content.upperBound, length: state.length) }
            return ended(response, state)
        }
        guard response.isSuccess else {
            switch (response.status, response.problem?.kind) {
            case (_, .inconsistentLength): return .fail(.refused(response.status, response.problem?.text))
            case (_, .mismatchingOffset): return .again(state.unsure(), .mismatch, after: response.retryAfter)
            // The server has all content, and reports that when it is asked.
            case (400, .completed): return .again(state.unsure(), .mismatch, after: nil)
            case (413, _): return UploadRule.smaller(step, state)
            default:
                return otherVersion(response, state, version, onEvery400: false)
                    ?? UploadRule.refusal(response, to: step, state)
            }
        }
        if step.completes, isComplete == nil { return ended(response, state) }
        var next = state
        takeLimits(response, &next)
        next.stage = .open
        return try confirmed(response, step.content.upperBound, next)
    }

    private static func cancelled(_ response: UploadResponse, _ state: UploadState) -> UploadDecision {
        switch response.status {
        case 200..<300, 404, 410: .complete(state.startedAnew())
        default: UploadRule.refusal(response, to: .cancel, state)
        }
    }

    // MARK: Parts of responses

    /// Returns whether the upload is complete, by the field of any version; nil without one.
    static func completeness(_ response: UploadResponse) -> Bool? {
        StructuredUploadField.boolean(response.fields[values: completeField])
            ?? StructuredUploadField.boolean(response.fields[values: incompleteField]).map { !$0 }
    }

    /// The response comes from the target resource, whatever its status: resuming cannot help.
    private static func ended(_ response: UploadResponse, _ state: UploadState) -> UploadDecision {
        guard response.isSuccess else { return .fail(.refusedByTarget(response.status, response.problem?.text)) }
        var next = state
        (next.stage, next.offset, next.reached) = (.complete, state.length, state.length)
        return .complete(next)
    }

    /// Takes the offset of a successful response. An offset that differs from what was sent is requested again.
    private static func confirmed(
        _ response: UploadResponse, _ sent: Int64, _ state: UploadState
    ) throws(UploadFault) -> UploadDecision {
        var next = state
        let offset = StructuredUploadField.integer(response.fields[values: offsetField])
        try next.confirm(offset ?? max(sent, state.offset))
        next.isCurrent = next.offset == sent
        return .proceed(next)
    }

    private static func takeLimits(_ response: UploadResponse, _ state: inout UploadState) {
        guard let field = UploadLimits.Field(response.fields[values: limitField]) else { return }
        state.limits = field.limits
        state.expires = field.maxAge.map { UploadRule.moment(response.now, after: $0) } ?? state.expires
    }

    /// Returns the state with another version, if the response names one that was not refused yet.
    ///
    /// - Parameter onEvery400: whether a 400 that names no version also counts.
    private static func otherVersion(
        _ response: UploadResponse, _ state: UploadState, _ version: IETFVersion, onEvery400: Bool
    ) -> UploadDecision? {
        let named = IETFVersion.named(response.fields[values: versionField])
        var next = state.unsure()
        next.refused.insert(version)
        if next.url == nil { next.stage = .begun }
        if let named, named != version {
            guard !next.refused.contains(named) else { return .fail(.versionsRefused) }
            next.dialect = .ietf(named)
            return .proceed(next)
        }
        guard onEvery400, response.status == 400, named == nil else { return nil }
        guard let other = IETFVersion.order.first(where: { !next.refused.contains($0) }) else {
            return response.problem?.text == nil ? .fail(.versionsRefused) : nil
        }
        next.dialect = .ietf(other)
        return .proceed(next)
    }
}
