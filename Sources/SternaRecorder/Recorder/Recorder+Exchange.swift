import HTTPTypes
public import NIOCore
public import SternaCore
public import SternaPlatform
import SternaSerialization

extension Recorder {
    /// A call: its request as given, its attempts in order, and the response that the caller got.
    public struct Exchange: Sendable, Identifiable {
        /// The number of the call, as in ``SternaCore/ObservedCall/id``; unique within the process that recorded it.
        public let id: UInt64

        /// When the call began.
        public let started: Date

        /// The requests on the network: the first one, redirects, retries and copies. Empty if the cache or another call's transfer
        /// had the response, or the request was not sent.
        public let attempts: [Attempt]

        /// A body from the cache, or from another call's transfer, which no attempt has; nil if there is none.
        public let responseBody: Body?

        /// The error that the call failed with, in words; nil if it succeeded.
        public let error: String?

        /// What cache, cookies, redirects and retries decided, in words.
        public let decisions: [String]

        /// The time from the call's begin to its end.
        public let duration: Duration

        /// The request as the caller gave it, without its body.
        public var request: Request { head.request }

        /// The head of the response that the caller got; nil if there is none.
        public var response: Response? { responseHead?.response }

        let head: RequestHead
        let responseHead: ResponseHead?

        /// Names of secret fields of all requests in lower case, besides those that are always secret.
        let secretHeaders: Set<String>
    }

    /// A request on the network, as sent, and what was received.
    public struct Attempt: Sendable {
        /// The phases, the connection and the sizes, the same as in ``SternaCore/RequestMetrics/attempts``.
        ///
        /// With a transport of the session's own, which makes no attempts, they are measured around the transport.
        public let metrics: AttemptMetrics

        /// The request's body, as sent; nil if there is none, and for an attempt that the engine repeated itself.
        public let requestBody: Body?

        /// The interim responses (RFC 9110, 15.2), the latest 16.
        public let interimResponses: [InformationalResponse]

        /// The response's body as received, before it was decoded; nil if it was not read.
        public let responseBody: Body?

        /// The error that ended the attempt, in words; nil if there is none.
        public let error: String?

        /// The messages of a WebSocket, or the server-sent events: the latest 10,000, up to a quarter of the recorder's bytes.
        public internal(set) var messages: [Message] = []

        /// What the TLS handshake of the connection has agreed on; nil without TLS, if the handshake failed, and on a connection
        /// that was opened before a session with a recorder was made.
        public var tls: TLS? { readTLS ?? metrics.tlsDetails.map { TLS($0) } }

        /// The request as the interceptors passed it on, without its body.
        public var request: Request { head.request }

        /// The head of the response as received, with its trailer fields and an empty body; nil if there is none.
        public var response: Response? { responseHead?.response }

        /// The response's body without its content codings, up to 8 MiB; nil if it was not kept, or cannot be decoded.
        public var responseContent: Bytes? { responseBody?.content(responseHead?.section[.contentEncoding]) }

        let head: RequestHead
        let responseHead: ResponseHead?

        /// Whether the request's body is known; not for an attempt that the engine repeated itself.
        let isBodyKnown: Bool

        /// What a folder has of the handshake.
        var readTLS: TLS?
    }

    /// A body that was sent or received, as far as it was.
    public struct Body: Sendable, Hashable {
        /// The number of bytes that passed.
        public let size: Int64

        /// The bytes; nil if they exceed a limit of the recorder, or their media type is not kept. A recording of a folder has them
        /// without content codings.
        public let bytes: Bytes?

        /// Whether ``bytes`` have no content coding, whatever the fields say.
        var isDecoded = false
    }
}

extension Recorder.Body {
    private static let decodedLimit = 8 << 20

    /// Returns the bytes without the codings of a Content-Encoding field; nil if they were not kept or cannot be decoded.
    func content(_ field: String?) -> Bytes? {
        var room = Self.decodedLimit
        return content(field, room: &room)
    }

    /// - Parameter room: the maximum size of bytes that are decoded, up to 8 MiB; it is reduced by their size.
    func content(_ field: String?, room: inout Int) -> Bytes? {
        guard let bytes, bytes.readableBytes > 0, !isDecoded, let field else { return bytes }
        guard let codings = try? ContentCoding.known(field) else { return nil }
        guard !codings.isEmpty else { return bytes }
        var content = bytes
        for coding in codings.reversed() {
            guard let decoded = Self.decoded(content, coding, limit: min(room, Self.decodedLimit)) else { return nil }
            content = decoded
        }
        room -= content.readableBytes
        return content
    }

