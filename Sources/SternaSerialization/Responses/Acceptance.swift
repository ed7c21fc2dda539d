import HTTPTypes
public import NIOCore
public import SternaCore

/// Which responses a serializer takes: a function of the response and its body alone, with AFNetworking's rules.
public struct Acceptance: Sendable, Hashable, Codable {
    /// The statuses that are no error; 200 to 299 by default.
    public var statuses: Set<Int>

    /// The media types that are no error, in lower case without parameters; nil for any.
    ///
    /// A star stands for a whole type or subtype, or for what comes before a suffix: `image/*`, `*/*`,
    /// `application/*+json`.
    public var mediaTypes: Set<String>? {
        get { types.map { Set($0) } }
        set { types = newValue?.sorted() }
    }

    // In order, each once. No set: each type of set costs the start of a program some 2% of a first request.
    private var types: [String]?

    public init(statuses: some Sequence<Int> = 200..<300, mediaTypes: Set<String>? = nil) {
        self.statuses = Set(statuses)
        types = mediaTypes?.sorted()
    }

    /// Statuses from 200 to 299, and the media types of ``JSONResponseSerializer``.
    public static var json: Acceptance {
        var acceptance = Acceptance()
        acceptance.types = JSONResponseSerializer.sortedMediaTypes
        return acceptance
    }

    private enum CodingKeys: String, CodingKey {
        case statuses, mediaTypes
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            statuses: try container.decode(Set<Int>.self, forKey: .statuses),
            mediaTypes: try container.decodeIfPresent(Set<String>.self, forKey: .mediaTypes))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(statuses, forKey: .statuses)
        try container.encodeIfPresent(types, forKey: .mediaTypes)
    }

    /// The error for a response whose status or media type is not taken, or nil.
    ///
    /// A media type that is not taken is no error where the body is empty. Where the status is wrong too, the error is
    /// about the status and has the other as its cause.
    public func check(_ response: Response, body: Bytes) -> SternaError? {
        let typeError = checkMediaType(response, body: body)
        guard statuses.contains(response.status.code) else {
            return Self.statusError(response, body: body, cause: typeError)
        }
        return typeError
    }

    /// The error for a media type that is not taken, or nil.
    public func checkMediaType(_ response: Response, body: Bytes) -> SternaError? {
        guard let types, body.readableBytes > 0 else { return nil }
        let field = response[.contentType]
        if let type = field.flatMap(MediaType.init),
            types.contains(type.essence) || types.contains(where: type.matches)
        {
            return nil
        }
        let shown = field.map { "“\(FieldSyntax.printable($0))”" } ?? "not given"
        var error = SternaError(
            .unacceptableMediaType, phase: .decode,
            "The answer's media type is \(shown); expected \(types.joined(separator: ", ")).")
        error.attach(response, body)
        return error
    }

    private static func statusError(_ response: Response, body: Bytes, cause: SternaError?) -> SternaError {
        let status = response.status.code
        let phrase = response.status.registeredPhrase
        var error = SternaError(
            .unacceptableStatus, phase: .decode,
            "The server answered \(status)\(phrase.isEmpty ? "" : " \(phrase)").", underlying: cause)
        error.attach(response, body)
        error.serverMessage = ServerMessage.find(in: body, mediaType: response[.contentType].flatMap(MediaType.init))
        return error
    }
}

extension SternaError {
    /// Adds the response that the error is about.
    mutating func attach(_ response: Response, _ body: Bytes) {
        self.response = response
        self.body = body
        requestSent = true
        url = Redaction.show(response.url)
    }
}
