public import HTTPTypes
public import SternaCore

/// Puts parameters into a request: into its query, or into its body.
///
/// A serializer is a value. One of your own needs a single function:
///
///     struct ProtobufRequestSerializer: RequestSerializer {
///         func serialize(_ parameters: Parameters?, into request: inout Request) throws {
///             guard let parameters else { return }
///             request.body = .bytes(try encode(parameters), mediaType: "application/protobuf")
///         }
///     }
public protocol RequestSerializer: Sendable {
    /// Changes the request so that it carries the parameters; nil where the caller gave none.
    ///
    /// Called only where the caller gave no body of their own. Throws `encodingFailed` for what cannot be written.
    func serialize(_ parameters: Parameters?, into request: inout Request) throws
}

extension RequestSerializer where Self == FormRequestSerializer {
    /// Query or `application/x-www-form-urlencoded`, as AFNetworking 4 writes them.
    public static var form: FormRequestSerializer { FormRequestSerializer() }
}

extension RequestSerializer where Self == JSONRequestSerializer {
    /// Query or `application/json`.
    public static var json: JSONRequestSerializer { JSONRequestSerializer() }
}

/// The methods whose parameters go into the URL.
public enum QueryMethods {
    /// GET, HEAD and DELETE, as AFNetworking has it.
    public static let standard: Set<Request.Method> = [.get, .head, .delete]
}

/// Parameters as a query, or as a body of type `application/x-www-form-urlencoded`, by AFNetworking 4's rules.
public struct FormRequestSerializer: RequestSerializer {
    /// How parameters become text.
    public var encoder: QueryEncoder

    /// The methods whose parameters go into the URL; GET, HEAD and DELETE by default.
    public var queryMethods: Set<Request.Method>

    public init(encoder: QueryEncoder = QueryEncoder(), queryMethods: Set<Request.Method> = QueryMethods.standard) {
        self.encoder = encoder
        self.queryMethods = queryMethods
    }

    /// A method that takes a body gets one even where there are no parameters, as in AFNetworking 4.
    public func serialize(_ parameters: Parameters?, into request: inout Request) throws {
        if queryMethods.contains(request.method) {
            try request.appendQuery(parameters, by: encoder)
        } else if request.method != .options, request.method != .trace {
            let bytes = try encodingErrors { try encoder.encodedBytes(parameters ?? Parameters()) }
            request.body = .bytes(bytes, mediaType: "application/x-www-form-urlencoded")
        } else {
            try request.appendQuery(parameters, by: encoder)
        }
    }
}

/// Parameters as a JSON object, or as a query for the methods that have no body.
public struct JSONRequestSerializer: RequestSerializer {
    /// How the text is laid out.
    public var options: JSON.WritingOptions

    /// How parameters become a query for the methods that have no body.
    public var encoder: QueryEncoder

    /// The methods whose parameters go into the URL; GET, HEAD and DELETE by default.
    public var queryMethods: Set<Request.Method>

    public init(
        options: JSON.WritingOptions = [], encoder: QueryEncoder = QueryEncoder(),
        queryMethods: Set<Request.Method> = QueryMethods.standard
    ) {
        self.options = options
        self.encoder = encoder
        self.queryMethods = queryMethods
    }

    public func serialize(_ parameters: Parameters?, into request: inout Request) throws {
        guard let parameters else { return }
        if queryMethods.contains(request.method) {
            try request.appendQuery(parameters, by: encoder)
        } else {
            let bytes = try encodingErrors { try JSON(parameters).serialized(options) }
            request.body = .bytes(bytes, mediaType: "application/json")
        }
    }
}

extension Request {
    /// Appends parameters to the URL's query; throws `encodingFailed`.
    public mutating func appendQuery(_ parameters: Parameters?, by encoder: QueryEncoder) throws {
        guard let parameters, !parameters.isEmpty else { return }
        url = url.appendingQuery(try encodingErrors { try encoder.encode(parameters) })
    }
}

/// Runs an encoding and gives its errors the library's form.
func encodingErrors<R>(_ work: () throws -> R) throws(SternaError) -> R {
    do {
        return try work()
    } catch {
        throw SternaError.wrap(
            error, as: .encodingFailed, phase: .prepare, "The parameters cannot be encoded: \(error)")
    }
}
