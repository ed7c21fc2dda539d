import ArgumentParser
import Sterna

/// How a request is made of items.
struct SendingOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Send fields as a JSON object (the default).")
    var json = false

    @Flag(name: .shortAndLong, help: "Send fields as a form, application/x-www-form-urlencoded.")
    var form = false

    @Flag(help: "Send fields and files as the parts of a form, multipart/form-data; --form with a file does the same.")
    var multipart = false

    @Flag(help: "Send fields as a property list, application/x-plist.")
    var plist = false

    @Option(
        help: ArgumentHelp(
            "Write queries and forms as afnetworking4, afnetworking2 or whatwg does; JSON values become its arrays, members and booleans.",
            valueName: "name"))
    var style: StyleName?

    @Flag(help: "Compress the body with gzip; few servers take that.")
    var compress = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Basic credentials; the password is asked for where it is missing.", valueName: "user:pass"))
    var auth: String?

    @Option(help: ArgumentHelp("A bearer token.", valueName: "token"))
    var bearer: String?

    @Flag(name: .customLong("ignore-stdin"), help: "Send no body from standard input.")
    var ignoreStdin = false

    func validate() throws {
        if [json, form, multipart, plist].filter(\.self).count > 1 {
            throw ValidationError("--json, --form, --multipart and --plist exclude each other.")
        }
        if auth != nil, bearer != nil { throw ValidationError("--auth and --bearer exclude each other.") }
    }

    var format: FieldFormat { form ? .form : multipart ? .multipart : plist ? .propertyList : .json }

    /// The credentials; asks for a password where there is none.
    func authorization() throws -> Authorization? {
        if let bearer { return .bearer(bearer) }
        guard let auth else { return nil }
        guard let colon = auth.firstIndex(of: ":") else {
            return .basic(auth, try PasswordPrompt.ask("Password for \(auth): "))
        }
        return .basic(String(auth[..<colon]), String(auth[auth.index(after: colon)...]))
    }
}

/// How the server is reached.
struct ConnectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long to wait for the connection, the first byte, and between bytes; fractions allowed.",
            valueName: "seconds"))
    var timeout: Double?

    @Option(help: ArgumentHelp("How long everything may take, the body included.", valueName: "seconds"))
    var maxTime: Double?

    @Flag(inversion: .prefixedNo, help: "Follow redirects.")
    var follow = true

    @Flag(name: [.customLong("http1.1"), .customLong("http1")], help: "Speak HTTP/1.1 only.")
    var http1 = false

    @Flag(help: "Speak HTTP/2 with servers that choose it in the TLS handshake, which is the default.")
    var http2 = false

    @Flag(help: "Speak HTTP/2 also without TLS, to a server that is known to.")
    var http2PriorKnowledge = false

    /// When HTTP/2 is to be spoken.
    var http2Use: HTTP2Use { http1 ? .off : http2PriorKnowledge ? .priorKnowledge : .negotiated }

    func validate() throws {
        if let timeout, !(timeout > 0 && timeout <= 1e9) {
            throw ValidationError("--timeout is a number of seconds above 0.")
        }
        if let maxTime, !(maxTime > 0 && maxTime <= 1e9) {
            throw ValidationError("--max-time is a number of seconds above 0.")
        }
        if http1, http2 || http2PriorKnowledge {
            throw ValidationError("--http1.1 and --http2 exclude each other.")
        }
    }
}

/// What is shown of the exchange, and where.
struct OutputOptions: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "Save the body to a file, which appears when it is complete; - is standard output.", valueName: "file"))
    var path: String?

    @Option(
        name: .customLong("print"),
        help: ArgumentHelp(
            "What to show: H and B are the request's head and body, h and b the response's, m what it took, drawn as bars.",
            valueName: "HBhbm"))
    var parts: String?

    @Flag(name: .shortAndLong, help: "Show everything, as --print HBhb.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "Colour and lay out what is shown, also where it is piped.", valueName: "all|colors|format|none"))
    var pretty: OutputStyle.Pretty?

    @Flag(name: .customLong("no-color"), help: "Never colour.")
    var noColor = false

    @Flag(help: "Print the request as a command line for curl instead of sending it.")
    var curl = false

    @Flag(name: .customLong("show-secrets"), help: "Show credentials and cookies instead of ***.")
    var showSecrets = false

    @Flag(help: "Exit with 22 for a status of 400 or more, with the server's message.")
    var fail = false

    /// The file that the body is saved to.
    var file: String? { path == "-" ? nil : path }

    func validate() throws {
        if let parts, OutputStyle.Parts.parse(parts) == nil {
            throw ValidationError("--print takes letters of HBhbm, not “\(parts)”.")
        }
    }

    func style(isTerminal: Bool) throws -> OutputStyle {
        let wish = OutputStyle.Wish(
            parts: parts.flatMap(OutputStyle.Parts.parse), isVerbose: verbose, pretty: pretty, noColor: noColor,
            showsSecrets: showSecrets, savesBody: file != nil)
        return OutputStyle.resolve(wish, isTerminal: isTerminal, environment: .process)
    }
}

extension OutputStyle.Pretty: ExpressibleByArgument {}
