public import FoundationEssentials
public import HTTPTypes
public import NIOCore
public import SternaCore
public import SternaSerialization

/// A response whose body was collected, accepted by the session's response serializer.
public struct Reply: Sendable {
    /// The response; its body is there as a whole.
    public let response: Response

    /// The body's bytes.
    public let body: Bytes

    let serializer: any ResponseSerializer

    init(_ response: Response, body: Bytes, serializer: any ResponseSerializer) {
        self.response = response
        self.body = body
        self.serializer = serializer
    }

    /// The status code.
    public var status: Int { response.status.code }

    /// The header fields.
    public var headers: HTTPFields { response.headers }

    /// Where the answer came from, after redirects.
    public var url: HTTPURL { response.url }

    /// The body as a JSON tree; null for an empty one.
    ///
    /// Throws `unacceptableMediaType` or `decodingFailed`.
    public func json() throws(SternaError) -> JSON {
        try value(by: serializer as? JSONResponseSerializer ?? JSONResponseSerializer())
    }

    /// The body as text in the character set that Content-Type names, else UTF-8; throws `decodingFailed`.
    public func text() throws(SternaError) -> String {
        try value(by: serializer as? TextResponseSerializer ?? TextResponseSerializer())
    }

    /// The body's bytes as Foundation's type.
    public func data() -> Data {
        body.withUnsafeReadableBytes { Data($0) }
    }

    /// The body as a value of a `Decodable` type, from JSON; throws `unacceptableMediaType` or `decodingFailed`, which
    /// names the member that did not fit.
    public func decode<T: Decodable>(_ type: T.Type = T.self, decoder: JSONDecoder? = nil) throws(SternaError) -> T {
        let acceptance = (serializer as? JSONResponseSerializer ?? JSONResponseSerializer()).acceptance
        if let error = acceptance.checkMediaType(response, body: body) { throw error }
        return try described { () throws(SternaError) in
            try JSONDecoding.decode(type, from: body, decoder: decoder ?? JSONDecoder())
        }
    }

    /// What a response serializer makes of the body; its media type is checked, the status was before.
    public func value<S: ResponseSerializer>(by serializer: S) throws(SternaError) -> S.Value {
        if let error = serializer.acceptance.checkMediaType(response, body: body) { throw error }
        return try described { () throws(SternaError) in
            do {
                return try serializer.value(of: response, body: body)
            } catch {
                throw SternaError.wrap(
                    error, as: .decodingFailed, phase: .decode, "The answer cannot be read: \(error)")
            }
        }
    }

    private func described<R>(_ work: () throws(SternaError) -> R) throws(SternaError) -> R {
        do {
            return try work()
        } catch {
            var error = error
            error.response = response
            error.body = body
            error.requestSent = true
            if error.url == nil { error.url = Redaction.show(response.url) }
            throw error
        }
    }
}
