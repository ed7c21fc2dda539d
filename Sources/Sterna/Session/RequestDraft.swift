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
    public var parameters: Parameters? {
        didSet { if case .encoded = content { content = .bySerializer } }
    }

    /// Parameters that always go into the query.
    public var query: Parameters?

    /// The body; it takes precedence over `parameters`, which then go into the query.
    public var body: Body? {
        didSet {
            if case .encoded = content { return }
            content = .bySerializer
        }
    }

    /// The final content of the body.
    enum Content: Sendable {
        /// The body, or the request serializer's encoding of the parameters.
        case bySerializer
        /// The same, with parameters in a form that the request serializer chooses.
        case encoded(EncodedParameters)
        /// The body, or none.
        case own
        /// A form whose parameters are encoded for the session that sends it.
        case form(PendingForm)
    }

    var content = Content.bySerializer

    /// Whether a task sends the draft, and keeps the requests of all attempts.
    var isOfTask = false

    /// Whether the draft is a GET request without parameters, body and a serializer of its own.
    var isPlainGet: Bool {
        guard case .bySerializer = content, case nil = settings.requestSerializer else { return false }
        return parameters == nil && query == nil && body == nil && method == .get
    }

    /// Header fields; they replace the session's.
    public var headers: Headers

    /// The settings of this request that differ from the session's.
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
    ///   - configure: changes the settings of this request.
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

    /// Creates a draft; an overload for dictionary variables.
    @_disfavoredOverload
    public init<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ method: Request.Method, _ reference: some URLConvertible, parameters: P? = Parameters?.none,
        query: Q? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) {
        self.init(
            method, reference, parameters: parameters?.asParameters, query: query?.asParameters, body: body,
            headers: headers.asHeaders, configure)
    }

    /// Creates a draft with parameters encoded from a value.
    ///
    /// - Parameter value: a value that encodes to a dictionary, by the rules of
    ///   ``SternaCore/Parameters/init(encoding:keepingNils:)``. The request serializer's
    ///   ``SternaSerialization/QueryEncoder/keepsNilMembers`` decides whether nil members are sent.
    /// - Throws: `encodingFailed` for a value that does not encode to a dictionary.
    public init(
        _ method: Request.Method, _ reference: some URLConvertible, encoding value: some Encodable,
        query: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) throws(SternaError) {
        self.init(method, reference, query: query, body: body, headers: headers, configure)
        let encoded = try EncodedParameters(value)
        parameters = encoded.omittingNils
        content = .encoded(encoded)
    }

    /// Creates a draft with parameters encoded from a value; an overload for dictionary variables.
    @_disfavoredOverload
    public init<Q: ParameterList, H: HeaderList>(
        _ method: Request.Method, _ reference: some URLConvertible, encoding value: some Encodable,
        query: Q? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) throws(SternaError) {
        try self.init(
            method, reference, encoding: value, query: query?.asParameters, body: body, headers: headers.asHeaders,
            configure)
    }
}

/// Parameters encoded from a value, in both forms; the sending session chooses one.
final class EncodedParameters: Sendable {
    let omittingNils: Parameters
    let keepingNils: Parameters

    /// Throws `encodingFailed` for a value that does not encode to a dictionary.
    init(_ value: some Encodable) throws(SternaError) {
        omittingNils = try encodingErrors { try Parameters(encoding: value) }
        keepingNils = try encodingErrors { try Parameters(encoding: value, keepingNils: true) }
    }
}
