import ArgumentParser
import Sterna
import SternaPlatform

/// How `--auth` is sent.
enum AuthType: String, ExpressibleByArgument, CaseIterable {
    case basic, digest, bearer
    case awsSigv4 = "aws-sigv4"
}

/// Options for credentials.
struct CredentialOptions: ParsableArguments {
    @Option(
        // Joined as for curl: otherwise `-uada:secret` is an unknown option, whose name the error shows.
        name: [
            .customShort("a", allowingJoined: true), .customShort("u", allowingJoined: true), .customLong("auth"),
            .customLong("user"),
        ],
        help: ArgumentHelp(
            "The user and the password, or the token of --auth-type bearer; tern asks for a missing password.",
            valueName: "user:pass"))
    var auth: String?

    @Option(
        help: ArgumentHelp(
            "How --auth, or what --netrc has, is sent: digest only when the server asks for it; basic and bearer at once. Without this option basic, and digest if the server asks for that.",
            valueName: "basic|digest|bearer|aws-sigv4"))
    var authType: AuthType?

    @Flag(help: "The same as --auth-type basic.")
    var basic = false

    @Flag(help: "The same as --auth-type digest.")
    var digest = false

    @Flag(
        help: "Send --auth only when the server asks for it, by the strongest of the schemes that it offers.")
    var anyauth = false

    @Option(name: [.long, .customLong("oauth2-bearer")], help: ArgumentHelp("A bearer token.", valueName: "token"))
    var bearer: String?

    @Flag(
        name: [.customShort("n"), .long],
        help:
            "Send the credentials that ~/.netrc has for the URL's own host, over https or to this machine; those of its “default”, and of other hosts, when a server asks."
    )
    var netrc = false

    @Option(help: ArgumentHelp("The same with those of another file.", valueName: "file"))
    var netrcFile: String?

    @Flag(help: "The same as --netrc, but the file may be missing, and --auth takes its place.")
    var netrcOptional = false

    func validate() throws {
        if auth != nil, bearer != nil { throw ValidationError("--auth and --bearer exclude each other.") }
        let schemes = [
            (basic, "--basic"), (digest, "--digest"), (anyauth, "--anyauth"), (authType != nil, "--auth-type"),
        ].filter(\.0).map(\.1)
        if schemes.count > 1 {
            throw ValidationError(
                "\(schemes.joined(separator: " and ")) exclude each other: each says how --auth is sent.")
        }
        if let first = schemes.first, auth == nil, !usesNetrc || anyauth || authType == .awsSigv4 {
            throw ValidationError(
                authType == .awsSigv4
                    ? "--auth-type aws-sigv4 needs --auth."
                    : "\(first) needs --auth\(anyauth ? "" : " or --netrc").")
        }
        if bearer?.isEmpty == true {
            throw ValidationError("--bearer takes a token, and this one is empty; check the variable that holds it.")
        }
        if netrcFile?.isEmpty == true { throw ValidationError("--netrc-file takes the path of a file.") }
        if authType == .bearer, auth?.isEmpty == true { throw ValidationError("--auth-type bearer takes a token.") }
    }

    private var usesNetrc: Bool { netrc || netrcFile != nil || netrcOptional }

    /// The credentials of a command line.
    struct Given {
        /// Sent at once.
        var authorization: Authorization?
        /// Sent when the server asks for it.
        var credential: Credential?
        /// How challenges are answered; nil for the library's default.
        var policy: AuthenticationPolicy?

        /// Applies the credentials to a request.
        func apply(to settings: inout RequestSettings) {
            if let authorization { settings.auth.header = authorization }
            if let credential { settings.auth.credential = credential }
            if let policy { settings.auth.policy = policy }
        }
    }

    /// Returns the credentials; asks for a missing password. Nil without credentials, and for those that sign requests.
    func entered() throws -> EnteredCredentials? {
        if let bearer { return .token(bearer) }
        guard let auth, authType != .awsSigv4 else { return nil }
        if authType == .bearer { return .token(auth) }
        let (user, password) = try Self.split(auth) { "Password for \($0): " }
        return .user(user, password: password, by: scheme)
    }

