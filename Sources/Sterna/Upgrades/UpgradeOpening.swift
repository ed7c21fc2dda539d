import HTTPTypes
import SternaCore
import SternaSerialization
import SternaTransport

/// A connection that has switched protocols.
struct OpenedUpgrade: Sendable {
    let request: Request
    /// The response without body and stream.
    let response: Response
    let stream: any DuplexStream
}

/// Sends a request that asks for another protocol (RFC 9110, 7.8; RFC 8441 over HTTP/2) through the chain.
///
/// Cookies, credentials, redirects and answers to a 401 are those of any request. Neither a cache nor another request shares the
/// response, and it is not retried unless the draft says so.
extension SessionPlan {
    /// Returns the stream after the switch. Throws `unacceptableStatus`, with the response and its body, if the server refuses.
    ///
    /// - Parameters:
    ///   - name: the protocol, as in the Upgrade field.
    ///   - fields: further fields of the handshake, which the draft's may not replace.
    nonisolated(nonsending) func openUpgrade(
        _ draft: RequestDraft, to name: String, fields: [(String, String)] = []
    ) async throws -> OpenedUpgrade {
        let streamed = try await open(try handshake(draft, to: name, fields: fields), as: .duplex)
        var response = streamed.response
        guard let stream = response.duplex else { throw await refusal(of: streamed, to: name) }
        response.duplex = nil
        response.body = ResponseBody()
        // An interceptor of the program may have changed the URL.
        if streamed.request.url.scheme.isSecure, !response.url.scheme.isSecure {
            stream.cancel()
            let error = SternaError(
                .redirectRefused, phase: .read, "The request led from https to http, so the stream was closed.")
            throw describe(error, streamed.request, answeredBy: response)
        }
        return OpenedUpgrade(request: streamed.request, response: response, stream: stream)
    }

    private func handshake(
        _ draft: RequestDraft, to name: String, fields: [(String, String)]
    ) throws(SternaError) -> RequestDraft {
        try UpgradeRule.check(draft, name)
        var next = draft
        next.reference = try urls.handshakeURL(of: draft.reference)
        next.headers["Connection"] = "Upgrade"
        next.headers["Upgrade"] = name
        for (name, value) in fields { next.headers[name] = value }
        next.settings.cache.policy = .ignored
        next.settings.timeouts.minimumThroughput = nil
        if next.settings.ownOptions[ifSet: RetryPolicyKey.self] == nil { next.settings.retry = .none }
        return next
    }

    /// Returns the error of a server that did not switch protocols, with its body up to the session's limit.
    private nonisolated(nonsending) func refusal(of streamed: StreamedResponse, to name: String) async -> SternaError {
        let response = streamed.response
        let body = await BodyPrefix.read(
            response.body, upTo: settings.limits.collectedBytes, on: settings.network.engine.loopClock
        ).bytes
        response.body.cancel()
        let error = Task.isCancelled ? .cancelled(phase: .read) : UpgradeRule.refusal(of: response, body, to: name)
        return describe(error, streamed.request, answeredBy: response)
    }
}

/// The rules of requests that ask for another protocol, as pure functions.
enum UpgradeRule {
    /// Throws `invalidRequest` or `invalidHeader` for a draft that is no handshake, or has fields that the handshake sets.
    static func check(_ draft: RequestDraft, _ name: String) throws(SternaError) {
        // A name and a version, such as HTTP/2.0 (RFC 9110, 7.8).
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ FieldSyntax.isToken(String($0)) }) else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "“\(FieldSyntax.printable(name))” is not the name of a protocol; name one, such as websocket.")
        }
        guard draft.method == .get else {
            throw invalid("it is a \(draft.method.rawValue) request. Use GET.")
        }
        guard draft.body == nil, case .bySerializer = draft.content else {
            throw invalid("it has a body. Send the content after the switch.")
        }
        for line in draft.headers.lines where isReserved(line.name) {
            throw SternaError(
                .invalidHeader, phase: .prepare,
                "The field “\(FieldSyntax.printable(line.name))” belongs to the handshake, which Sterna writes. Remove it."
            )
        }
    }

    /// Whether the handshake alone sets a field.
    static func isReserved(_ name: String) -> Bool {
        let name = name.lowercased()
        return name == "upgrade" || name == "connection" || name.hasPrefix("sec-websocket-")
    }

    private static func invalid(_ reason: String) -> SternaError {
        SternaError(.invalidRequest, phase: .prepare, "The request cannot ask for another protocol: \(reason)")
    }

    /// Returns the error of a response that does not switch protocols.
    static func refusal(of response: Response, _ body: Bytes, to name: String) -> SternaError {
        if let error = validation.check(response, body: body) { return error }
        let phrase = response.status.registeredPhrase
        var error = SternaError(
            .unacceptableStatus, phase: .decode,
            "The server answered \(response.status.code)\(phrase.isEmpty ? "" : " \(phrase)") and did not switch to \(name)."
        )
        error.response = response
        error.body = body
        error.requestSent = true
        error.serverMessage = ServerMessage.find(in: body, mediaType: response.mediaType)
        return error
    }

    private static let validation = ResponseValidation()
}
