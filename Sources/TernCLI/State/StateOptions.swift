import ArgumentParser
import Sterna

/// Options for what a command keeps for later ones.
struct StateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Send the cookies of this file, and write those that servers set to it: as JSON if its name ends in .json, else as a cookies.txt.",
            valueName: "file"))
    var cookieJar: String?

    @Option(
        help: ArgumentHelp(
            "Reach hosts that ask for it by https alone, and remember them in this file, which curl's --hsts reads, too.",
            valueName: "file"))
    var hsts: String?

    @Option(
        help: ArgumentHelp(
            "Keep cookies, credentials and header fields for later requests to this host, under a name or in a file (./file.json).",
            valueName: "name"))
    var session: String?

    @Option(
        help: ArgumentHelp("The same, but change nothing once the session exists.", valueName: "name"))
    var sessionReadOnly: String?

    @Option(
        help: ArgumentHelp(
            "Keep responses in this folder, and answer from it what HTTP's rules allow; commands may share it.",
            valueName: "folder"))
    var cache: String?

    @Flag(
        help: "Send nothing: answer from the folder of --cache, also with what is stale; without it, print the request."
    )
    var offline = false

    /// Whether nothing is sent and nothing answers, so that the request is printed.
    var printsOnly: Bool { offline && cache == nil }

    func validate() throws {
        if [cookieJar, session, sessionReadOnly].compactMap(\.self).count > 1 {
            throw ValidationError(
                "--cookie-jar, --session and --session-read-only exclude each other: each is where cookies are kept.")
        }
        if let cookieJar { try Self.check(jar: cookieJar) }
        if let name = session ?? sessionReadOnly { try Self.check(session: name) }
        if hsts?.isEmpty == true || hsts == "-" { throw ValidationError("--hsts takes the path of a file.") }
        if cache?.isEmpty == true { throw ValidationError("--cache takes the path of a folder.") }
    }

    /// Throws for a path that names no file.
    static func check(jar path: String) throws(ValidationError) {
        if path.isEmpty { throw ValidationError("--cookie-jar takes the path of a file.") }
        if path == "-" {
            throw ValidationError(
                "--cookie-jar takes the path of a file; tern cookies --cookie-jar FILE shows cookies.")
        }
    }

    /// Throws for an invalid name.
    static func check(session name: String) throws(ValidationError) {
        do {
            try SessionLocation.check(name)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
