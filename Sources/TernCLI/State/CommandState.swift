import Sterna
import SternaPlatform
import Synchronization

/// What a command takes over from earlier ones and leaves to later ones: its cookies, and what `--session` keeps.
struct CommandState: Sendable {
    /// The cookies of the command's requests. They reach the requests that redirects lead to, even if nothing is kept.
    let jar: CookieJar

    /// The hosts that are reached by https alone; nil without `--hsts`.
    let hsts: HSTSStore?

    /// Where responses are stored; nil for nowhere.
    let cache: ResponseCache?

    /// Whether nothing is sent.
    private let isOffline: Bool

    private let session: KeptSession?

    /// A session as it was found.
    private struct KeptSession: Sendable {
        let file: SessionFile
        let content: SessionContent
        let cookies: [Cookie]
        /// Whether nothing is written to it.
        let isReadOnly: Bool
        /// What the command line gives for each origin.
        var given: [SessionContent.Server] = []
    }

    private init(jar: CookieJar, hsts: HSTSStore?, session: KeptSession?, cache: ResponseCache?, isOffline: Bool) {
        self.jar = jar
        self.hsts = hsts
        self.session = session
        self.cache = cache
        self.isOffline = isOffline
    }

    /// Gives a command's session the cookies, the cache and the offline mode.
    func apply(to settings: inout SessionSettings) {
        settings.cookies.jar = jar
        settings.trust.hsts = hsts
        settings.cache.store = cache
        settings.cache.isOffline = isOffline
    }

    /// Reads what earlier commands have left.
    ///
    /// - Parameters:
    ///   - cookieFiles: files whose cookies are sent, and which are not changed.
    ///   - sharesCookies: whether the other requests of the command line send the cookies that servers set, as in curl with the
    ///     name of a file for `-b`, also of one that does not exist.
    ///   - headers: what the command line gives, with the credentials, for each URL.
    ///   - isKept: whether files will be written.
    /// - Throws: `fileUnreadable`; `UsageError` if the URLs cannot share one session.
    static func open(
        _ options: StateOptions, cookieFiles: [String], sharesCookies: Bool = false, urls: [HTTPURL],
        credentials: EnteredCredentials?, headers: Headers, isKept: Bool = true
    ) async throws -> CommandState {
        let (name, keptName, jarPath) = (options.session ?? options.sessionReadOnly, options.session, options.cookieJar)
        let location = try name.map { name in try Self.location(of: name, urls) }
        let (state, sources) = try await BlockingWork.run {
            if isKept {
                // A place that cannot be written is an error before anything is sent.
                if let jarPath { try checkFolder(of: jarPath, "cookies") }
                if let path = options.hsts { try checkFolder(of: path, "HSTS hosts") }
                if let location, !location.isNamed { try checkFolder(of: location.path, "session") }
            }
            // As in curl, a file that does not exist has no cookies yet.
            var sources = try cookieFiles.map { path throws(SternaError) in
                try CookieSource.exists(path) ? try CookieSource.cookies(in: path) : CookieSnapshot()
            }
            let cache = isKept ? try options.cache.map { try CacheOpening.open($0, mustExist: options.offline) } : nil
            let identity = Self.identity(location, cookieFiles)
            var jar = CookieJar(limits: .command, identity: identity)
            if sharesCookies, isKept, jarPath == nil, location == nil {
                // The jar of an earlier request has the files' cookies, and newer ones.
                let own = jar
                let known = sharedJars.withLock { jars -> CookieJar? in
                    if let known = jars[cookieFiles] { return known }
                    jars[cookieFiles] = own
                    return nil
                }
                if let known {
                    jar = known
                    sources = []
                }
            }
            var session: KeptSession?
            if let path = jarPath {
                if isKept {
                    jar = CookieJar(
                        path: path, format: try CookieSource.format(of: path), limits: .command,
                        keepsSessionCookies: true)
                } else if try CookieSource.exists(path) {
                    sources.insert(try CookieSource.cookies(in: path), at: 0)
                }
            }
            if let location {
                let file = SessionFile(location: location)
                let old = try file.load()
                let content = old ?? SessionContent()
                jar.restore(content.cookies)
                session = KeptSession(
                    file: file, content: content, cookies: jar.cookies,
                    isReadOnly: !isKept || keptName == nil && old != nil)
            }
            if var kept = session {
                let lines = headers.lines.filter { SessionFields.isKept($0.name) }
                kept.given = Self.origins(urls).map { origin in
                    var server = SessionContent.Server(origin: origin)
                    server.update(credentials, lines)
                    return server
                }
                session = kept
            }
            // The most that a store takes, since curl may have filled the file.
            let hsts = options.hsts.map { HSTSStore(path: $0, limit: 50_000, format: .curl) }
            let state = CommandState(
                jar: jar, hsts: hsts, session: session, cache: cache, isOffline: options.offline)
            return (state, sources)
        }
        // A file that cannot be used is an error before anything is sent.
        try await state.jar.load()
        try await state.hsts?.load()
        for cookies in sources { state.jar.merge(cookies) }
        return state
    }

