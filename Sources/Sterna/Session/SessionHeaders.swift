import HTTPTypes
import SternaCore
import SternaSerialization

/// The header fields common to a session's requests, merged once and shared by each request.
///
/// The session's own fields come first, then those of its request serializer, then the library's.
struct SessionHeaders: Sendable {
    private let own: Pair
    private let ownWithDefaults: Pair

    /// Whether the session's settings set Accept-Encoding.
    let nameCoding: Bool

    /// Fields for the session's own origin, and those without secrets for any other.
    private struct Pair: Sendable {
        let all: HTTPFields
        let open: HTTPFields
    }

    /// Creates an empty set of fields.
    init() {
        own = Pair(all: [:], open: [:])
        ownWithDefaults = own
        nameCoding = false
    }

    /// Throws `invalidHeader` for a field that cannot be sent.
    init(_ settings: SessionSettings) throws(SternaError) {
        var fields = HTTPFields()
        try settings.headers.merge(into: &fields)
        own = Pair(all: fields, open: SecretHeaders.removed(from: fields, settings.auth.secretHeaders))
        try Self.settings(of: settings.requestSerializer)?.addHeaders(to: &fields)
        nameCoding = fields.contains(.acceptEncoding)
        Self.addDefaults(to: &fields)
        ownWithDefaults = Pair(all: fields, open: SecretHeaders.removed(from: fields, settings.auth.secretHeaders))
    }

    static func settings(of serializer: any RequestSerializer) -> SerializerSettings? {
        // The usual type is checked first: a cast to a protocol searches the conformances of the whole program.
        if let usual = serializer as? HTTPRequestSerializer { return usual.settings }
        return (serializer as? any ConfigurableRequestSerializer)?.settings
    }

    /// Returns the initial fields of a request; `isComplete` includes the fields of the session's serializer and the default ones,
    /// which a request with its own serializer adds itself.
    func fields(isOwnOrigin: Bool, isComplete: Bool) -> HTTPFields {
        let pair = isComplete ? ownWithDefaults : own
        return isOwnOrigin ? pair.all : pair.open
    }

    /// Adds the default fields, unless they are already set.
    static func addDefaults(to fields: inout HTTPFields) {
        if !fields.contains(.userAgent) { fields.append(HTTPField(name: .userAgent, value: UserAgent.standard)) }
        if !fields.contains(.accept) { fields.append(HTTPField(name: .accept, value: "*/*")) }
        if !fields.contains(.acceptEncoding) {
            fields.append(HTTPField(name: .acceptEncoding, value: ContentDecodingInterceptor.acceptEncoding))
        }
    }
}

extension SessionHeaders: CustomReflectable {
    /// Shows no fields, since they include credentials.
    var customMirror: Mirror { Mirror(self, children: ["nameCoding": nameCoding]) }
}
