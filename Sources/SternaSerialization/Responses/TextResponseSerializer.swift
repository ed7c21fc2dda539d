import HTTPTypes
public import NIOCore
public import SternaCore

/// Decodes text in Content-Type's character set, or else in the Unicode form of its byte order mark, or else in UTF-8.
///
/// `charset=ISO-8859-1` means exactly Latin-1, see ``TextEncoding``. No character is replaced: bytes that are invalid in the set
/// throw an error with the name of the set and the position of the first invalid byte.
public struct TextResponseSerializer: ResponseSerializer, Hashable, Codable {
    public var validation: ResponseValidation

    /// The character set of every response, overriding Content-Type and a byte order mark; nil, the default, follows them.
    public var encoding: TextEncoding?

    /// The sets to try in order if neither Content-Type nor a byte order mark names one, and the bytes are not UTF-8;
    /// empty by default. `[.latin1]` accepts any bytes.
    public var fallbacks: [TextEncoding]

    /// Makes a serializer; it accepts any media type by default.
    public init(
        validation: ResponseValidation = ResponseValidation(), fallbacks: [TextEncoding] = [],
        encoding: TextEncoding? = nil
    ) {
        self.validation = validation
        self.encoding = encoding
        self.fallbacks = fallbacks
    }

    /// Returns the text; throws `decodingFailed` for an unknown character set, and for bytes that are invalid in the set.
    public func value(of response: Response, body: Bytes) throws -> String {
        try text(of: body, charset: response.mediaType?.charset)
    }

    func text(of body: Bytes, charset: String?) throws(SternaError) -> String {
        if let encoding { return try Self.text(of: body, encoding, hint: "The serializer's own encoding was used.") }
        if let charset {
            guard let encoding = TextEncoding(label: charset) else { throw Self.unknown(charset) }
            return try Self.text(of: body, encoding, hint: "Take the bytes with data().")
        }
        if let encoding = TextEncoding.byteOrderMark(of: body) {
            return try Self.text(of: body, encoding, hint: "Take the bytes with data().")
        }
        do {
            return try Self.text(
                of: body, .utf8,
                hint:
                    "Content-Type names no character set: give the serializer fallbacks, or take the bytes with data()."
            )
        } catch {
            for encoding in fallbacks {
                if let text = encoding.decode(body) { return text }
            }
            throw error
        }
    }

    package static func text(of body: Bytes, _ encoding: TextEncoding, hint: String) throws(SternaError) -> String {
        do {
            return try encoding.read(body)
        } catch {
            throw SternaError(
                .decodingFailed, phase: .decode,
                "The response is not valid \(encoding): byte \(error.offset) does not begin a character. \(hint)")
        }
    }

    private static func unknown(_ charset: String) -> SternaError {
        SternaError(
            .decodingFailed, phase: .decode,
            "The character set “\(FieldSyntax.printable(charset))” is not known; take the bytes with data().")
    }
}
