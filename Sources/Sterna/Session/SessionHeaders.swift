import HTTPTypes
import SternaCore
import SternaSerialization

/// The header fields that a session's requests begin with, merged once: each request then shares them.
///
/// The session's own fields come first, then what its request serializer adds, then what the library sends.
struct SessionHeaders: Sendable {
    private let own: Pair
    private let ownWithDefaults: Pair

    /// Whether the session's settings say what codings are asked for.
    let nameCoding: Bool

    /// Fields for the session's own origin, and those without secrets for any other.
    private struct Pair: Sendable {
        let all: HTTPFields
        let open: HTTPFields
    }

    /// No fields at all.
    init() {
        own = Pair(all: [:], open: [:])
        ownWithDefaults = own
        nameCoding = false
    }

    /// Throws `invalidHeader` for a field that cannot be sent.
    init(_ settings: SessionSettings) throws(SternaError) {
        var fields = HTTPFields()
        try settings.headers.merge(into: &fields)
        own = Pair(all: fields, open: SecretHeaders.removed(from: fields, settings.secretHeaders))
        try Self.settings(of: settings.requestSerializer)?.addHeaders(to: &fields)
        nameCoding = fields.contains(.acceptEncoding)
        Self.addDefaults(to: &fields)
        ownWithDefaults = Pair(all: fields, open: SecretHeaders.removed(from: fields, settings.secretHeaders))
    }

    static func settings(of serializer: any RequestSerializer) -> SerializerSettings? {
        // The usual one is asked for first: what protocols a type has is searched for among those of the whole program.
        if let usual = serializer as? HTTPRequestSerializer { return usual.settings }
        return (serializer as? any ConfigurableRequestSerializer)?.settings
    }

    /// What a request begins with; `isComplete` where the session's own serializer makes it, so that nothing is missing.
    func fields(isOwnOrigin: Bool, isComplete: Bool) -> HTTPFields {
        let pair = isComplete ? ownWithDefaults : own
        return isOwnOrigin ? pair.all : pair.open
    }

    /// Adds what every request has unless it says otherwise.
    static func addDefaults(to fields: inout HTTPFields) {
        if !fields.contains(.userAgent) { fields.append(HTTPField(name: .userAgent, value: UserAgent.standard)) }
        if !fields.contains(.accept) { fields.append(HTTPField(name: .accept, value: "*/*")) }
        if !fields.contains(.acceptEncoding) {
            fields.append(HTTPField(name: .acceptEncoding, value: ContentDecodingInterceptor.acceptEncoding))
        }
    }
}

extension SessionHeaders: CustomReflectable {
    /// Shows no field, as credentials are among them.
    var customMirror: Mirror { Mirror(self, children: ["nameCoding": nameCoding]) }
}