    /// Which schemes the password is sent by; nil for the default.
    private var scheme: EnteredCredentials.Scheme? {
        if anyauth { return .asked }
        if digest || authType == .digest { return .digest }
        return basic || authType == .basic ? .basic : nil
    }

    /// Returns how the credentials are sent; asks for a missing password.
    func given() throws -> Given { try entered()?.given ?? Given() }

    /// The file of `--netrc`, and what it has.
    struct NetrcAccess: Sendable {
        let file: NetrcFile
        fileprivate let entries: Netrc
        fileprivate let type: AuthType?

        /// The policy that answers challenges only by the scheme of `--auth-type`; nil for the library's default.
        var policy: AuthenticationPolicy? {
            let scheme: AuthenticationScheme
            switch type {
            case .basic?: scheme = .basic
            case .digest?: scheme = .digest
            // A password of the file is no answer to a server that asks for a token.
            case .bearer?: scheme = .bearer
            case .awsSigv4?, nil: return nil
            }
            var policy = AuthenticationPolicy.standard
            policy.schemes = [scheme]
            return policy
        }

        /// Returns the credentials that are sent to a URL at once, which the entries of its own host have, and how challenges are
        /// answered.
        ///
        /// - Parameters:
        ///   - headers: the request's header fields: one of these may have credentials.
        ///   - isRouted: whether a proxy or an option may lead the request to another machine than the URL names.
        func credentials(for url: HTTPURL, headers: RequestContent, isRouted: Bool) -> CredentialOptions.Given {
            var policy = policy
            // A user in the URL chooses among the entries, and is not sent with an empty password before.
            if let user = url.user, entries.credential(for: url.host, user: user) != nil {
                var own = policy ?? .standard
                own.withholdsEmptyPasswords = true
                policy = own
            }
            let later = CredentialOptions.Given(policy: policy)
            guard type != .digest, url.userinfo?.password.isEmpty ?? true, headers.headers["Authorization"] == nil,
                !headers.removedHeaders.contains("authorization")
            else { return later }
            let isLocal = ProxyExceptions.isLoopback(url.hostWithoutBrackets) && !isRouted
            guard url.scheme.isSecure || isLocal,
                let found = entries.ownCredential(for: url.host, user: url.user)
            else { return later }
            if type == .bearer {
                return CredentialOptions.Given(authorization: .bearer(found.secret), policy: policy)
            }
            return CredentialOptions.Given(
                authorization: .basic(found.user ?? "", found.secret), credential: found, policy: policy)
        }
    }

    /// Returns the file of `--netrc` for requests that send what it has when a server asks; prints the warning about one that
    /// others can read. Throws `UsageError` for `--auth-type bearer`, as no server's question leads to a token.
    func netrcSetting() throws -> NetrcAccess? {
        guard usesNetrc else { return nil }
        guard auth != nil || authType != .bearer else {
            throw UsageError(
                "--auth-type bearer with --netrc is for requests and downloads; elsewhere write --bearer TOKEN."
            )
        }
        return try netrcAccess()
    }

    /// Returns the file of `--netrc` with what it has; prints the warning about one that others can read.
    func netrcAccess() throws(SternaError) -> NetrcAccess? {
        guard usesNetrc, !netrcOptional || auth == nil && bearer == nil else { return nil }
        let file = netrcFile.map { NetrcFile.path($0) } ?? .standard
        // One in the home folder may be missing in any case.
        if netrcOptional, let netrcFile, FileStatus(path: netrcFile) == nil, errno == ENOENT { return nil }
        // A file that cannot be used is an error at once, whether or not the server asks.
        let entries = try file.load()
        if let warning = entries.warning { printError(TerminalText.line("Warning: \(warning)")) }
        let namedType = authType ?? (digest ? .digest : basic ? .basic : nil)
        return NetrcAccess(file: file, entries: entries, type: auth == nil ? namedType : nil)
    }

    /// Splits a user and a password; asks for a missing password.
    static func split(_ text: String, question: (String) -> String) throws -> (user: String, password: String) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return (text, try PasswordPrompt.ask(question(text)))
        }
        return (String(text[..<colon]), String(text[text.utf8.index(after: colon)...]))
    }
}
