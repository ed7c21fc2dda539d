public import HTTPTypes

/// The error of a request: the one error type of the library.
///
///     before anything is sent   invalidURL  invalidHeader  invalidMethod  invalidRequest  encodingFailed
///                               fileUnreadable  bodyNotReplayable  originRefused  identityUnusable
///     held back                 trafficLimited: by the session's own circuit breaker, rate limit or adaptive concurrency limit,
///                               before anything is sent
///     stopped                   cancelled  timedOut
///     reaching the server       hostNotFound  addressRefused  connectionFailed  proxyFailed  tlsFailed
///                               certificateRejected  shutDown
///     during the exchange       writeFailed  connectionClosed  truncated  malformedResponse  limitExceeded
///     redirects                 tooManyRedirects  redirectRefused
///     credentials               authenticationFailed
///     the response              contentCodingFailed  unacceptableStatus  unacceptableMediaType  unacceptableResponse
///                               decodingFailed  digestMismatch
///     a WebSocket               webSocketClosed: after the handshake
///     a download's file         destinationUnusable: in `prepare` before anything is sent, in `read` after the transfer
///     an interceptor            interceptorFailed: any error but these and `CancellationError`, kept in `underlying`
///
/// `description` is one line that says what happened, what to do, and where; it shows no secrets of the URL.
/// `localizedDescription` leaves out the place, and what ``advice`` says.
///
/// A verb whose task is cancelled throws an error of kind `cancelled`, never `CancellationError`:
///
///     do {
///         let reply = try await api.get("slow")
///     } catch let error as SternaError where error.kind == .cancelled {
///         …
///     }
///
/// Errors of the closure of `withResponse` stay unchanged, such as the `CancellationError` of `Task.sleep`; reading the body
/// there throws `SternaError`.
public struct SternaError: Error, Sendable, CustomStringConvertible {
    // In a box, so that an error takes one word in each step that can throw.
    private var box: Box

    private final class Box: Sendable {
        let contents: Contents

        init(_ contents: Contents) { self.contents = contents }
    }

    private struct Contents: Sendable {
        var kind: Kind
        var phase: Phase
        var detail: String
        var attempt = 1
        var method: HTTPRequest.Method?
        var url: String?
        var underlying: (any Error)?
        var response: Response?
        var proxyResponse: Response?
        var body: Bytes?
        var value: (any Sendable)?
        var serverMessage: String?
        var metrics: RequestMetrics?
        var requestSent = false
        var isOfFirstResponse = false
        var redirects: [RedirectStep] = []
        var refusesIdentity = false
        var statedAdvice: ErrorAdvice?
    }

    private var contents: Contents {
        get { box.contents }
        set { box = Box(newValue) }
    }

    /// The kind of the error.
    public var kind: Kind {
        get { box.contents.kind }
        set {
            contents.kind = newValue
            // It was stated for the earlier kind.
            contents.statedAdvice = nil
        }
    }

    /// The phase in which it happened.
    public var phase: Phase {
        get { box.contents.phase }
        set { contents.phase = newValue }
    }

    /// What happened, in one or two sentences.
    public var detail: String {
        get { box.contents.detail }
        set { contents.detail = newValue }
    }

    /// What to do about it, in one or two sentences; nil if ``detail`` says so, or if there is no general remedy.
    public var advice: String? { ErrorAdvice(for: self)?.text }

    /// The number of the failed attempt, counted from 1; more than 1 after retries, or if a stale connection was replaced.
    public var attempt: Int {
        get { box.contents.attempt }
        set { contents.attempt = newValue }
    }

    /// The request's method.
    public var method: HTTPRequest.Method? {
        get { box.contents.method }
        set { contents.method = newValue }
    }

    /// The request's URL without user information, its secret-looking query values replaced.
    public var url: String? {
        get { box.contents.url }
        set { contents.url = newValue }
    }

    /// The error of another layer that caused this one.
    public var underlying: (any Error)? {
        get { box.contents.underlying }
        set { contents.underlying = newValue }
    }

    /// The response's head if one arrived.
    public var response: Response? {
        get { box.contents.response }
        set { contents.response = newValue }
    }

    /// The proxy's response that refused a tunnel; never a response of the server.
    public var proxyResponse: Response? {
        get { box.contents.proxyResponse }
        set { contents.proxyResponse = newValue }
    }

    /// The response's body if it was read.
    public var body: Bytes? {
        get { box.contents.body }
        set { contents.body = newValue }
    }

    /// The value that the response serializer made of the body despite an unacceptable status; nil if that failed.
    public var value: (any Sendable)? {
        get { box.contents.value }
        set { contents.value = newValue }
    }

