import HTTPTypes
import NIOCore
package import SternaCore

/// The responses that a serializer accepts, by AFNetworking's rules.
public struct ResponseValidation: Sendable, Hashable, Codable {
    /// The acceptable status codes; 200 to 299 by default.
    public var statuses: Set<Int> {
        get { ownStatuses ?? Set(Self.success) }
        set { ownStatuses = Self.isSuccess(newValue) ? nil : newValue }
    }

    // Nil for 200 to 299, the default: making a set of a hundred numbers would cost more than the rest of a session's settings.
    private var ownStatuses: Set<Int>?

    private static let success = 200..<300

    /// The acceptable media types; nil for any.
    ///
    /// A star matches a whole type or subtype, or the part before a suffix: `image/*`, `*/json`, `application/*+json`. `*/*` also
    /// accepts a response whose Content-Type is missing or not a media type; the empty text accepts a response whose Content-Type
    /// is missing. Case and parameters are ignored.
    public var mediaTypes: Set<String>? {
        get { types.map { Set($0) } }
        set { types = newValue.map(Self.normalized) }
    }

    // In order, without duplicates. Not a set, since each new `Set` type costs about 2% of a program's first request.
    private var types: [String]?

    // Whether `validating` has set the statuses, or the types; its next call then narrows them.
    private var validatesStatuses = false
    private(set) var validatesTypes = false

    /// Makes rules; they accept the statuses from 200 to 299 and any media type by default.
    public init(statuses: some Sequence<Int> = 200..<300, mediaTypes: Set<String>? = nil) {
        types = mediaTypes.map(Self.normalized)
        if statuses as? Range<Int> != Self.success { self.statuses = Set(statuses) }
    }

    private static func isSuccess(_ statuses: Set<Int>) -> Bool {
        statuses.count == success.count && statuses.allSatisfy(success.contains)
    }

    /// Whether a status code is acceptable.
    package func accepts(status: Int) -> Bool { ownStatuses?.contains(status) ?? Self.success.contains(status) }

    private static func normalized(_ types: Set<String>) -> [String] {
        Set(types.map { MediaTypePattern($0)?.text ?? $0 }).sorted()
    }

    /// Returns a copy with other statuses, or with the intersection if statuses were validated before.
    func validating(statuses: some Sequence<Int>) -> ResponseValidation {
        var validation = self
        validation.statuses = validatesStatuses ? self.statuses.intersection(statuses) : Set(statuses)
        validation.validatesStatuses = true
        return validation
    }

    /// Returns a copy with other media types, or with the intersection if media types were validated before.
    func validating(mediaTypes: Set<String>?) -> ResponseValidation {
        var validation = self
        validation.validatesTypes = true
        validation.mediaTypes = mediaTypes
        guard validatesTypes, let earlier = types else { return validation }
        guard let later = validation.types else {
            validation.types = earlier
            return validation
        }
        let patterns = later.compactMap(MediaTypePattern.init)
        var common = earlier.compactMap(MediaTypePattern.init).flatMap { one in
            patterns.compactMap { one.intersection($0)?.text }
        }
        if Self.acceptMissing(earlier), Self.acceptMissing(later), !common.contains("*/*") { common.append("") }
        validation.types = Set(common).sorted()
        return validation
    }

    private static func acceptMissing(_ types: [String]) -> Bool { types.contains("") || types.contains("*/*") }

    /// Whether both have the same statuses and media types.
    public static func == (left: ResponseValidation, right: ResponseValidation) -> Bool {
        left.ownStatuses == right.ownStatuses && left.types == right.types
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ownStatuses)
        hasher.combine(types)
    }

    /// Statuses from 200 to 299, and the media types of ``JSONResponseSerializer``.
    public static var json: ResponseValidation {
        var validation = ResponseValidation()
        validation.types = JSONResponseSerializer.sortedMediaTypes
        return validation
    }

    private enum CodingKeys: String, CodingKey {
        case statuses, mediaTypes
    }

    // By the properties, not by what is stored: the default statuses are stored as nil, and types in order.
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

    /// Returns the error for an unacceptable status or media type, or nil.
    ///
    /// An unacceptable media type is not an error if the body is empty. If the status is unacceptable, too, the error reports the
    /// status, with the media type's error as its cause.
    package func check(_ response: Response, body: Bytes) -> SternaError? {
        let typeError = checkMediaType(response, body: body)
        guard accepts(status: response.status.code) else {
            return Self.statusError(response, body: body, cause: typeError)
        }
        return typeError
    }

    /// Returns the error for an unacceptable media type, or nil.
    package func checkMediaType(_ response: Response, body: Bytes) -> SternaError? {
        body.readableBytes > 0 ? typeError(response, body: body) : nil
    }

    package func typeError(_ response: Response, body: Bytes) -> SternaError? {
        guard let types else { return nil }
        if let type = response.mediaType,
            types.contains(type.essence)
                || types.contains(where: { $0.utf8.contains(UInt8(ascii: "*")) && type.matches($0) })
        {
            return nil
        }
        if types.contains("*/*") { return nil }
        let given = response.section[values: .contentType].last
        if given == nil, types.contains("") { return nil }
        let shown = given.map { "“\(FieldSyntax.printable($0))”" } ?? "not given"
        let expected = types.filter { !$0.isEmpty }.joined(separator: ", ")
        var error = SternaError(
            .unacceptableMediaType, phase: .decode, "The response's media type is \(shown); expected \(expected).")
        error.attach(response, body)
        return error
    }

    private static func statusError(_ response: Response, body: Bytes, cause: SternaError?) -> SternaError {
        let status = response.status.code
        let phrase = response.status.registeredPhrase
        let actor = response.source == .network ? "server" : "cache"
        var error = SternaError(
            .unacceptableStatus, phase: .decode,
            "The \(actor) answered \(status)\(phrase.isEmpty ? "" : " \(phrase)").\(response.note.map { " \($0)" } ?? "")",
            underlying: cause)
        error.attach(response, body)
        if !response.hasUnknownCoding {
            error.serverMessage = ServerMessage.find(in: body, mediaType: response.mediaType)
        }
        return error
    }
}

extension SternaError {
    /// Attaches the response to the error.
    mutating func attach(_ response: Response, _ body: Bytes) {
        self.response = response
        self.body = body
        requestSent = true
        url = Redaction.show(response.url)
    }
}
