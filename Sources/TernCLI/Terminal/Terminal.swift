import SternaPlatform

/// The properties of a descriptor and its environment for terminal output.
struct Terminal: Sendable {
    var number: CInt
    var isTerminal: Bool
    var environment: Environment

    init(_ number: CInt, environment: Environment = .process) {
        self.number = number
        isTerminal = isatty(number) == 1
        self.environment = environment
    }

    static let standardOutput = Terminal(1)
    static let standardError = Terminal(2)

    /// Whether standard input is a terminal.
    static var isInputTerminal: Bool { isatty(StandardInput.number) == 1 }

    /// Whether text is coloured by default.
    var wantsColours: Bool { isTerminal && environment.allowsColours }

    /// Whether a line can be redrawn.
    var canRedraw: Bool { isTerminal && !environment.isDumb }

    /// The number of columns, queried on each call, as windows change.
    var width: Int {
        var size = winsize()
        if ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return environment.columns ?? 80
    }
    /// The number of rows, queried on each call.
    var rows: Int {
        var size = winsize()
        return ioctl(number, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 ? Int(size.ws_row) : 24
    }
}

/// The environment's settings for the look of output.
struct Environment: Sendable, Hashable {
    var noColor: String?
    var term: String?
    var columnsText: String?

    init(noColor: String? = nil, term: String? = nil, columns: String? = nil) {
        self.noColor = noColor
        self.term = term
        columnsText = columns
    }

    static let process = Environment(
        noColor: variable("NO_COLOR"), term: variable("TERM"), columns: variable("COLUMNS"))

    var isDumb: Bool { term == "dumb" }

    /// By no-color.org, any value but an empty one disables colour.
    var allowsColours: Bool { (noColor ?? "").isEmpty && !isDumb }

    var columns: Int? { columnsText.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }

    static func variable(_ name: String) -> String? {
        // The value is copied before the environment can change: this program never changes it.
        getenv(name).map { String(cString: $0) }
    }
}
