import ArgumentParser

/// Options in the form that users of curl and HTTPie expect.
enum HabitOptions {
    /// Parses a header field of curl's `-H`: `Name: value`, `Name:` removes one, `Name;` sends it empty.
    static func headerItem(_ text: String) throws -> Item {
        if let colon = text.firstIndex(of: ":"), colon > text.startIndex {
            let name = String(text[..<colon])
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return value.isEmpty ? .removedHeader(name: name) : .header(name: name, value: String(value))
        }
        guard text.hasSuffix(";"), text.count > 1, !text.hasPrefix("@") else {
            // The text may be secret.
            throw ValidationError("--header takes a name, a colon and a value, as in -H 'Name: value'.")
        }
        return .header(name: String(text.dropLast()), value: "")
    }

    /// Returns the items of curl's `-H`: those of a field, or of each line of `@file`. Throws `ValidationError`, and
    /// `fileUnreadable`.
    static func headerItems(_ text: String) throws -> [Item] {
        guard text.hasPrefix("@") else { return [try headerItem(text)] }
        let path = String(text.dropFirst())
        guard path != "-" else {
            throw ValidationError("--header reads fields from a file, as in -H @FILE, not from standard input.")
        }
        return try ItemFile.text(path).split(whereSeparator: \.isNewline).map { try headerItem(String($0)) }
    }

    /// Parses curl's `-A`; HTTPie's `-A` takes the names of credential types instead.
    static func userAgentItem(_ text: String) throws -> Item {
        if ["basic", "bearer", "digest"].contains(text.lowercased()) {
            throw ValidationError(
                "-A sets the User-Agent; for credentials write --auth user:password with --auth-type basic, digest or bearer."
            )
        }
        return text.isEmpty ? .removedHeader(name: "user-agent") : .header(name: "User-Agent", value: text)
    }

    /// Whether a value of curl's `-b` has cookies; otherwise it names a file of cookies, or none if it is empty.
    static func isCookies(_ text: String) -> Bool { text.contains("=") }

    /// Parses cookies of curl's `-b`; nil if there are only files. HTTPie's `-b` is an option without a value.
    static func cookieItem(_ cookies: [String]) throws -> Item? {
        if cookies.contains(where: { $0.contains("://") }) {
            throw ValidationError(
                "-b takes cookies, as in -b name=value, or a file of cookies. To show only the body, write --print b.")
        }
        let pairs = cookies.filter(isCookies)
        return pairs.isEmpty ? nil : .header(name: "Cookie", value: pairs.joined(separator: "; "))
    }

    /// The alternatives to unsupported options, by option name.
    private static let advice: [String: String] = [
        "-q": "write it as the first argument, or write --no-config; for no output, --print ''",
        "-h": "write --print h for the head, --help for help",
        "--load-cookies": "write --cookie FILE",
        "--save-cookies": "write --cookie-jar FILE",
        "--keep-session-cookies": "leave it out, as --cookie-jar keeps them",
        "--junk-session-cookies": "leave it out, and remove cookies with tern cookies --remove",
        "--raw": "write --data TEXT, or --no-decode for a body in its content coding",
        "--tries": "write --retry TIMES",
        "--post-data": "write --data TEXT",
        "--post-file": "write --data-binary @FILE",
        "--body-data": "write --data TEXT",
        "--output-document": "write -o FILE",
        "--directory-prefix": "write --output-dir FOLDER",
        "--spider": "write --head --fail",
        "--server-response": "write --include",
        "--max-redirect": "write --max-redirects NUMBER",
        "--no-check-certificate": "write --insecure",
        "--ca-certificate": "write --cacert FILE",
        "--certificate": "write --cert FILE",
        "--private-key": "write --key FILE",
        "--cert-key": "write --key FILE",
        "--cert-key-pass": "set the variable TERN_KEY_PASSWORD",
        "--pass": "set the variable TERN_KEY_PASSWORD",
        "--cert-type": "leave it out, as the file shows its type",
        "--key-type": "leave it out, as the file shows its type",
        "--capath": "write --cacert FILE",
        "--proxy-insecure": "it is not supported",
        "--preproxy": "write --proxy URL; one proxy is supported",
        "--no-proxy": "write --proxy none",
        "--proxy-header": "it is not supported",
        "--proxy-ntlm": "NTLM is not supported; proxies that offer Basic or Digest, too, take --proxy-user",
        "--proxy-negotiate": "Negotiate is not supported; proxies that offer Basic or Digest, too, take --proxy-user",
        "--ntlm": "NTLM is not supported; servers that offer Basic or Digest, too, take --auth",
        "--negotiate": "Negotiate is not supported; servers that offer Basic or Digest, too, take --auth",
        "--http1.0": "write --http1.1",
        "--http3": "HTTP/3 is not supported; write --http2",
        "--http2-prior": "write --http2-prior-knowledge",
        "--trace": "write --verbose, or --har FILE",
        "--trace-ascii": "write --verbose, or --har FILE",
        "--libcurl": "write --curl for a command line",
        "--read-timeout": "write --timeout SECONDS",
        "--wait": "write --retry-delay SECONDS",
        "--speed-limit": "write --timeout SECONDS for a transfer that stalls",
        "--speed-time": "write --timeout SECONDS for a transfer that stalls",
        "--no-location": "write --no-follow",
        "--no-cookies": "leave it out, as cookies are kept only with --cookie-jar and --session",
        "--tls13-ciphers":
            "leave it out, as all cipher suites of TLS 1.3 are secure and offered; --ciphers is for TLS 1.2",
        "--proto-redir": "leave it out, as redirects lead only to http and https, and never from https to http",
        "--proto-default": "write https:// before the URL",
        "--local-port": "it is not supported; --interface chooses the address",
        "--tlsv1": "write --tls-min 1.0",
        "--tlsv1.0": "write --tls-min 1.0",
        "--tlsv1.1": "write --tls-min 1.1",
        "--tls-version": "write --tls-min and --tls-max",
        "--retry-connrefused": "write --retry-all-errors",
        "--verify": "write --insecure or --cacert FILE",
        "--tlsv1.2": "write --tls-min 1.2",
        "--tlsv1.3": "write --tls-min 1.3",
        "--ssl": "write --tls-min and --tls-max",
        "--all": "write -v, which shows redirects, too",
        "--stream": "leave it out, as output is never held back",
        "--quiet": "write --print '' for no output",
    ]

    /// Returns the alternative for a parser message about an unknown option, or one without its value.
    static func advice(for message: String) -> String? {
        if message.contains("Missing value for '-b") { return "to show only the body, write --print b" }
        if message.contains("Missing value for '-d") { return "to save a download, write -O or -o FILE" }
        if message.contains("'-m ") || message.contains("'-m'") { return "for the timing, write --meta" }
        guard message.contains("Unknown option"), let start = message.firstIndex(of: "'") else { return nil }
        let option = message[message.index(after: start)...].prefix { $0 != "'" && $0 != "=" }
        if let found = advice(forName: String(option)) { return found }
        guard option.hasPrefix("-"), !option.hasPrefix("--"), option.count > 2 else { return nil }
        // Several letters after one dash: finds the first one that is no option here.
        return option.dropFirst().lazy.compactMap { letter in
            advice(forName: "-\(letter)").map { "-\(letter): \($0)" }
        }.first
    }

    private static func advice(forName name: String) -> String? { advice[name] ?? CurlHabits.advice[name] }
}