    private static func decoded(_ bytes: Bytes, _ coding: ContentCoding, limit: Int) -> Bytes? {
        let decoder = coding.makeDecoder()
        var (input, all) = (bytes, Bytes())
        do {
            while true {
                var piece = try decoder.decode(&input, limit: 64 << 10)
                if piece.readableBytes == 0 { break }
                guard piece.readableBytes <= limit - all.readableBytes else { return nil }
                all.writeBuffer(&piece)
            }
            try decoder.finish()
            return all
        } catch {
            return nil
        }
    }
}

// MARK: - Mirrors

extension Recorder.Exchange: CustomReflectable {
    /// Shows the exchange without credentials and bodies.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "id": id, "started": started, "method": head.method, "url": Redaction.show(head.url),
                "attempts": attempts,
                "status": responseHead?.status as Any, "error": error as Any, "duration": duration,
            ], displayStyle: .struct)
    }
}

extension Recorder.Attempt: CustomReflectable {
    /// Shows the attempt without credentials and bodies.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "metrics": metrics, "method": head.method, "url": Redaction.show(head.url),
                "status": responseHead?.status as Any, "error": error as Any,
            ], displayStyle: .struct)
    }
}

extension Recorder.Body: CustomReflectable {
    /// Shows the size; the bytes may hold secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["size": size, "isKept": bytes != nil], displayStyle: .struct)
    }
}

// MARK: - From a recorded call

extension Recorder.Exchange {
    /// Makes the exchange of a call that has ended; nil for one that did not begin.
    init?(_ call: RecordedCall.State, limits: Recorder.Limits) {
        guard let head = call.request, let started = call.started else { return nil }
        (id, self.started, self.head) = (call.id, started, head)
        (responseHead, error) = (call.response?.kept, call.error)
        let known = call.metrics?.attempts ?? []
        var byNumber: [Int: (transfer: RecordedTransfer, state: RecordedTransfer.State)] = [:]
        var attempts: [Recorder.Attempt] = []
        var others: [(RecordedTransfer, RecordedTransfer.State)] = []
        for transfer in call.transfers {
            let state = transfer.snapshot
            if let number = state.number {
                byNumber[number] = (transfer, state)
            } else {
                others.append((transfer, state))
            }
        }
        // Of hedged copies, those whose response was not needed have no error of their own.
        let isHedged =
            known.contains { $0.reason == .hedge }
            && byNumber.values.contains { $0.state.ended != nil && $0.state.error == nil }
        // The engine repeats the same request: the last of its attempts has the transfer.
        var next = head
        for (index, metrics) in known.enumerated().reversed() {
            let own = byNumber[index + 1]
            next = own?.transfer.head ?? next
            attempts.append(
                Recorder.Attempt(
                    metrics, call.observed[index + 1], own?.transfer, own?.state, next,
                    isLost: isHedged && own?.state.ended == nil))
        }
        attempts.reverse()
        // A transport of the session's own makes no attempts.
        if known.isEmpty {
            for (transfer, state) in others {
                let metrics = AttemptMetrics(transfer, state, after: attempts.last, began: call.began)
                attempts.append(Recorder.Attempt(metrics, nil, transfer, state, transfer.head))
            }
        }
        // Messages follow the last response.
        if let last = attempts.indices.last, let messages = call.messages {
            attempts[last].messages = Array(messages.messages)
        }
        self.attempts = attempts
        // Interceptors mark more names, such as that of the field with a token.
        let marked = attempts.reduce(head.secretHeaders) { $0.union($1.head.secretHeaders) }
        secretHeaders = marked.isEmpty ? marked : Set(marked.map { $0.lowercased() })
        let isOwn = attempts.isEmpty || call.response.map { $0.source != .network } == true
        if isOwn, let body = call.body, let response = call.response {
            let isKept = body.readableBytes <= limits.bodyBytes && limits.keeps(response.section[.contentType])
            // The call got it without content codings.
            responseBody = Recorder.Body(
                size: Int64(body.readableBytes), bytes: isKept ? body.withoutSurplus : nil, isDecoded: true)
        } else {
            responseBody = nil
        }
        // The metrics have no more than the attempts.
        duration = max(call.duration, call.metrics?.duration ?? .zero, attempts.last?.metrics.whole.end ?? .zero)
        decisions = Self.decisions(call, attempts)
    }

