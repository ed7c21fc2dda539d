public import Sterna
public import SternaCore
public import SternaPropertyListCore

extension Reply {
    /// Decodes the body as a property list in XML or in the binary form; nil for an empty one.
    ///
    /// Follows the request's response serializer, else the session's, if it makes property lists or decodes values from them.
    /// Throws `unacceptableMediaType` or `decodingFailed`.
    public func propertyList() throws(SternaError) -> PropertyList? { try tree(.propertyList) }

    /// Decodes the body as a property list; see the form without `await`.
    public func propertyList() async throws(SternaError) -> PropertyList? {
        try await concurrently { () throws(SternaError) in try propertyList() }
    }
}
