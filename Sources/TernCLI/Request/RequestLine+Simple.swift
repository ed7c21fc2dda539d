import ArgumentParser
import Sterna

/// Command lines of common options, which are read without the parser.
///
/// The parser makes every option of the command before it reads the first word, and asks the runtime for the conformances of each
/// type of option; each answer takes a search through all conformances of the program. For a short request that is three quarters of
/// its time, and a pattern of URLs would pay it for each URL.
extension RequestLine {
    /// Reads a command line that has only common options. Nil for any other, and for one that is wrong, which the
    /// parser reads and reports.
    ///
    /// The values are those that the parser would make.
    ///
    /// - Parameter line: the arguments after the name of the command.
    init?(simple line: [String]) {
        guard let words = RequestWord.sorted(line) else { return nil }
        self.init()
        for word in words {
            switch word {
            case .argument(let text): arguments.append(text)
            case .flag(let name): guard take(flag: name) else { return nil }
            case .option(let name, let value, _): guard take(option: name, value) else { return nil }
            }
        }
        do {
            // As the parser does: each group, then the whole.
            for var group in groups { try group.validate() }
            try validate()
        } catch {
            return nil
        }
    }

    private var groups: [any ParsableArguments] {
        [
            fields, texts, conditions, content, aws, credentials, headers, state, jarName, transport, redirects,
            retries, trust,
            routing, dial, output, output.format, naming, files, several, accepted,
        ]
    }

    /// Takes a flag; returns whether it is a common one.
    private mutating func take(flag name: String) -> Bool {
        switch name {
        case "-s", "--silent", "--no-progress-meter": output.silent = true
        case "-v", "--verbose": output.verbose = true
        case "-i", "--include": output.include = true
        case "--headers": output.headers = true
        case "--body": output.body = true
        case "--fail": output.fail = true
        case "-f": fields.f = true
        case "-j", "--json": fields.json = true
        case "--form": fields.form = true
        case "-I", "--head": fields.head = true
        case "--ignore-stdin": fields.ignoreStdin = true
        case "-L", "--location": redirects.location = true
        case "-k", "--insecure": trust.insecure = true
        case "-O", "--remote-name": naming.remoteName = true
        case "-S", "--show-error": accepted.showError = true
        case "-N", "--no-buffer": accepted.noBuffer = true
        case "--compressed": accepted.compressed = true
        case "--without-progress": several.withoutProgress = true
        default: return false
        }
        return true
    }

    /// Takes an option with its value; returns whether it is a common one with a value of its type.
    private mutating func take(option name: String, _ value: String) -> Bool {
        switch name {
        case "auth", "user": credentials.auth = value
        case "bearer", "oauth2-bearer": credentials.bearer = value
        case "data": fields.data.append(value)
        case "header": headers.header.append(value)
        case "method", "request": fields.method = value
        case "output": output.path = value
        case "print": output.parts = value
        case "user-agent": headers.userAgent = value
        case "write-out": output.writeOut = value
        case "connect-timeout":
            guard let seconds = Double(value) else { return false }
            transport.connectTimeout = seconds
        case "max-time":
            guard let seconds = Double(value) else { return false }
            transport.maxTime = seconds
        case "retry":
            guard let times = Int(value) else { return false }
            retries.retry = times
        case "url-number":
            guard let number = Int(value) else { return false }
            several.urlNumber = number
        default: return false
        }
        return true
    }
}
