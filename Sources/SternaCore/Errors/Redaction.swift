/// Shows URLs without what is secret in them.
public enum Redaction {
    /// Names of query fields whose values are never shown; compared in lower case without `-` and `_`.
    static let secretNames: Set<String> = [
        "accesstoken", "refreshtoken", "idtoken", "token", "authtoken", "csrftoken", "auth", "authorization", "apikey",
        "key",
        "password", "passwd", "passphrase", "pwd", "pass", "secret", "clientsecret", "secretkey", "privatekey",
        "signature",
        "sig", "amzsignature", "amzsecuritytoken", "amzcredential", "googsignature", "awsaccesskeyid", "session",
        "sessionid",
        "code", "jwt", "assertion", "credential", "credentials",
    ]

    /// Whether a query field's name says that its value is secret: as it is, or, for a nested name, its last part.
    package static func isSecret(_ name: Substring) -> Bool {
        let decoded = PercentCoding.decode(String(name)).lowercased()
        let parts = [Substring(decoded)] + decoded.split { $0 == "[" || $0 == "]" || $0 == "." }
        return parts.contains { part in
            let letters = part.filter { $0 != "-" && $0 != "_" }
            return secretNames.contains(letters)
                || letters.first == "x" && secretNames.contains(String(letters.dropFirst()))
        }
    }

    /// Whether a header field holds credentials, by its name: the standard ones, and names as API keys have.
    package static func isSecretHeader(_ name: String) -> Bool {
        switch name.lowercased() {
        case "authorization", "proxy-authorization", "cookie", "set-cookie": true
        default: isSecret(name[...]) || name.lowercased().hasSuffix("-token") || name.lowercased().hasSuffix("-key")
        }
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
