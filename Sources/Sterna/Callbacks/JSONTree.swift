public import NIOCore
public import SternaCore
public import SternaSerialization

extension Session {
    /// The serializer of callbacks unless `as:` names another: a JSON tree. The session's own serializer accepts and decodes it if
    /// that one reads JSON.
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
        if serializer is Session.JSONTree, let tree = try json() as? S.Value { return tree }
        return try make(by: serializer)
    }
}
