import HTTPTypes
import SternaCore

/// Decides the steps of an upload, for all protocols. Functions of values, without I/O or a clock.
enum UploadRule {
    /// The maximum number of requests that an upload may be cut into.
    static let mostAppends: Int64 = 100_000

    /// Returns the next step. An upload that seems to have expired is requested, too, since a clock may have been set.
    static func next(_ state: UploadState, _ plan: UploadPlan) -> UploadStep {
        if state.stage == .complete { return .finish }
        guard state.length <= UploadNumber.largest else {
            return .fail(.tooLarge(length: state.length, most: UploadNumber.largest))
        }
        guard let dialect = state.dialect else { return .discover }
        guard state.url != nil else { return creation(state, plan, dialect) }
        if let fault = oversize(state) { return .fail(fault) }
        return state.isCurrent ? append(state, plan, dialect) : .ask
    }

    private static func creation(_ state: UploadState, _ plan: UploadPlan, _ dialect: UploadDialect) -> UploadStep {
        // The process or the connection ended while content was being sent.
        if state.stage == .creating { return .fail(.creationUnknown) }
        if let fault = oversize(state) { return .fail(fault) }
        if dialect == .tus, let fault = TusRule.missing(state, plan) { return .fail(fault) }
        if dialect != .tus, plan.concatenation != .none { return .fail(.missingExtension(.concatenation)) }
        if dialect == .contentRange, let algorithm = plan.checksum {
            return .fail(.missingAlgorithm(algorithm.rawValue))
        }
        if dialect != .tus, let algorithm = plan.checksum, algorithm.fieldName == nil {
            return .fail(.missingAlgorithm(algorithm.rawValue))
        }
        if case .final = plan.concatenation, dialect == .tus { return .create(0..<0, completes: true) }
        guard dialect != .contentRange else { return .create(0..<0, completes: false) }
        var hasContent = plan.creation == .withContent && !state.createsEmpty
        if dialect == .tus {
            hasContent =
                hasContent && !plan.defersLength && state.tus?.extensions.contains(.creationWithUpload) != false
        } else if let least = state.limits.minSize, least > state.length {
            // Such an upload has no URL, and is sent at once.
            hasContent = true
        }
        guard hasContent else { return .create(0..<0, completes: false) }
        switch append(state, plan, dialect) {
        case .append(let range, let completes): return .create(range, completes: completes)
        case let other: return other
        }
    }

    private static func oversize(_ state: UploadState) -> UploadFault? {
        let most = [state.limits.maxSize, state.tus?.maxSize].compactMap { $0 }.min()
        guard let most, most < state.length else { return nil }
        return .tooLarge(length: state.length, most: most)
    }

    /// Returns the next content under the limits of server and caller.
    private static func append(_ state: UploadState, _ plan: UploadPlan, _ dialect: UploadDialect) -> UploadStep {
        let rest = state.length - state.offset
        guard rest > 0 else {
            return dialect == .tus && state.url != nil && state.isLengthTold
                ? .finish : .append(state.offset..<state.offset, completes: true)
        }
        let least = state.limits.minAppend ?? 0
        var most = min(state.limits.maxAppend ?? .max, state.largestAppend ?? .max)
        if let own = plan.largestAppend { most = min(most, max(own, least, 1)) }
        // Such a server does not keep incomplete blocks.
        if dialect == .contentRange, most < rest, most >= ContentRangeRule.unit { most -= most % ContentRangeRule.unit }
        let size = min(rest, most)
        guard size > 0, size == rest || size >= least, rest / size < mostAppends else {
            return .fail(.appendLimits(most: most))
        }
        return .append(state.offset..<state.offset + size, completes: size == rest)
    }

    /// Returns the request of a step. Throws `noRequest` for a step without one.
    ///
    /// - Parameter digest: the digest of the step's content.
    static func request(
        _ step: UploadStep, _ state: UploadState, _ plan: UploadPlan, digest: UploadDigest? = nil
    ) throws -> UploadRequest {
        var request =
            switch state.dialect {
            case .ietf(let version): try IETFRule.request(step, state, plan, version, digest: digest)
            case .tus: try TusRule.request(step, state, plan, digest: digest)
            case .contentRange: try ContentRangeRule.request(step, state, plan)
            case nil: UploadRequest(method: .options, url: state.target, headers: IETFRule.versionFields(.preferred))
            }
        if let detour = state.detour { request.url = detour }
        // The caller's fields may be credentials, which are for one origin.
        if request.url.origin == plan.target.origin {
            var all = plan.headers
            all.lines.removeAll { line in request.headers[line.name] != nil }
            all.lines += request.headers.lines
            request.headers = all
        }
        return request
    }

    /// Returns the consequence of an interim response to a step's request; nil to ignore it.
    static func interim(
        _ response: UploadResponse, to step: UploadStep, _ state: UploadState
    ) throws(UploadFault) -> UploadState? {
        guard case .ietf(let version) = state.dialect else { return nil }
        return try IETFRule.interim(response, to: step, state, version)
    }

    /// Returns the consequence of the response to a step's request.
    static func decide(_ response: UploadResponse, to step: UploadStep, _ state: UploadState) -> UploadDecision {
        var state = state
        state.detour = nil
        do throws(UploadFault) {
            if case .discover = step { return try UploadDiscovery.decide(response, state) }
            switch state.dialect {
            case .ietf(let version): return try IETFRule.decide(response, to: step, state, version)
            case .tus: return try TusRule.decide(response, to: step, state)
            case .contentRange: return try ContentRangeRule.decide(response, to: step, state)
            case nil: return .fail(.noProtocol(status: response.status))
            }
        } catch {
            return .fail(error)
        }
    }

