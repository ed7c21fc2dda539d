import ArgumentParser
import Sterna

/// Shows, removes and converts the cookies of a file.
struct CookiesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cookies", abstract: "Show, remove and convert kept cookies.",
        discussion: """
            A URL selects the cookies that a request to it would carry; a host selects all
            that it may receive. A session's name needs the host or the URL that it is
            for; the host selects all of its cookies. Values are hidden without
            --show-secrets.
            """)

    @Argument(help: ArgumentHelp("A URL or a host.", valueName: "URL"))
    var url: String?

    @Option(
        name: [.customShort("c", allowingJoined: true), .customLong("cookie-jar")],
        help: ArgumentHelp("The file: a cookies.txt, or Sterna's JSON.", valueName: "file"))
    var cookieJar: String?

    @Option(help: ArgumentHelp("The session, by its name or its file.", valueName: "name"))
    var session: String?

    @Option(help: ArgumentHelp("Only cookies of this name; repeat it for others.", valueName: "name"))
    var name: [String] = []

    @Flag(help: "Remove these cookies instead of showing them.")
    var remove = false

    @Flag(help: "Remove all cookies.")
    var clear = false

    @Option(
        help: ArgumentHelp(
            "Write these cookies to a file: as JSON if its name ends in .json, else as a cookies.txt.",
            valueName: "file"))
    var to: String?

    @Flag(help: "Print the cookies as JSON.")
    var json = false

    @Flag(name: .customLong("show-secrets"), help: "Show the values.")
    var showSecrets = false

    func validate() throws {
        guard (cookieJar == nil) != (session == nil) else {
            throw ValidationError("Name one place: --cookie-jar FILE, or --session NAME.")
        }
        if let cookieJar { try StateOptions.check(jar: cookieJar) }
        if let session {
            try StateOptions.check(session: session)
            if url == nil, !SessionLocation.isPath(session) {
                throw ValidationError("The host is missing: write tern cookies --session \(session) HOST.")
            }
        }
        if [remove, clear, json, to != nil].filter(\.self).count > 1 {
            throw ValidationError("--remove, --clear, --to and --json exclude each other.")
        }
        if to?.isEmpty == true { throw ValidationError("--to takes the path of a file.") }
        if remove, name.isEmpty, selected == nil {
            throw ValidationError("--remove needs a URL or --name NAME; --clear removes all.")
        }
        if clear, !name.isEmpty || selected != nil {
            throw ValidationError("--clear removes all cookies; for some of them write --remove.")
        }
    }

    /// The URL or host whose cookies are selected; nil for all.
    private var selected: String? {
        // A host without a scheme only says which session is meant.
        if let session, !SessionLocation.isPath(session), let url, !Target.hasScheme(url) { return nil }
        return url
    }

    func run() async throws {
        let target = try url.map { text in try Target.url(Target.expand(text)) }
        let store = try CookieStore(cookieJar: cookieJar, session: session, url: target)
        let all = try await BlockingWork.run { try store.cookies() }
        let cookies = matching(all, target)
        if remove || clear {
            let count = try await store.remove(cookies)
            return printError("Removed \(count) \(count == 1 ? "cookie" : "cookies").")
        }
        if let to {
            let format = CookieSource.format(named: to)
            try await BlockingWork.run { try CookieSnapshot(cookies: cookies).write(to: to, format: format) }
            let missing = format == .cookiesText ? cookies.filter { !$0.hasTextLine } : []
            CookieSource.warn(about: missing, in: to)
            let count = cookies.count - missing.count
            return printError("Wrote \(count) \(count == 1 ? "cookie" : "cookies") to \(to).")
        }
        let terminal = Terminal.standardOutput
        let table = CookieTable(
            showsSecrets: showSecrets, isColoured: terminal.wantsColours,
            width: terminal.isTerminal ? terminal.width : nil)
        if json {
            try Descriptor.standardOutput.write(table.json(cookies).serializedString(.pretty) + "\n")
        } else if cookies.isEmpty {
            printError("No cookies.")
        } else {
            try Descriptor.standardOutput.write(table.lines(cookies).joined(separator: "\n") + "\n")
        }
    }

    /// Returns the cookies that the command line selects.
    private func matching(_ cookies: [Cookie], _ target: HTTPURL?) -> [Cookie] {
        let named = cookies.filter { cookie in
            name.isEmpty || name.contains { $0.utf8.elementsEqual(cookie.name.utf8) }
        }
        guard let selected, let target else { return named }
        guard Target.hasScheme(selected) else { return named.filter { Self.belongs($0, to: target) } }
        let jar = CookieJar(limits: .command)
        jar.restore(CookieSnapshot(cookies: named))
        return jar.cookies(for: target)
    }

    /// Whether a host may receive a cookie.
    private static func belongs(_ cookie: Cookie, to url: HTTPURL) -> Bool {
        if cookie.domain == url.host { return true }
        return !cookie.isHostOnly && url.hostKind == .domain
            && url.host.utf8.reversed().starts(with: ".\(cookie.domain)".utf8.reversed())
    }
}

/// The file whose cookies a command shows or changes.
enum CookieStore: Sendable {
    case jar(String)
    case session(SessionFile)

    /// Throws `UsageError` for a session that cannot be found.
    init(cookieJar: String?, session: String?, url: HTTPURL?) throws {
        guard let session else {
            self = .jar(cookieJar ?? "")
            return
        }
        // A path does not depend on the URL.
        let location = try SessionLocation(session, for: url ?? HTTPURL("http://localhost/"))
        self = .session(SessionFile(location: location))
    }

    /// Returns the cookies that have not expired, and waits for the disk. Throws `fileUnreadable`, also if there is no file.
    func cookies() throws(SternaError) -> [Cookie] {
        let found: CookieSnapshot
        switch self {
        case .jar(let path): found = try CookieSource.cookies(in: path)
        case .session(let file):
            guard let content = try file.load() else { throw file.missing }
            found = content.cookies
        }
        let jar = CookieJar(limits: .command)
        jar.restore(found)
        return jar.cookies
    }

    /// Removes cookies; returns how many there were. Throws `fileUnreadable` and `writeFailed`.
    func remove(_ cookies: [Cookie]) async throws -> Int {
        switch self {
        case .jar(let path):
            let format = try await BlockingWork.run { try CookieSource.format(of: path) }
            let jar = CookieJar(path: path, format: format, limits: .command, keepsSessionCookies: true)
            try await jar.load()
            let count = cookies.count { jar.remove($0) }
            try await jar.save()
            CookieSource.warn(about: jar.unsavedCookies, in: path)
            return count
        case .session(let file):
            let change = CookieChange(from: cookies, to: [])
            try await BlockingWork.run { try file.update { $0.cookies = change.applied(to: $0.cookies) } }
            return cookies.count
        }
    }
}

extension SessionFile {
    /// The error of a session that does not exist.
    fileprivate var missing: SternaError {
        let others = location.otherHosts.prefix(5).joined(separator: ", ")
        let hint = others.isEmpty ? "" : "; a session of this name is there for \(others)"
        return PrivateFile(path: location.path, title: "The session").unreadable(FileFault("it does not exist\(hint)"))
    }
}
