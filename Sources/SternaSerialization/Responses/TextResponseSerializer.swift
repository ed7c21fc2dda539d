import HTTPTypes
public import NIOCore
public import SternaCore

/// The text in the character set that Content-Type names, else in the Unicode form of its byte order mark, else UTF-8.
///
/// `charset=ISO-8859-1` is Latin-1 to the letter, see ``TextEncoding``. Nothing of the text is replaced: bytes that are no
/// text in the set are an error that names the set and, where it is one byte that is wrong, its place.
public struct TextResponseSerializer: ResponseSerializer, Hashable, Codable {
    public var acceptance: Acceptance

    /// The character set of every answer, whatever Content-Type and a byte order mark say; nil, the default, goes by them.
    public var encoding: TextEncoding?

    /// What is tried in turn where neither Content-Type nor a byte order mark names a set, and the bytes are not UTF-8;
    /// empty by default. `[.latin1]` takes any bytes.
    public var fallbacks: [TextEncoding]

    /// Takes any media type unless told otherwise.
    public init(
        acceptance: Acceptance = Acceptance(), fallbacks: [TextEncoding] = [], encoding: TextEncoding? = nil
    ) {
        self.acceptance = acceptance
        self.encoding = encoding
        self.fallbacks = fallbacks
    }

    /// The text; throws `decodingFailed` for a set that is not known, and for bytes that are not of the set.
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
                "The answer is not valid \(encoding): byte \(error.offset) begins no character. \(hint)")
        }
    }

    private static func unknown(_ charset: String) -> SternaError {
        SternaError(
            .decodingFailed, phase: .decode,
            "The character set “\(FieldSyntax.printable(charset))” is not known; take the bytes with data().")
    }
}
