public import HTTPTypes
public import SternaCore
import SternaSerialization

/// A request as described by the caller: a reference that a session resolves, and parameters that it encodes.
///
///     try await api.withResponse(to: .get("events", query: ["since": last]) { $0.timeout = .seconds(60) }) { response in … }
///
/// Every call of a ``Session`` starts from a draft. The session's verbs create one from their arguments, which have the same labels
/// in the same order, and send it.
public struct RequestDraft: Sendable {
    /// The method.
    public var method: Request.Method

    /// The URL, relative to the session's base URL or absolute.
    public var reference: any URLConvertible

    /// Parameters that the request serializer encodes into the query or the body.
    public var parameters: Parameters?

    /// Parameters that always go into the query.
    public var query: Parameters?

    /// The body; it takes precedence over `parameters`, which then go into the query. Setting it replaces what was given as `json:` or
    /// `form:`.
    public var body: Body? {
        didSet { content = .bySerializer }
    }

    /// The final content of the body.
    enum Content: Sendable {
        /// The body, or the request serializer's encoding of the parameters.
        case bySerializer
        /// A value that is sent as JSON or as a form.
        case given(GivenContent)
        /// The draft's body, or none if it is nil; the request serializer adds none.
        case own
        /// A multipart form whose parameters are encoded for the session that sends it.
        case multipart(PendingForm)
    }

    var content = Content.bySerializer

    /// Whether a task sends the draft, and keeps the requests of all attempts.
    var isOfTask = false

    /// Whether the draft is a GET request without parameters, body and a serializer of its own.
    var isPlainGet: Bool {
        guard case .bySerializer = content, case nil = settings.ownRequestSerializer else { return false }
        return parameters == nil && query == nil && body == nil && method == .get
    }

    /// Header fields; they replace the session's.
    public var headers: Headers

    /// The settings of this request. A setting that the draft sets replaces the sending session's: `draft.settings.retry.limit = 1`
    /// leaves the other properties of its policy as they are.
    public var settings = RequestSettings()

    /// Creates a draft of any method.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - reference: the URL, relative to the session's base URL or absolute.
    ///   - parameters: encoded by the request serializer into the query or the body, by method.
    ///   - query: parameters that always go into the query.
    ///   - body: the body; `parameters` then go into the query.
    ///   - headers: header fields, which replace the session's.
    ///   - configure: changes the settings of this request; see ``RequestSettings`` for what it reads.
    public init(
        _ method: Request.Method, _ reference: some URLConvertible, parameters: Parameters? = nil,
        query: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) {
        self.method = method
        self.reference = reference
        self.parameters = parameters
        self.query = query
        self.body = body
        self.headers = headers
        configure(&settings)
    }

    /// Returns the draft with the settings that a closure changes; in the closure, settings that were not set read as the
    /// session's.
    @inline(__always)
    package consuming func configured(
        in session: Session, _ configure: (inout RequestSettings) -> Void
    ) -> RequestDraft {
        settings.change(in: session.plan, configure)
        return self
    }

    /// Creates a draft whose body is a JSON object (RFC 8259) of named values, in their order.
    public init(
        _ method: Request.Method, _ reference: some URLConvertible, json: Parameters, query: Parameters? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in }
    ) {
        self.init(method, reference, query: query, headers: headers, configure)
        content = .given(GivenContent(json, as: .json))
    }

    /// Creates a draft whose body is a value as JSON: a ``SternaSerialization/JSON`` tree, a dictionary, an array, or any `Encodable`.
    ///
    /// It is encoded at once, as ``SternaCore/ParameterValue/init(encoding:keepingNils:)`` does: dates become text by ISO 8601, members
    /// that are nil are left out. A value that cannot be encoded fails the request with `encodingFailed`.
    /// ``SternaSerialization/Body/json(_:encoder:)`` takes a JSONEncoder.
    @_disfavoredOverload
    public init(
        _ method: Request.Method, _ reference: some URLConvertible, json: some Encodable, query: Parameters? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in }
    ) {
        self.init(method, reference, query: query, headers: headers, configure)
        content = .given(GivenContent(json, as: .json))
    }

    /// Creates a draft whose body is a form of named values, as `application/x-www-form-urlencoded`.
    public init(
        _ method: Request.Method, _ reference: some URLConvertible, form: Parameters, query: Parameters? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in }
    ) {
        self.init(method, reference, query: query, headers: headers, configure)
        content = .given(GivenContent(form, as: .form))
    }

    /// Creates a draft whose body is a value as a form: a dictionary, or an `Encodable` that encodes to one. Any other value fails
    /// the request with `encodingFailed`.
    @_disfavoredOverload
    public init(
        _ method: Request.Method, _ reference: some URLConvertible, form: some Encodable, query: Parameters? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in }
    ) {
        self.init(method, reference, query: query, headers: headers, configure)
        content = .given(GivenContent(form, as: .form))
    }
}
