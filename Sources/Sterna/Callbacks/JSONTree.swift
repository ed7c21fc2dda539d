public import NIOCore
public import SternaCore
public import SternaSerialization

extension Session {
    /// What callbacks are given unless `as:` names a response serializer: a JSON tree, accepted and read by the session's own
    /// serializer where that one reads JSON.
    public struct JSONTree: ResponseSerializer {
        public init() {}

        /// As ``SternaSerialization/JSONResponseSerializer`` has it.
        public var acceptance: Acceptance { JSONResponseSerializer().acceptance }

        /// The tree as ``SternaSerialization/JSONResponseSerializer`` reads it, where there is no session.
        public func value(of response: Response, body: Bytes) throws -> JSON {
            try JSONResponseSerializer().value(of: response, body: body)
        }
    }
}

extension Reply {
    /// Returns what a callback is given of the reply, which was accepted by the serializer.
    func value<S: ResponseSerializer>(as serializer: S) throws -> S.Value {
        if serializer is Session.JSONTree, let tree = try json() as? S.Value { return tree }
        return try make(by: serializer)
    }
}
