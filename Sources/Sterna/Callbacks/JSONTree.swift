public import NIOCore
public import SternaCore
public import SternaSerialization

extension Session {
    /// The serializer of callbacks unless `as:` names another: the request's serializer, else the session's, whose value they
    /// receive as a JSON tree.
    ///
    /// Text is a JSON string, an empty value null; bytes are parsed as JSON. Any other value, such as an image, fails with
    /// `decodingFailed`: name the serializer with `as:` to receive it.
    public struct JSONTree: ResponseSerializer {
        public init() {}

        /// The validation of ``SternaSerialization/JSONResponseSerializer``.
        public var validation: ResponseValidation { JSONResponseSerializer().validation }

        /// Decodes the tree as ``SternaSerialization/JSONResponseSerializer`` does, if there is no session.
        public func value(of response: Response, body: Bytes) throws -> JSON {
            try JSONResponseSerializer().value(of: response, body: body)
        }
    }
}

extension Reply {
    /// Returns the value for a callback from a reply that the serializer has accepted.
    func value<S: ResponseSerializer>(as serializer: S) throws -> S.Value {
        if serializer is Session.JSONTree, let tree = try callbackTree() as? S.Value { return tree }
        return try make(by: serializer)
    }
}
