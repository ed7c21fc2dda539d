/// Shows URLs without what is secret in them.
public enum Redaction {
    /// Names of query fields whose values are never shown; compared in lower case, as whole names.
    static let secretNames: Set<String> = [
        "access_token", "refresh_token", "id_token", "token", "auth", "authorization", "api_key", "apikey", "api-key",
        "key",
        "password", "passwd", "pwd", "pass", "secret", "client_secret", "signature", "sig", "x-amz-signature",
        "x-amz-security-token", "x-amz-credential", "x-goog-signature", "awsaccesskeyid", "session", "sessionid",
        "code",
        "jwt", "assertion",
    ]

    /// Whether a query field's name says that its value is secret: as it is, or, for a nested name, its last part.
    private static func isSecret(_ name: Substring) -> Bool {
        let decoded = PercentCoding.decode(String(name)).lowercased()
        if secretNames.contains(decoded) { return true }
        let parts = decoded.split { $0 == "[" || $0 == "]" || $0 == "." }
        return parts.contains { secretNames.contains(String($0)) }
    }

    /// The URL without user information and fragment, secret-looking query values replaced by `***`.
    public static func show(_ url: HTTPURL) -> String {
        let plain = url.removingFragment()
        guard let query = plain.query, !query.isEmpty else { return plain.description }
        let shown = query.split(separator: "&", omittingEmptySubsequences: false).map { pair -> Substring in
            guard let equals = pair.firstIndex(of: "=") else { return pair }
            return isSecret(pair[..<equals]) ? pair[...equals] + "***" : pair
        }
        let text = plain.description
        guard let mark = text.firstIndex(of: "?") else { return text }
        return text[...mark] + shown.joined(separator: "&")
    }
}
