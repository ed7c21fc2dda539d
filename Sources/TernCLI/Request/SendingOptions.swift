import ArgumentParser
import Sterna

/// How the content of a request is written.
struct ContentOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write queries and forms as afnetworking4, afnetworking2 or whatwg does; JSON values become its arrays, members and booleans.",
            valueName: "name"))
    var style: StyleName?

    @Flag(help: "Compress the body with gzip; few servers accept that.")
    var compress = false
}

/// Options for the header fields of a request.
struct HeaderOptions: ParsableArguments {
    @Option(
        name: [.customShort("H", allowingJoined: true), .customLong("header")],
        help: ArgumentHelp(
            "A header field, as Name:value after the URL; @file has one on each line.", valueName: "Name: value|@file"))
    var header: [String] = []

    @Option(
        name: [.customShort("A", allowingJoined: true), .customLong("user-agent")],
        help: ArgumentHelp("The User-Agent field.", valueName: "text"))
    var userAgent: String?

    @Option(
        name: [.customShort("b", allowingJoined: true), .customLong("cookie")],
        help: ArgumentHelp(
            "Send these cookies to the URL's own origin, or those of a file: a cookies.txt, or Sterna's JSON.",
            valueName: "name=value|file"))
    var cookie: [String] = []

    @Flag(
        name: .customLong("no-decode"),
        help:
            "Leave the body in its content coding. Without this option \(codings) are undone, but for a file that has the coding by its name, as a.tar.gz."
    )
    var keepsCoding = false

    /// The names of the content codings that are undone. Each command makes its help, so this asks for no conformances, which would
    /// take longer than the rest of the text.
    private static var codings: String {
        var names = ""
        for coding in ContentCoding.supported { names += names.isEmpty ? coding.rawValue : ", \(coding.rawValue)" }
        return names
    }

    /// Whether bodies are decoded.
    var decodesContent: Bool { !keepsCoding }

    func validate() throws {
        // Files are read once, with the request.
        _ = try items(header.filter { !$0.hasPrefix("@") })
    }

    /// Returns the header fields of these options as items.
    func items() throws -> [Item] { try items(header) }

    private func items(_ header: [String]) throws -> [Item] {
        var items = try header.flatMap { try HabitOptions.headerItems($0) }
        if let userAgent { items.append(try HabitOptions.userAgentItem(userAgent)) }
        if let item = try HabitOptions.cookieItem(cookie) { items.append(item) }
        return items
    }
}

/// The short name of `--cookie-jar`, only for requests, since `tern download` continues with `-c`.
struct CookieJarName: ParsableArguments {
    @Option(
        name: .customShort("c", allowingJoined: true),
        help: ArgumentHelp("The same as --cookie-jar.", valueName: "file"))
    var jar: String?
}

/// The credentials, header fields and cookies of a request, and what a command keeps of them.
struct SenderOptions {
    var credentials: CredentialOptions
    var fields: HeaderOptions
    var state: StateOptions

    /// Returns the header fields of these options as items.
    func headerItems() throws -> [Item] { try fields.items() }

    /// Whether `--cookie` names a file, or nothing, so that the requests of a command line share their cookies.
    var sharesCookies: Bool { !fields.cookie.allSatisfy(HabitOptions.isCookies) }

    /// The files of `--cookie`.
    var cookieFiles: [String] { fields.cookie.filter { !HabitOptions.isCookies($0) && !$0.isEmpty } }
}

/// Everything that a request is sent with, except its body.
struct SendingOptions {
    var content: ContentOptions
    var aws: AWSOptions
    var sender: SenderOptions

    var style: StyleName? { content.style }
    var compress: Bool { content.compress }

    /// Returns the header fields of these options as items.
    func headerItems() throws -> [Item] { try sender.headerItems() }
}

/// A command that sends requests.
///
/// Commands name all groups of options themselves: in debug builds ArgumentParser checks a group within a group four times as often
/// as the outer one, and so on at each level.
protocol SendingCommand: ConnectingCommand {
    var content: ContentOptions { get }
    var aws: AWSOptions { get }
    var credentials: CredentialOptions { get }
    var headers: HeaderOptions { get }
    var state: StateOptions { get }
    var jarName: CookieJarName { get }
}

extension SendingCommand {
    /// The options of the request.
    var request: SendingOptions {
        var state = state
        if let jar = jarName.jar { state.cookieJar = jar }
        return SendingOptions(
            content: content, aws: aws, sender: SenderOptions(credentials: credentials, fields: headers, state: state))
    }

    /// Throws if `-c` contradicts another option.
    func checkJar() throws(ValidationError) {
        guard let jar = jarName.jar else { return }
        if state.cookieJar != nil { throw ValidationError("-c and --cookie-jar mean the same; write one of them.") }
        if state.session != nil || state.sessionReadOnly != nil {
            throw ValidationError("-c and --session exclude each other: each is where cookies are kept.")
        }
        try StateOptions.check(jar: jar)
    }
}