    /// The jars that the requests of this process share, by the files whose cookies they have.
    private static let sharedJars = Mutex<[[String]: CookieJar]>([:])

    /// Throws `writeFailed` if the folder of a file that will be written does not exist.
    private static func checkFolder(of path: String, _ title: String) throws(SternaError) {
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
        guard !folder.isEmpty, FileStatus(path: folder)?.isDirectory != true else { return }
        throw FileFault(code: ENOENT, path: path).error(
            .writeFailed, title: "The file of the \(title)", path: path, what: "written")
    }

    private static func location(of name: String, _ urls: [HTTPURL]) throws(UsageError) -> SessionLocation {
        guard let first = urls.first else { throw UsageError("The URL is missing.") }
        let location = try SessionLocation(name, for: first)
        for url in urls.dropFirst() {
            let other = try SessionLocation(name, for: url)
            guard other == location else {
                throw UsageError(
                    "A session of a name is for one host, but the URLs are of several; write a path, as in --session ./\(name).json."
                )
            }
        }
        return location
    }

    /// Returns the name of a command's jar in a cache: commands of one session, or with the same files of cookies, share it.
    private static func identity(_ location: SessionLocation?, _ cookieFiles: [String]) -> String? {
        guard location != nil || !cookieFiles.isEmpty else { return nil }
        let folder = FileManager.default.currentDirectoryPath
        let files = ((location.map { [$0.path] } ?? []) + cookieFiles).map { path in
            path.hasPrefix("/") ? path : "\(folder)/\(path)"
        }
        return "tern " + files.joined(separator: "\n")
    }

    private static func origins(_ urls: [HTTPURL]) -> [Origin] {
        urls.reduce(into: []) { if !$0.contains($1.origin) { $0.append($1.origin) } }
    }

    // MARK: Requests

    /// Whether requests may get credentials or header fields of a session.
    var hasSession: Bool { session != nil }

    /// Returns the header fields and the credentials of a request: those of the command line, and those of the session that the
    /// command line does not replace. Warns if the session's are for https.
    ///
    /// - Parameter isSigned: whether a signature takes the place of the session's credentials.
    func completed(
        _ headers: Headers, _ credentials: EnteredCredentials?, for url: HTTPURL, isSigned: Bool = false
    ) -> (headers: Headers, credentials: EnteredCredentials?) {
        guard let session else { return (headers, credentials) }
        if let origin = session.content.withheld(from: url.origin) {
            printError(
                "Warning: what the session “\(session.file.location.name)” keeps for \(origin) is not sent to \(url.origin)."
            )
        }
        guard var server = session.content.server(for: url.origin) else { return (headers, credentials) }
        server.update(credentials, headers.lines)
        var all = headers
        for line in server.headers where headers[line.name] == nil {
            if !isSigned || line.name.lowercased() != "authorization" { all.append(line.name, line.value) }
        }
        return (all, isSigned ? nil : server.credentials)
    }

    /// Returns the Cookie field that the jar adds to a request's own one, for display.
    func cookieField(for request: Request) -> String? {
        let own = Set(
            (request.headers[.cookie] ?? "").split(separator: ";").map { pair in
                pair.prefix { $0 != "=" }.drop { $0 == " " }
            })
        let pairs = jar.cookies(for: request.url).filter { !own.contains($0.name[...]) }.map { cookie in
            cookie.name.isEmpty ? cookie.value : "\(cookie.name)=\(cookie.value)"
        }
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }

    // MARK: Files

    /// Writes the HSTS hosts, the cookies and the session for later commands. A file that cannot be written does not keep the
    /// others from being written. Throws `fileUnreadable` and `writeFailed`, the first of several errors.
    func save() async throws {
        // A server must not hold up a command whose response has been shown.
        await cache?.waitForRefreshes(within: .seconds(2))
        await cache?.sync()
        var failures: [any Error] = []
        // A command that has learnt nothing needs no folder that can be written.
        if let hsts, hsts.hasUnsavedChanges {
            do { try await hsts.save() } catch { failures.append(error) }
        }
        do { try await saveJar() } catch { failures.append(error) }
        do { try await saveSession() } catch { failures.append(error) }
        if let first = failures.first { throw first }
    }

    private func saveJar() async throws {
        guard let path = jar.path else { return }
        try await jar.save()
        CookieSource.warn(about: jar.unsavedCookies, in: path)
    }

    private func saveSession() async throws {
        guard let session, !session.isReadOnly else { return }
        let change = CookieChange(from: session.cookies, to: jar.cookies)
        let given = session.given.filter { $0.credentials != nil || !$0.headers.isEmpty }
        guard !change.isEmpty || !given.isEmpty else { return }
        try await BlockingWork.run {
            try session.file.update { content in
                for new in given {
                    var server = content.server(for: new.origin) ?? SessionContent.Server(origin: new.origin)
                    server.update(new.credentials, new.headers)
                    content.put(server)
                }
                if !change.isEmpty { content.cookies = change.applied(to: content.cookies) }
            }
        }
    }
}
