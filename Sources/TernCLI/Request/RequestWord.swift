/// A word of a request's command line, before the parser reads it.
enum RequestWord: Hashable, Sendable {
    /// A flag, with its name as it was written, such as `-s` or `--silent`.
    case flag(String)
    /// An option by its long name, and its value.
    case option(String, value: String, written: [String])
    /// An argument that is no option.
    case argument(String)

    /// The words for the parser.
    var written: [String] {
        switch self {
        case .flag(let name): [name]
        case .option(_, _, let written): written
        case .argument(let text): [text]
        }
    }
}

extension RequestWord {
    /// The options with values that have a letter, by that letter, with their long names.
    static let letters: [Character: String] = [
        "a": "auth", "A": "user-agent", "b": "cookie", "c": "cookie-jar", "C": "continue-at", "d": "data",
        "D": "dump-header", "e": "referer", "E": "cert", "F": "form-part", "H": "header", "K": "config",
        "m": "max-time",
        "o": "output", "p": "print", "r": "range", "T": "upload-file", "u": "auth", "U": "proxy-user", "w": "write-out",
        "x": "proxy", "X": "method",
        "z": "time-cond",
    ]

    /// The letters of flags.
    static let flagLetters: Set<Character> = [
        "4", "6", "f", "g", "G", "h", "i", "I", "j", "J", "k", "L", "n", "N", "O", "R", "s", "S", "v", "Z", ":", "#",
    ]

    /// The long names of options with values.
    static let names: Set<String> = Set(letters.values).union([
        "auth-type", "aws-sigv4", "bearer", "cacert", "cache", "cert", "ciphers", "config", "connect-timeout",
        "connect-to", "data-binary", "data-order", "data-raw", "data-urlencode", "etag-compare", "etag-save",
        "form-string", "har", "hsts", "interface", "jobs", "key", "limit-rate", "max-filesize", "max-redirects",
        "max-redirs",
        "max-time", "netrc-file", "noproxy", "oauth2-bearer", "output-dir", "parallel-max", "pin", "pinnedpubkey",
        "pretty", "proto", "request", "request-target", "resolve", "retry",
        "retry-delay", "retry-max-time", "session", "session-read-only", "style", "timeout", "tls-max", "tls-min",
        "unix-socket", "url", "url-number", "url-query", "user",
    ])

    /// The options whose value may look like an option.
    private static let unconditional: Set<String> = ["max-redirects", "max-redirs", "time-cond"]

    /// The long names of flags.
    static let flags: Set<String> = [
        "anyauth", "basic", "body", "check-status", "clobber", "compress", "compressed", "continue", "create-dirs",
        "curl", "digest", "download", "fail", "fail-early", "fail-with-body",
        "follow", "form", "format-by-default", "get", "globoff", "head", "headers", "help", "http1", "http1.1", "http2",
        "http2-prior-knowledge", "ignore-stdin", "include", "insecure", "ipv4", "ipv6", "json", "location",
        "location-trusted", "meta", "multipart", "netrc", "netrc-optional", "next", "no-buffer", "no-clobber",
        "no-color",
        "no-config", "no-decode", "no-follow", "no-http0.9", "no-progress-meter", "offline", "parallel", "path-as-is",
        "plist",
        "post301",
        "post302",
        "post303", "progress-bar", "proxy-anyauth", "proxy-basic", "proxy-digest", "remote-header-name", "remote-name",
        "remote-name-all", "remote-time",
        "remove-on-error", "retry-all-errors", "show-error", "show-secrets", "silent", "timeline", "verbose", "version",
        "without-progress",
    ]

    /// Sorts the words of a command line; nil if one of them is unknown, which the parser reports.
    ///
    /// Letters may follow one dash together, and the value its letter, as in `-sofile`. A value may begin with a dash unless it
    /// looks like an option.
    static func sorted(_ words: [String]) -> [RequestWord]? {
        var result: [RequestWord] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                result += rest.map { .argument($0) }
                return result
            }
            if word == "-:" {
                result.append(.flag("--next"))
            } else if word.hasPrefix("--") {
                guard let sorted = long(word, &rest) else { return nil }
                result.append(sorted)
            } else if word.hasPrefix("-"), word.count > 1 {
                guard let sorted = short(word, &rest) else { return nil }
                result += sorted
            } else {
                result.append(.argument(word))
            }
        }
        return result
    }

    /// The options of curl that name a proxy of a kind. A proxy of SOCKS 5 resolves the names of servers.
    private static let proxies = ["socks5": "socks5://", "socks5-hostname": "socks5://"]

    private static func long(_ word: String, _ rest: inout ArraySlice<String>) -> RequestWord? {
        let name = String(word.dropFirst(2).prefix { $0 != "=" })
        if let scheme = proxies[name] {
            let end = word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) }
            guard let value = end ?? rest.popFirst() else { return nil }
            let proxy = value.contains("://") ? value : scheme + value
            return .option("proxy", value: proxy, written: ["--proxy=\(proxy)"])
        }
        if let equals = word.firstIndex(of: "=") {
            guard names.contains(name) else { return nil }
            return .option(name, value: String(word[word.index(after: equals)...]), written: [word])
        }
        if flags.contains(name) { return .flag(word) }
        guard names.contains(name), let value = value(&rest, of: name) else { return nil }
        // A value with a dash would be taken for an option.
        let written = value.hasPrefix("-") ? ["\(word)=\(value)"] : [word, value]
        return .option(name, value: value, written: written)
    }

    private static func short(_ word: String, _ rest: inout ArraySlice<String>) -> [RequestWord]? {
        var result: [RequestWord] = []
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            if flagLetters.contains(letter) {
                result.append(.flag("-\(letter)"))
                continue
            }
            guard let name = Self.letters[letter] else { return nil }
            if letters.isEmpty {
                guard let value = value(&rest, of: name) else { return nil }
                let written = value.hasPrefix("-") && value != "-" ? ["--\(name)=\(value)"] : ["-\(letter)", value]
                result.append(.option(name, value: value, written: written))
            } else {
                let value = String(letters)
                result.append(.option(name, value: value, written: ["--\(name)=\(value)"]))
            }
            break
        }
        return result
    }

    private static func value(_ rest: inout ArraySlice<String>, of name: String) -> String? {
        guard let next = rest.first, unconditional.contains(name) || !isOption(next) else { return nil }
        rest.removeFirst()
        return next
    }

    /// Whether a word is an option of this command.
    private static func isOption(_ word: String) -> Bool {
        if word.hasPrefix("--") {
            let name = String(word.dropFirst(2).prefix { $0 != "=" })
            return word == "--" || names.contains(name) || flags.contains(name)
        }
        guard word.hasPrefix("-"), let letter = word.dropFirst().first else { return false }
        return letters[letter] != nil || flagLetters.contains(letter)
    }
}
