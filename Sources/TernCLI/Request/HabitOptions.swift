import ArgumentParser

/// Options in the form that users of curl and HTTPie expect.
enum HabitOptions {
    /// Parses a header field of curl's `-H`: `Name: value`, `Name:` removes one, `Name;` sends it empty.
    static func headerItem(_ text: String) throws -> Item {
        if text.hasPrefix("@") {
            throw ValidationError(
                "--header takes one field, as in -H 'Name: value'; files of fields are not supported.")
        }
        if let colon = text.firstIndex(of: ":"), colon > text.startIndex {
            let name = String(text[..<colon])
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return value.isEmpty ? .removedHeader(name: name) : .header(name: name, value: String(value))
        }
        guard text.hasSuffix(";"), text.count > 1 else {
            // The text may be secret.
            throw ValidationError("--header takes a name, a colon and a value, as in -H 'Name: value'.")
        }
        return .header(name: String(text.dropLast()), value: "")
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

    /// Whether a value of curl's `-b` has cookies; otherwise it names a file of cookies. An empty one does nothing.
    static func isCookies(_ text: String) -> Bool { text.contains("=") }

    /// Parses cookies of curl's `-b`; nil if there are only files. HTTPie's `-b` is an option without a value.
    static func cookieItem(_ cookies: [String]) throws -> Item? {
        if cookies.contains(where: { $0.contains("://") }) {
            throw ValidationError(
                "-b takes cookies, as in -b name=value, or a file of cookies. To show the body alone, write --print b.")
        }
        let pairs = cookies.filter(isCookies)
        return pairs.isEmpty ? nil : .header(name: "Cookie", value: pairs.joined(separator: "; "))
    }

    /// The alternatives to unsupported options, by option name.
    private static let advice: [String: String] = [
        "-F": "write --form, and name=value or name@file after the URL",
        "-T": "write tern upload FILE URL",
        "-S": "leave it out, as errors are always shown",
        "-G": "write name==value after the URL for the query",
        "-e": "write Referer:URL after the URL",
        "-m": "write --max-time SECONDS; for the timing, --print m",
        "-E": "write --cert FILE",
        "-K": "configuration files are not supported",
        "-q": "leave it out, as configuration files are not supported",
        "-r": "write Range:bytes=0-99 after the URL",
        "-z": "write If-Modified-Since:DATE after the URL",
        "-N": "leave it out, as output is never held back",
        "-#": "leave it out; a progress bar is drawn on a terminal",
        "-h": "write --print h for the head, --help for help",
        "--continue-at": "write tern download --continue URL",
        "--load-cookies": "write --cookie FILE",
        "--save-cookies": "write --cookie-jar FILE",
        "--keep-session-cookies": "leave it out, as --cookie-jar keeps them",
        "--junk-session-cookies": "leave it out, and remove cookies with tern cookies --remove",
        "--basic": "write --auth-type basic, or leave it out",
        "--digest": "write --auth-type digest",
        "--anyauth": "leave it out; the strongest scheme that the server offers is used",
        "--netrc-optional": "write --netrc",
        "--oauth2-bearer": "write --bearer TOKEN",
        "--data-raw": "write --data TEXT",
        "--data-binary": "write --data TEXT or --data @FILE",
        "--data-urlencode": "write --form, and name=value after the URL",
        "--raw": "write --data TEXT",
        "--form-string": "write --form, and name=value after the URL",
        "--upload-file": "write tern upload FILE URL",
        "--get": "write name==value after the URL for the query",
        "--location": "leave it out, as redirects are followed; --no-follow does not",
        "--connect-timeout": "write --timeout SECONDS",
        "--retry-connrefused": "write --retry-all-errors",
        "--verify": "write --insecure or --cacert FILE",
        "--pinnedpubkey": "write --pin sha256/BASE64",
        "--tlsv1.2": "write --tls-min 1.2",
        "--tlsv1.3": "write --tls-min 1.3",
        "--ssl": "write --tls-min and --tls-max",
        "--referer": "write Referer:URL after the URL",
        "--range": "write Range:bytes=0-99 after the URL",
        "--compressed": "leave it out, as responses are decoded",
        "--show-error": "leave it out, as errors are always shown",
        "--all": "write -v, which shows redirects, too",
        "--stream": "leave it out, as output is never held back",
        "--quiet": "write --print '' for no output",
    ]

    /// Returns the alternative for a parser message about an unknown option, or one without its value.
    static func advice(for message: String) -> String? {
        if message.contains("Missing value for '-b") { return "to show the body alone, write --print b" }
        if message.contains("Missing value for '-d") { return "to save a download, write -O or -o FILE" }
        guard message.contains("Unknown option"), let start = message.firstIndex(of: "'") else { return nil }
        let option = message[message.index(after: start)...].prefix { $0 != "'" && $0 != "=" }
        if let found = advice[String(option)] { return found }
        guard option.hasPrefix("-"), !option.hasPrefix("--"), option.count > 2 else { return nil }
        // Several letters after one dash: finds the first one that is no option here.
        return option.dropFirst().lazy.compactMap { letter in
            advice["-\(letter)"].map { "-\(letter): \($0)" }
        }.first
    }
}
