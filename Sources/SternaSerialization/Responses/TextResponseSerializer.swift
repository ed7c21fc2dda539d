import HTTPTypes
public import NIOCore
public import SternaCore

/// The text in the character set that Content-Type names, else in the Unicode form of its byte order mark, else UTF-8.
///
/// `charset=ISO-8859-1` is Latin-1 to the letter, see ``TextEncoding``. Nothing of the text is replaced: bytes that are no
/// text in the set are an error that names the set and, where it is one byte that is wrong, its place.
public struct TextResponseSerializer: ResponseSerializer, Hashable, Codable {
    public var acceptance: Acceptance

    /// What is tried in turn where neither Content-Type nor a byte order mark names a set, and the bytes are not UTF-8;
    /// empty by default. `[.latin1]` takes any bytes.
    public var fallbacks: [TextEncoding]

    /// Takes any media type unless told otherwise.
    public init(acceptance: Acceptance = Acceptance(), fallbacks: [TextEncoding] = []) {
        self.acceptance = acceptance
        self.fallbacks = fallbacks
    }

    /// The text; throws `decodingFailed` for a set that is not known or has no tables, and bytes that are not of the set.
    public func value(of response: Response, body: Bytes) throws -> String {
        try text(of: body, charset: response[.contentType].flatMap(MediaType.init)?.charset)
    }

    func text(of body: Bytes, charset: String?) throws(SternaError) -> String {
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
            switch error {
            case .illFormed(let offset):
                throw SternaError(
                    .decodingFailed, phase: .decode,
                    "The answer is not valid \(encoding): byte \(offset) begins no character. \(hint)")
            case .noTables:
                throw SternaError(
                    .decodingFailed, phase: .decode,
                    """
                    The answer is in the character set \(encoding), whose tables come from Foundation: import the module \
                    Sterna, built with its package's trait Foundation, or set TextEncoding.converter. \(hint)
                    """)
            }
        }
    }

    private static func unknown(_ charset: String) -> SternaError {
        SternaError(
            .decodingFailed, phase: .decode,
            "The character set “\(FieldSyntax.printable(charset))” is not known; take the bytes with data().")
    }
}