    /// The maximum number of OPTIONS requests without a response.
    static let mostUnanswered = 2

    /// Returns the consequence of a missing response to a step's request.
    ///
    /// - Parameters:
    ///   - wasSent: whether any byte of the request may have reached the server.
    ///   - sentAll: whether all of its content may have reached the server.
    static func noResponse(
        to step: UploadStep, _ state: UploadState, wasSent: Bool, sentAll: Bool
    ) -> UploadDecision {
        var state = state.unsure()
        let sentAll = wasSent && sentAll
        if case .discover = step, wasSent {
            state.unanswered += 1
            if state.unanswered >= mostUnanswered { return .fail(.unanswered) }
        }
        // Content that the server received only a part of cannot be complete.
        if case .append(_, completes: true) = step, !sentAll, state.stage == .completing { state.stage = .open }
        guard case .create(let content, let completes) = step, state.url == nil else {
            return .again(state, .noResponse, after: nil)
        }
        // An empty creation stores nothing, and a part of the content completes nothing, so both may be repeated. Complete content
        // may be stored already.
        guard sentAll, !content.isEmpty || completes else {
            state.stage = .begun
            return .again(state, .noResponse, after: nil)
        }
        return .fail(.creationUnknown)
    }
}

// MARK: Responses that the protocols share

extension UploadRule {
    /// Returns the consequence of a status that is neither success nor specific to the protocol.
    static func refusal(_ response: UploadResponse, to step: UploadStep, _ state: UploadState) -> UploadDecision {
        let (unsure, status) = (state.unsure(), response.status)
        switch status {
        case 307: return detour(response, state)
        case 308: return redirect(response, unsure)
        case 300..<400: return .fail(.redirect(response.status))
        case 404, 410:
            guard state.url != nil else { return .fail(.refused(response.status, response.problem?.text)) }
            guard state.stage != .completing else { return .fail(.outcomeUnknown) }
            let isExpired = state.expires.map { $0 <= response.now } ?? false
            return .startAnew(unsure, isExpired ? .expired : .gone(response.status))
        case 409 where state.url != nil: return .again(unsure, .mismatch, after: response.retryAfter)
        case 423: return again(unsure, step, .locked, response)
        case let status where TransientStatus.contains(status):
            // Content of a creation that failed with 5xx may nevertheless be stored.
            if case .create(let content, _) = step, state.url == nil, !content.isEmpty,
                TransientStatus.mayHaveStored(status)
            {
                return .fail(.creationUnknown)
            }
            return again(unsure, step, .unavailable(response.status), response)
        case 400..<500 where step == .ask && state.dialect != .contentRange && ![401, 403, 407].contains(status):
            // Some servers refuse the request although they have the upload.
            return .again(unsure, .offsetUnknown(response.status), after: response.retryAfter)
        default: return .fail(.refused(response.status, response.problem?.text))
        }
    }

    private static func again(
        _ state: UploadState, _ step: UploadStep, _ fault: UploadFault, _ response: UploadResponse
    ) -> UploadDecision {
        var state = state
        if state.url == nil { state.stage = .begun }
        return .again(state, fault, after: response.retryAfter)
    }

    /// Repeats the step with the URL of a temporary redirect, which applies only to that request (RFC 9110, 15.4.8). The server has
    /// taken nothing of what was sent.
    private static func detour(_ response: UploadResponse, _ state: UploadState) -> UploadDecision {
        do throws(UploadFault) {
            guard let url = try UploadLocation.url(response.fields, relativeTo: response.url) else {
                return .fail(.redirect(response.status))
            }
            var state = state
            state.detour = url
            switch state.stage {
            case .creating: state.stage = .begun
            case .completing: state.stage = .open
            case .begun, .open, .complete: break
            }
            return .follow(state, status: response.status)
        } catch {
            return .fail(error)
        }
    }

    private static func redirect(_ response: UploadResponse, _ state: UploadState) -> UploadDecision {
        do throws(UploadFault) {
            guard let url = try UploadLocation.url(response.fields, relativeTo: response.url) else {
                return .fail(.redirect(response.status))
            }
            var state = state
            if state.url == nil {
                (state.target, state.stage) = (url, .begun)
            } else {
                state.url = url
            }
            return .follow(state, status: response.status)
        } catch {
            return .fail(error)
        }
    }

    /// Returns the consequence of a 413: smaller content, as long as it is not empty.
    static func smaller(_ step: UploadStep, _ state: UploadState) -> UploadDecision {
        let content = step.content
        var state = state.unsure()
        if case .create = step, state.url == nil {
            guard !content.isEmpty else { return .fail(.tooLarge(length: state.length, most: nil)) }
            (state.createsEmpty, state.stage) = (true, .begun)
            return .proceed(state)
        }
        let size = content.upperBound - content.lowerBound
        let most = max(size / 2, state.limits.minAppend ?? 1)
        guard size > 1, most < size else { return .fail(.contentRefused) }
        state.largestAppend = most
        return .proceed(state)
    }

    /// Returns the moment a number of seconds from now; the largest integer on overflow.
    static func moment(_ now: Int64, after seconds: Int64) -> Int64 {
        let (sum, overflow) = now.addingReportingOverflow(seconds)
        return overflow ? .max : sum
    }
}
