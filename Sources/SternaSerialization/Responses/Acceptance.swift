import HTTPTypes
public import NIOCore
public import SternaCore

/// Which responses a serializer takes: a function of the response and its body alone, with AFNetworking's rules.
public struct Acceptance: Sendable, Hashable, Codable {
    /// The statuses that are no error; 200 to 299 by default.
    public var statuses: Set<Int>

    /// The media types that are no error; nil for any.
    ///
    /// A star stands for a whole type or subtype, or for what comes before a suffix: `image/*`, `*/json`,
    /// `application/*+json`. `*/*` also takes a response without a Content-Type, or with one that is no media type.
    /// Letters are in any case, and parameters are dropped: a type is judged by type and subtype alone.
    public var mediaTypes: Set<String>? {
        get { types.map { Set($0) } }
        set { types = newValue.map(Self.normalized) }
    }

    // In order, each once. No set: each type of set costs the start of a program some 2% of a first request.
    private var types: [String]?

    // Whether `validating` has set them, so that the next call narrows what the one before it takes.
    private var validatesStatuses = false
    private var validatesTypes = false

    public init(statuses: some Sequence<Int> = 200..<300, mediaTypes: Set<String>? = nil) {
        self.statuses = Set(statuses)
        types = mediaTypes.map(Self.normalized)
    }

    private static func normalized(_ types: Set<String>) -> [String] {
        Set(types.map { MediaTypePattern($0)?.text ?? $0 }).sorted()
    }

    /// The acceptance with other statuses, or with those in common where they were validated before.
    func validating(statuses: some Sequence<Int>) -> Acceptance {
        var acceptance = self
        acceptance.statuses = validatesStatuses ? self.statuses.intersection(statuses) : Set(statuses)
        acceptance.validatesStatuses = true
        return acceptance
    }

    /// The acceptance with other media types, or with those in common where they were validated before.
    func validating(mediaTypes: Set<String>?) -> Acceptance {
        var acceptance = self
        acceptance.validatesTypes = true
        acceptance.mediaTypes = mediaTypes
        guard validatesTypes, let earlier = types else { return acceptance }
        guard let later = acceptance.types else {
            acceptance.types = earlier
            return acceptance
        }
        let patterns = later.compactMap(MediaTypePattern.init)
        let common = earlier.compactMap(MediaTypePattern.init).flatMap { one in
            patterns.compactMap { one.intersection($0)?.text }
        }
        acceptance.types = Set(common).sorted()
        return acceptance
    }

    /// Whether both take the same responses.
    public static func == (left: Acceptance, right: Acceptance) -> Bool {
        left.statuses == right.statuses && left.types == right.types
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(statuses)
        hasher.combine(types)
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
        if let type = response.mediaType,
            types.contains(type.essence)
                || types.contains(where: { $0.utf8.contains(UInt8(ascii: "*")) && type.matches($0) })
        {
            return nil
        }
        if types.contains("*/*") { return nil }
        let shown = response.section[values: .contentType].last.map { "“\(FieldSyntax.printable($0))”" } ?? "not given"
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
        if !response.hasUnknownCoding {
            error.serverMessage = ServerMessage.find(in: body, mediaType: response.mediaType)
        }
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