    private static func decisions(_ call: RecordedCall.State, _ attempts: [Recorder.Attempt]) -> [String] {
        var words: [String] = []
        switch call.metrics?.cacheResult {
        case .hit: words.append("The cache had the response.")
        case .revalidated: words.append("The server confirmed the cache's response.")
        case .miss: words.append("The cache had no response to serve.")
        case nil:
            if attempts.isEmpty, call.response != nil {
                words.append(
                    call.response?.source == .cache
                        ? "The cache had the response." : "Another call's transfer had the response.")
            }
        }
        for (index, attempt) in attempts.enumerated() where index > 0 {
            if let text = text(attempt.metrics.reason) { words.append("Attempt \(index + 1): \(text).") }
        }
        words += call.retries
        for (index, attempt) in attempts.enumerated() {
            let sent = attempt.head.headers[.cookie].map { $0.utf8.count { $0 == UInt8(ascii: ";") } + 1 } ?? 0
            let set = attempt.responseHead?.section[values: .setCookie].count ?? 0
            if sent + set > 0 { words.append("Attempt \(index + 1): \(sent) cookies sent, \(set) received.") }
        }
        if let note = call.note { words.append(note) }
        return words
    }

    private static func text(_ reason: AttemptMetrics.Reason) -> String? {
        switch reason {
        case .first: nil
        case .redirect: "a redirect was followed"
        case .staleConnection: "the server had closed the connection"
        case .expectationRefused: "the server refused Expect: 100-continue"
        case .refused: "the server had not processed the request"
        case .misdirected: "the server does not serve this origin on the connection"
        case .retry: "a retry"
        case .authentication: "sent again with credentials"
        case .hedge: "a copy, since the response was late"
        }
    }

    /// The approximate size in bytes without the bodies that are recorded as they pass, whose bytes are counted then.
    var unmeasuredSize: Int {
        let own = 512 + head.size + (responseHead?.size ?? 0) + (responseBody?.bytes?.readableBytes ?? 0)
        return attempts.reduce(own) { sum, attempt in
            sum + 512 + attempt.head.size + (attempt.responseHead?.size ?? 0) + (attempt.metrics.tlsDetails?.size ?? 0)
                + attempt.interimResponses.reduce(0) { $0 + $1.headers.approximateSize }
        }
    }
}

extension Recorder.Attempt {
    /// - Parameter transfer: what passed below the interceptors; nil for an attempt that the engine has repeated.
    init(
        _ metrics: AttemptMetrics, _ observed: RecordedCall.Observed?, _ transfer: RecordedTransfer?,
        _ state: RecordedTransfer.State?, _ head: RequestHead, isLost: Bool = false
    ) {
        (self.metrics, self.head, isBodyKnown) = (metrics, head, transfer != nil)
        interimResponses = observed?.interim ?? []
        requestBody = transfer?.sentBody
        responseBody = state?.body?.body
        responseHead = (state?.response ?? observed?.response)?.kept
        // The call may end before the attempt: that of a copy that is no longer needed.
        error =
            observed?.error ?? state?.error ?? (responseHead == nil ? metrics.failure?.rawValue : nil)
            ?? (isLost ? SternaError.Kind.cancelled.rawValue : nil)
    }
}

extension AttemptMetrics {
    /// Makes the metrics of a transfer without attempts.
    fileprivate init(
        _ transfer: RecordedTransfer, _ state: RecordedTransfer.State, after last: Recorder.Attempt?,
        began: NIODeadline?
    ) {
        func offset(_ moment: NIODeadline) -> Duration {
            .nanoseconds(max(0, (moment - (began ?? transfer.began)).nanoseconds))
        }
        let status = last?.responseHead?.status.code ?? 0
        let reason: Reason = last == nil ? .first : (300..<400).contains(status) ? .redirect : .retry
        let start = offset(transfer.began)
        self.init(
            reason: transfer.reason ?? reason, method: transfer.head.method.rawValue, url: transfer.head.url,
            start: start)
        let received = state.received.map(offset)
        let ended = state.ended.map(offset) ?? received ?? start
        if let received {
            wait = Span(start: start, end: received)
            read = Span(start: received, end: ended)
        }
        end(at: ended)
        (self.status, version) = (state.response?.status.code, state.response?.version)
    }
}