    /// The server's own explanation if the body contains one, in one line of at most 1,000 characters. Control characters are
    /// replaced.
    public var serverMessage: String? {
        get { box.contents.serverMessage }
        set { contents.serverMessage = newValue.map(Self.line).flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// The metrics of the request; nil if the session does not collect metrics.
    public var metrics: RequestMetrics? {
        get { box.contents.metrics }
        set { contents.metrics = newValue }
    }

    /// Whether any byte of the request had been handed to the network.
    public var requestSent: Bool {
        get { box.contents.requestSent }
        set { contents.requestSent = newValue }
    }

    /// Whether the server refused the client's certificate, or requires one and received none, so that a retry is useless.
    package var refusesIdentity: Bool {
        get { box.contents.refusesIdentity }
        set { contents.refusesIdentity = newValue }
    }

    /// Whether the connection has never carried a response, so that the port may not speak HTTP/1.1.
    package var isOfFirstResponse: Bool {
        get { box.contents.isOfFirstResponse }
        set { contents.isOfFirstResponse = newValue }
    }

    /// The advice of the code that threw the error; nil to leave it to the rule.
    package var statedAdvice: ErrorAdvice? { box.contents.statedAdvice }

    /// Returns the error with advice that the rule cannot derive from its kind.
    package func advised(_ advice: ErrorAdvice) -> SternaError {
        var copy = self
        copy.contents.statedAdvice = advice
        return copy
    }

    /// The redirects that led to the failed request, in order.
    public var redirects: [RedirectStep] {
        get { box.contents.redirects.isEmpty ? response?.redirects ?? [] : box.contents.redirects }
        set { contents.redirects = newValue }
    }

    public init(_ kind: Kind, phase: Phase, _ detail: String, underlying: (any Error)? = nil) {
        box = Box(Contents(kind: kind, phase: phase, detail: detail, underlying: underlying))
    }

    /// The response's status code, such as 404; 0 without a response, for example after a time-out.
    public var status: Int { response?.status.code ?? 0 }

    /// The text to show to users: the server's own message, or else ``detail``.
    public var message: String { serverMessage ?? detail }

    public var description: String {
        var text = detail
        if let advice { text += " \(advice)" }
        if let serverMessage { text += " The server says: \(FieldSyntax.printable(serverMessage))" }
        var place: [String] = []
        if let url { place.append("\(method.map { "\($0.rawValue) " } ?? "")\(Redaction.brief(url))") }
        if attempt > 1 { place.append("attempt \(attempt)") }
        if phase != .prepare { place.append("phase: \(phase)") }
        return place.isEmpty ? text : "\(text) [\(place.joined(separator: ", "))]"
    }

    private static func line(_ text: String) -> String {
        let lines = text.unicodeScalars.split { $0.properties.isWhitespace && $0 != " " }
        return FieldSyntax.printable(lines.map { String($0) }.joined(separator: " "), limit: 1_000)
    }

    /// Returns the same error with the request's method and URL if its own are missing.
    public func at(_ request: Request) -> SternaError {
        guard url == nil else { return self }
        var copy = self
        copy.method = request.method
        copy.url = Redaction.show(request.url)
        return copy
    }

    /// Returns the error with a URL, unless it has one, for failures before a request exists.
    package func at(_ url: HTTPURL) -> SternaError {
        guard self.url == nil else { return self }
        var copy = self
        copy.url = Redaction.show(url)
        return copy
    }
}

extension SternaError: CustomReflectable {
    /// Shows the error without credentials, and only the length and type of the body and of ``value``.
    public var customMirror: Mirror {
        let cause = underlying.map { $0 is EncodingError ? CodingReason.text($0) as Any : $0 as Any }
        return Mirror(
            self,
            children: [
                "kind": kind, "phase": phase, "detail": detail, "attempt": attempt, "method": method as Any,
                "url": url as Any, "underlying": cause as Any, "response": response as Any,
                "bodyLength": body?.count as Any, "valueType": value.map { "\(type(of: $0))" } as Any,
                "serverMessage": serverMessage as Any, "requestSent": requestSent,
            ], displayStyle: .struct)
    }
}

extension SternaError {
    /// The kind of an error; ``SternaError`` lists the kinds by their place in a request's life.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case invalidURL, invalidHeader, invalidMethod, invalidRequest, encodingFailed
        case fileUnreadable, bodyNotReplayable, originRefused, identityUnusable
        /// The session's circuit breaker, rate limit or adaptive concurrency limit stopped the request; nothing was sent.
        case trafficLimited
        case cancelled, timedOut
        case hostNotFound, addressRefused, connectionFailed, proxyFailed, tlsFailed, certificateRejected, shutDown
        case writeFailed, connectionClosed, truncated, malformedResponse, limitExceeded
        case tooManyRedirects, redirectRefused
        /// A server's challenge (401) cannot be answered: it offers only unsupported schemes, or the credential store or handler
        /// failed, with its error in `underlying`. If a server refuses credentials, its 401 is the response.
        case authenticationFailed
        case contentCodingFailed, unacceptableStatus, unacceptableMediaType, unacceptableResponse, decodingFailed
        /// A download cannot be saved at its destination: the file exists, or the folder cannot be written. A full disk is
        /// `writeFailed`.
        case destinationUnusable
        case digestMismatch
        /// A WebSocket has ended, other than by 1000 or 1001, or a message was sent after its end; the code and the reason are in
        /// `underlying`.
        case webSocketClosed
        /// An interceptor, or a custom transport, threw an error that is not a `SternaError`, which is in `underlying`.
        case interceptorFailed
    }

    /// The part of a request's life in which an error occurred.
    public enum Phase: String, Sendable, Hashable, CustomStringConvertible, CaseIterable {
        /// Before the transport receives the request.
        case prepare
        /// Waiting for a connection of the pool.
        case queue
        case resolve
        case connect
        case tls = "TLS"
        case proxy
        case write
        /// Waiting for the first byte of the response.
        case wait
        case read
        /// Decoding the response.
        case decode

        public var description: String { rawValue }
    }
}

extension SternaError {
    /// Returns the error of a request that was cancelled.
    public static func cancelled(phase: Phase) -> SternaError {
        SternaError(.cancelled, phase: phase, "The request was cancelled.")
    }

    /// Returns any error as a `SternaError`: cancellation keeps its meaning, and other errors become the cause of `kind`.
    public static func wrap(_ error: any Error, as kind: Kind, phase: Phase, _ detail: String) -> SternaError {
        if let known = error as? SternaError { return known }
        if error is CancellationError { return cancelled(phase: phase) }
        return SternaError(kind, phase: phase, detail, underlying: error)
    }
}
