public import HTTPTypes
public import SternaCore
import SternaSerialization

/// A request as a caller describes it: a reference that a session resolves, and parameters that it encodes.
///
///     try await api.withResponse(to: .get("events", query: ["since": last]) { $0.timeout = .seconds(60) }) { response in … }
///
/// Every call of a ``Session`` is made of a draft. The session's verbs make one of their arguments, which have the same labels in
/// the same order, and send it.
public struct RequestDraft: Sendable {
    /// The method.
    public var method: Request.Method

    /// Where it goes, relative to the session's base URL or absolute.
    public var reference: any URLConvertible

    /// Parameters that the request serializer puts into the query or the body.
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

    /// What the body is made of at last.
    enum Content: Sendable {
        /// The body, or what the request serializer makes of the parameters.
        case bySerializer
        /// The same, with parameters whose form the request serializer decides on.
        case encoded(EncodedParameters)
        /// The body, or none.
        case own
        /// A form whose parameters are written for the session that sends it.
        case form(PendingForm)
    }

    var content = Content.bySerializer

    /// Header fields; they replace the session's.
    public var headers: Headers

    /// What differs from the session for this request.
    public var settings = RequestSettings()

    /// Makes a draft of any method.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - reference: where it goes, relative to the session's base URL or absolute.
    ///   - parameters: what the request serializer puts into the query or the body, by method.
    ///   - query: what always goes into the query.
    ///   - body: the body; `parameters` then go into the query.
    ///   - headers: header fields, which replace the session's.
    ///   - configure: changes what differs from the session for this request.
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

    /// Makes the same of dictionaries in variables.
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

    /// Makes a draft with parameters that a value makes.
    ///
    /// - Parameter value: comes to a dictionary, by the rules of ``SternaCore/Parameters/init(encoding:keepingNils:)``. The request
    ///   serializer's ``SternaSerialization/QueryEncoder/keepsNilMembers`` says whether members that are nil are sent.
    /// - Throws: `encodingFailed` for a value that comes to no dictionary.
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

    /// Makes the same with dictionaries in variables.
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

/// Parameters that a value made, in both forms: the session that sends them says which one it takes.
final class EncodedParameters: Sendable {
    let omittingNils: Parameters
    let keepingNils: Parameters

    /// Throws `encodingFailed` for a value that comes to no dictionary.
    init(_ value: some Encodable) throws(SternaError) {
        omittingNils = try encodingErrors { try Parameters(encoding: value) }
        keepingNils = try encodingErrors { try Parameters(encoding: value, keepingNils: true) }
    }
}
