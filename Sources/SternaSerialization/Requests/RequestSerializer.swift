public import SternaCore

/// Puts parameters into a request: into its query, or into its body.
///
/// A serializer is a value. A custom one needs a single function:
///
///     struct ProtobufRequestSerializer: RequestSerializer {
///         func serialize(_ parameters: Parameters?, into request: inout Request) throws {
///             guard let parameters else { return }
///             request.body = .bytes(try encode(parameters), mediaType: "application/protobuf")
///         }
///     }
public protocol RequestSerializer: Sendable {
    /// Adds the parameters to the request; they are nil if the caller gave none.
    ///
    /// Called after ``prepare(_:)``, and only if the caller gave no body. Throws `encodingFailed` for parameters that cannot be
    /// written.
    func serialize(_ parameters: Parameters?, into request: inout Request) throws

    /// Adds the defaults of the serializer to every request, with or without parameters: header fields, a time-out. Does nothing by
    /// default.
    func prepare(_ request: inout Request) throws

    /// Appends parameters to the URL's query, whatever the method; by default in AFNetworking 4's style.
    func appendQuery(_ parameters: Parameters, to request: inout Request) throws
}

extension RequestSerializer {
    public func prepare(_ request: inout Request) throws {}

    public func appendQuery(_ parameters: Parameters, to request: inout Request) throws {
        try request.appendQuery(parameters, by: .afnetworking4)
    }

    /// Returns the request with the serializer's defaults and the parameters, as a session would send it.
    public func serialized(_ request: Request, with parameters: Parameters?) throws -> Request {
        var request = request
        try prepare(&request)
        try serialize(parameters, into: &request)
        return request
    }
}

extension RequestSerializer where Self == HTTPRequestSerializer {
    /// Query or `application/x-www-form-urlencoded`, in AFNetworking 4's style.
    public static var form: HTTPRequestSerializer { HTTPRequestSerializer() }
}

extension RequestSerializer where Self == JSONRequestSerializer {
    /// Query or `application/json`.
    public static var json: JSONRequestSerializer { JSONRequestSerializer() }
}

extension Request {
    /// Appends parameters to the URL's query; throws `encodingFailed`.
    public mutating func appendQuery(_ parameters: Parameters?, by encoder: QueryEncoder) throws {
        guard let parameters, !parameters.isEmpty else { return }
        url = url.appendingQuery(try encodingErrors { try encoder.encode(parameters) })
    }
}

/// Runs an encoding and converts its errors to `SternaError`.
package func encodingErrors<R>(_ work: () throws -> R) throws(SternaError) -> R {
    do {
        return try work()
    } catch {
        throw SternaError.wrap(
            error, as: .encodingFailed, phase: .prepare, "The parameters cannot be encoded: \(error)")
    }
}
