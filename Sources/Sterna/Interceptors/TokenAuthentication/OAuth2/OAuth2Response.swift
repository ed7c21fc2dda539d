import SternaCore
import SternaSerialization

/// Parses the responses of a token endpoint strictly (RFC 6749, 5).
enum OAuth2Response {
    /// The maximum length of a token, in bytes.
    private static let longestToken = 32 << 10

    /// The maximum lifetime, in seconds: a hundred years.
    private static let longestLifetime: Int64 = 100 * 366 * 86_400

    /// Returns the token of a response.
    ///
    /// Throws `unacceptableStatus` with the server's reason if the status is not 200, and `decodingFailed` for an invalid response.
    /// Errors do not show a token.
    static func token(status: Int, mediaType: String?, body: [UInt8]) throws(SternaError) -> AccessToken {
        guard status == 200 else { throw refusal(status: status, mediaType: mediaType, body: body) }
        guard isJSON(mediaType) else { throw fault("is not application/json") }
        guard let response = object(body) else { throw fault("is not a JSON object") }
        guard let value = try text("access_token", of: response, isToken: true) else {
            throw fault("has no access_token")
        }
        guard let type = try text("token_type", of: response) else { throw fault("has no token_type") }
        guard AuthenticationChallenge.isSame(type, "bearer") else {
            throw fault("has a token of the type “\(FieldSyntax.printable(String(type.prefix(40))))”, not Bearer")
        }
        return AccessToken(
            value, refreshToken: try text("refresh_token", of: response, isToken: true),
            lifetime: try lifetime(of: response), scope: try text("scope", of: response))
    }

    /// Returns the error of a response that refuses a token (RFC 6749, 5.2).
    private static func refusal(status: Int, mediaType: String?, body: [UInt8]) -> SternaError {
        let response = isJSON(mediaType) ? object(body) : nil
        var detail = "The token endpoint answered with \(status)"
        if let code = response?["error"]?.string, isErrorText(code), code.utf8.count <= 100 {
            detail += ": \(code)"
        }
        var error = SternaError(.unacceptableStatus, phase: .read, detail + ".")
        if let description = response?["error_description"]?.string { error.serverMessage = description }
        return error
    }

    private static func fault(_ what: String) -> SternaError {
        SternaError(.decodingFailed, phase: .decode, "The answer of the token endpoint \(what) (RFC 6749, 5.1).")
    }

    private static func object(_ body: [UInt8]) -> JSON.Object? {
        (try? JSON(parsing: body, limits: JSON.ParseLimits(depth: 16, values: 10_000)))?.object
    }

    private static func isJSON(_ mediaType: String?) -> Bool {
        mediaType.flatMap { MediaType($0) }?.essence == "application/json"
    }

    /// Returns the text of a member; nil if it is missing or null. A token must be visible ASCII (RFC 6749, appendix A.12 and
    /// A.17).
    private static func text(
        _ name: String, of response: JSON.Object, isToken: Bool = false
    ) throws(SternaError) -> String? {
        guard let member = response[name], !member.isNull else { return nil }
        guard let text = member.string else { throw fault("has a \(name) that is not a string") }
        guard isToken else { return text }
        guard !text.isEmpty, text.utf8.count <= longestToken, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else {
            throw fault("has a \(name) that is empty, too long, or has other characters than visible ASCII")
        }
        return text
    }

    private static func lifetime(of response: JSON.Object) throws(SternaError) -> Duration? {
        guard let member = response["expires_in"], !member.isNull else { return nil }
        guard let seconds = member.number?.int64, seconds >= 0 else {
            throw fault("has an expires_in that is not a number of seconds")
        }
        return .seconds(min(seconds, longestLifetime))
    }

    /// Returns whether a text has only characters of an error code (RFC 6749, appendix A.7).
    private static func isErrorText(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}
