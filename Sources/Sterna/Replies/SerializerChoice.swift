import SternaCore
import SternaPlatform
import SternaSerialization

/// Decides which response serializer reads a response.
///
/// The call's own (`as:`, `value(by:)`) comes first, then the request's, then the session's, then JSON. This serializer judges
/// the response. A call that asks for a kind of value, such as `text()`, gets it from this serializer if it makes such values,
/// otherwise from the standard serializer of that kind.
struct SerializerChoice: Sendable {
    /// The serializer that judges the response.
    let serializer: any ResponseSerializer

    init(
        call: (any ResponseSerializer)? = nil, request: (any ResponseSerializer)?, session: (any ResponseSerializer)?
    ) {
        serializer = call ?? request ?? session ?? JSONResponseSerializer()
    }

    /// The serializer of `json()`.
    var json: any ResponseSerializer<JSON> {
        if let json = serializer as? JSONResponseSerializer { return json }
        return making(JSON.self) ?? jsonFormat
    }

    /// The settings for parsing JSON, whatever value is made: the chosen serializer's, or the default ones.
    var jsonFormat: JSONResponseSerializer { tree() ?? JSONResponseSerializer() }

    /// The serializer of `text()`.
    var text: any ResponseSerializer<String> {
        if let own = making(String.self) { return own }
        guard var own = base as? TextResponseSerializer else { return TextResponseSerializer() }
        own.validation = serializer.validation
        return own
    }

    /// The serializer of `data()`.
    var data: any ResponseSerializer<Data> {
        if let own = serializer as? DataResponseSerializer { return own }
        if let own = making(Data.self) { return own }
        guard var own = base as? ImageDataResponseSerializer else { return DataResponseSerializer() }
        own.validation = serializer.validation
        return own
    }

    /// Returns the serializer of a format's trees, such as property lists: the chosen one if it makes them or reads this format.
    ///
    /// - Parameter standard: the format's serializer without settings.
    func trees<S: FormatResponseSerializer>(_ standard: S) -> any ResponseSerializer<S.Value> {
        if let own = making(S.Value.self) { return own }
        if let own: S = tree() { return own }
        return standard
    }

    /// Returns the serializer of `decode()`: JSON's unless the chosen one decodes. A serializer of text or bytes does not.
    ///
    /// - Parameter decoding: the session's settings.
    func decodable<T: Decodable & Sendable>(_ type: T.Type, _ decoding: DecodingSettings) -> any ResponseSerializer<T> {
        let (base, transforms) = unwrapped
        let format = base as? any FormatResponseSerializer
        if !transforms, let format { return format.decoding(type, serializer.validation, decoding) }
        if type != String.self, type != Data.self, let own = making(type) { return own }
        // For instance a serializer that selects a member of an envelope.
        if let tree = making(JSON.self) { return tree.map { try $0.decode(type, decoding) } }
        if let format { return format.decoding(type, serializer.validation, decoding) }
        return DecodableResponseSerializer<T>(decoding: decoding)
    }

    /// The serializer of a callback that receives a JSON tree, since its call names no serializer. It uses the chosen one: text
    /// becomes a JSON string, an empty value null, and bytes are parsed. Other values fail with the advice to name the serializer.
    var callback: any ResponseSerializer<JSON> {
        if let json = serializer as? JSONResponseSerializer { return json }
        if let own = making(JSON.self) { return own }
        if let text = making(String.self) { return text.map { .string($0) } }
        if let empty = making(Void.self) { return empty.map { _ in .null } }
        if let own: JSONResponseSerializer = tree() { return own }
        let name = "\(Swift.type(of: serializer))"
        if let data = making(Data.self) {
            return data.map { (data: Data, response: Response) throws -> JSON in
                do {
                    return try JSONResponseSerializer().value(of: response, body: Bytes(copying: data))
                } catch {
                    throw Self.noTree(name, error)
                }
            }
        }
        return Self.refusing(serializer, name)
    }

    // MARK: How

    /// The chosen serializer if its value has this type.
    private func making<V>(_ type: V.Type) -> (any ResponseSerializer<V>)? { Self.making(type, serializer) }

    private static func making<V, S: ResponseSerializer>(
        _ type: V.Type, _ serializer: S
    ) -> (any ResponseSerializer<V>)? {
        S.Value.self == type ? serializer as? any ResponseSerializer<V> : nil
    }

    /// The innermost serializer that the chosen one wraps, and whether a wrapper changes the value.
    private var unwrapped: (base: any ResponseSerializer, transforms: Bool) {
        var found: (base: any ResponseSerializer, transforms: Bool) = (serializer, false)
        while let wrapping = found.base as? any WrappingResponseSerializer {
            found = (wrapping.base, found.transforms || wrapping.transforms)
        }
        return found
    }

    private var base: any ResponseSerializer { unwrapped.base }

    /// The serializer of a format's trees, with the chosen one's settings, if that one reads this format.
    private func tree<S: FormatResponseSerializer>() -> S? {
        guard var own = (base as? any FormatResponseSerializer)?.tree as? S else { return nil }
        own.validation = serializer.validation
        return own
    }

    private static func refusing<S: ResponseSerializer>(_ serializer: S, _ name: String) -> any ResponseSerializer<JSON>
    {
        serializer.map { _ throws -> JSON in throw noTree(name, nil) }
    }

    private static func noTree(_ name: String, _ cause: (any Error)?) -> SternaError {
        SternaError(
            .decodingFailed, phase: .decode,
            "The response serializer \(name) made no JSON tree, which a callback receives unless its call names a serializer. Name it: "
                + "as: serializer.", underlying: cause)
    }
}
