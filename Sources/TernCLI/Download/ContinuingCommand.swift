import Sterna

/// The command line that continues interrupted downloads, with `***` in place of secrets.
struct ContinuingCommand {
    private var words = ["tern", "download", "--continue"]

    /// Whether a secret is missing in it.
    private(set) var hidesSecrets = false

    /// The command for a POSIX shell.
    var text: String { words.joined(separator: " ") }

    init(
        urls: [HTTPURL], saving: SavingOptions, sender: SenderOptions, aws: AWSOptions, items: [Item] = [],
        connection: ConnectionOptions, trust: TrustOptions, routing: RoutingOptions
    ) {
        add(saving)
        add("--aws-sigv4", aws.awsSigv4)
        add(sender, items)
        add(connection)
        add(trust)
        add(routing)
        for url in urls { add(url) }
    }

    private mutating func add(_ saving: SavingOptions) {
        add("--output", saving.path)
        if saving.remoteName { words.append("-O") }
        if saving.remoteHeaderName { words.append("-J") }
        add("--into", saving.into)
        if saving.segments != 1 { add("--segments", "\(saving.segments)") }
        if saving.jobs != 4 { add("--jobs", "\(saving.jobs)") }
        add("--sha256", saving.sha256)
        if saving.silent { words.append("--silent") }
    }

    private mutating func add(_ sender: SenderOptions, _ items: [Item]) {
        add(sender.credentials)
        let fields = (try? sender.fields.header.map { try HabitOptions.headerItem($0) }) ?? []
        for item in fields + items {
            switch item {
            case .header(let name, let value):
                let shown = Redaction.shown(name, value)
                if shown != value { hidesSecrets = true }
                add("--header", shown.isEmpty ? "\(name);" : "\(name): \(shown)")
            case .removedHeader(let name): add("--header", "\(name):")
            case .query, .field, .part, .body: break
            }
        }
        add("--user-agent", sender.fields.userAgent)
        if !sender.fields.decodesContent { words.append("--no-decode") }
        for file in sender.cookieFiles { add("--cookie", file) }
        for cookie in sender.fields.cookie where HabitOptions.isCookies(cookie) {
            let pairs = cookie.split(separator: ";").map { pair in
                "\(pair.prefix { $0 != "=" })=\(Redaction.mark)".trimmingBlanks
            }
            hidesSecrets = true
            add("--cookie", pairs.joined(separator: "; "))
        }
        add("--cookie-jar", sender.state.cookieJar)
        add("--hsts", sender.state.hsts)
        add("--session", sender.state.session)
        add("--session-read-only", sender.state.sessionReadOnly)
        add("--cache", sender.state.cache)
        if sender.state.offline { words.append("--offline") }
    }

    private mutating func add(_ credentials: CredentialOptions) {
        if let auth = credentials.auth {
            // Without a password tern asks for it again.
            add("--auth", credentials.authType == .bearer ? hidden() : shown(user: auth))
        }
        add("--auth-type", credentials.authType?.rawValue)
        if credentials.basic { words.append("--basic") }
        if credentials.digest { words.append("--digest") }
        if credentials.anyauth { words.append("--anyauth") }
        if credentials.bearer != nil { add("--bearer", hidden()) }
        if credentials.netrc { words.append("--netrc") }
        if credentials.netrcOptional { words.append("--netrc-optional") }
        add("--netrc-file", credentials.netrcFile)
    }

    private mutating func shown(user text: String) -> String {
        text.contains(":") ? "\(text.prefix { $0 != ":" }):\(hidden())" : text
    }

    private mutating func add(_ connection: ConnectionOptions) {
        let transport = connection.transport
        add("--timeout", transport.timeout.map { "\($0)" })
        add("--connect-timeout", transport.connectTimeout.map { "\($0)" })
        add("--max-time", transport.maxTime.map { "\($0)" })
        add("--limit-rate", transport.limitRate)
        add(connection.redirects)
        add(connection.retries)
        if transport.http1 { words.append("--http1.1") }
        if transport.http2 { words.append("--http2") }
        if transport.http2PriorKnowledge { words.append("--http2-prior-knowledge") }
    }

    private mutating func add(_ redirects: RedirectOptions) {
        if !redirects.follow { words.append("--no-follow") }
        add("--max-redirects", redirects.limit.map { "\($0)" })
        if redirects.locationTrusted { words.append("--location-trusted") }
        if redirects.post301 { words.append("--post301") }
        if redirects.post302 { words.append("--post302") }
        if redirects.post303 { words.append("--post303") }
    }

    private mutating func add(_ retries: RetryOptions) {
        add("--retry", retries.retry.map { "\($0)" })
        add("--retry-delay", retries.retryDelay.map { "\($0)" })
        add("--retry-max-time", retries.retryMaxTime.map { "\($0)" })
        if retries.retryAllErrors { words.append("--retry-all-errors") }
    }

    private mutating func add(_ trust: TrustOptions) {
        if trust.insecure { words.append("--insecure") }
        add("--cacert", trust.cacert)
        for pin in trust.pin { add("--pin", pin) }
        add("--cert", trust.cert)
        add("--key", trust.key)
        add("--tls-min", trust.tlsMin?.rawValue)
        add("--tls-max", trust.tlsMax?.rawValue)
        for address in trust.resolve { add("--resolve", address) }
    }

    private mutating func add(_ routing: RoutingOptions) {
        if let proxy = routing.proxy {
            // Everything before the last @ of a proxy is its scheme and its credentials.
            if let at = proxy.lastIndex(of: "@") {
                let scheme = proxy.firstRange(of: "://").map { proxy[..<$0.upperBound] } ?? ""
                add("--proxy", "\(scheme)\(hidden())\(proxy[at...])")
            } else {
                add("--proxy", proxy)
            }
        }
        if let user = routing.proxyUser { add("--proxy-user", shown(user: user)) }
        if routing.proxyDigest { words.append("--proxy-digest") }
        if routing.proxyAnyauth { words.append("--proxy-anyauth") }
        add("--noproxy", routing.noproxy)
        add("--unix-socket", routing.unixSocket)
        if routing.ipv4 { words.append("--ipv4") }
        if routing.ipv6 { words.append("--ipv6") }
    }

    private mutating func add(_ url: HTTPURL) {
        let plain = url.removingFragment()
        var shown = Redaction.show(plain)
        if shown != "\(plain)" { hidesSecrets = true }
        if plain.href != plain.removingUserinfo().href, let slashes = shown.firstRange(of: "://") {
            shown.insert(contentsOf: "\(hidden())@", at: slashes.upperBound)
        }
        words.append(ShellText.quoted(shown))
    }

    private mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        // A value that begins with a hyphen would be taken for an option.
        words.append(value.hasPrefix("-") ? ShellText.quoted("\(name)=\(value)") : "\(name) \(ShellText.quoted(value))")
    }

    private mutating func hidden() -> String {
        hidesSecrets = true
        return Redaction.mark
    }
}

extension String {
    fileprivate var trimmingBlanks: String { String(drop { $0 == " " }) }
}
