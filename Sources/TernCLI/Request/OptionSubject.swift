/// What options decide. One on the command line replaces those of the configuration file that decide the same.
enum OptionSubject {
    /// The options that may be given several times: those of the command line follow those of the file.
    private static let lists: Set<String> = ["connect-to", "cookie", "pin", "resolve", "url-query"]

    /// The options of one request, or of tern itself, which a configuration file cannot have.
    private static let single: Set<String> = [
        "method", "head", "get", "-G", "data", "data-binary", "data-raw", "data-urlencode", "data-order", "form-part",
        "form-string", "har", "request-target", "upload-file", "url", "url-number", "next", "config", "no-config",
        "format-by-default",
        "help",
        "-h",
        "version",
    ]

    /// Whether a configuration file can have an option.
    static func isForAll(_ word: RequestWord) -> Bool { !single.contains(name(of: word) ?? "") }

    /// Returns the subjects that an option of the command line decides.
    static func given(by word: RequestWord) -> Set<String> {
        guard let name = name(of: word) else { return [] }
        switch name {
        case "auth": return ["credentials"]
        case "bearer", "netrc", "netrc-file": return ["credentials", "token"]
        case "netrc-optional": return [name]
        case "aws-sigv4", "basic", "digest", "anyauth": return ["auth-type"]
        case "location", "follow": return ["follow"]
        case "location-trusted": return ["follow", name]
        case "no-follow": return ["follow", "redirects"]
        case "output": return ["destination", "file"]
        case "pin": return ["pin"]
        // It may mean --form.
        case "-f": return [name, "format"]
        default: return fieldOrShared(name, word)
        }
    }

    /// Returns the subjects for which the command line replaces an option of the file.
    static func replacing(_ word: RequestWord) -> Set<String> {
        guard let name = name(of: word) else { return [] }
        switch name {
        case "auth", "bearer", "netrc", "netrc-file": return ["credentials"]
        // They need a user and a password.
        case "auth-type", "aws-sigv4", "basic", "digest", "anyauth": return ["auth-type", "token"]
        case "location", "follow", "no-follow": return ["follow"]
        case "max-redirects", "location-trusted", "post301", "post302", "post303": return [name, "redirects"]
        case "output": return ["destination"]
        case "remote-header-name": return [name, "file"]
        // The password of one proxy is not for another one, nor one client's key for another's certificate.
        case "proxy-user": return [name, "proxy"]
        case "key": return [name, "cert"]
        case "insecure": return [name, "pin", "cacert"]
        default: return fieldOrShared(name, word)
        }
    }

    /// Returns the subjects that a header field decides.
    static func given(byField name: String) -> Set<String> {
        let name = name.lowercased()
        return name == "authorization" ? ["credentials", "token"] : ["field \(name)"]
    }

    private static func fieldOrShared(_ name: String, _ word: RequestWord) -> Set<String> {
        switch name {
        case "header":
            guard case .option(_, let value, _) = word else { return [] }
            return given(byField: String(value.prefix { $0 != ":" && $0 != ";" }))
        case "user-agent", "referer", "range": return given(byField: name)
        case "remote-name": return ["destination"]
        case "clobber", "no-clobber": return ["clobber"]
        case "json", "form", "multipart", "plist": return ["format"]
        case "print", "include", "headers", "body", "meta": return ["parts"]
        case "fail", "fail-with-body", "check-status": return ["status"]
        case "http1", "http1.1", "http2", "http2-prior-knowledge": return ["version"]
        case "ipv4", "ipv6": return ["family"]
        case "cookie-jar", "session", "session-read-only": return ["jar"]
        case "method", "head": return ["method"]
        case "proxy-anyauth", "proxy-basic", "proxy-digest": return ["proxy-auth"]
        default: return lists.contains(name) ? [] : [name]
        }
    }

    /// The letters of flags that share a subject with others, and their long names.
    private static let letters: [String: String] = [
        "-n": "netrc", "-L": "location", "-O": "remote-name", "-J": "remote-header-name", "-k": "insecure",
        "-j": "json",
        "-i": "include", "-4": "ipv4", "-6": "ipv6", "-I": "head",
    ]

    /// Returns the name by which an option is known here; nil for arguments.
    private static func name(of word: RequestWord) -> String? {
        let name: String
        switch word {
        case .flag(let flag): name = letters[flag] ?? (flag.hasPrefix("--") ? String(flag.dropFirst(2)) : flag)
        case .option(let option, _, _): name = option
        case .argument: return nil
        }
        let others = [
            "user": "auth", "request": "method", "max-redirs": "max-redirects", "oauth2-bearer": "bearer",
            "no-progress-meter": "silent", "pinnedpubkey": "pin",
        ]
        return others[name] ?? name
    }
}
