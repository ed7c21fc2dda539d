import SternaPlatform

/// What stands behind a descriptor, and what the environment says of it.
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

    /// Whether text may be coloured when nobody says otherwise.
    var wantsColours: Bool { isTerminal && environment.allowsColours }

    /// Whether a line can be drawn over.
    var canRedraw: Bool { isTerminal && !environment.isDumb }

    /// Columns: asked at each call, as windows change.
    var width: Int {
        var size = winsize()
        if ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return environment.columns ?? 80
    }
}

/// The environment's say in how output looks.
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

    /// no-color.org: any value but an empty one counts.
    var allowsColours: Bool { (noColor ?? "").isEmpty && !isDumb }

    var columns: Int? { columnsText.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }

    static func variable(_ name: String) -> String? {
        // The value is copied before anything can change the environment: this program never does.
        getenv(name).map { String(cString: $0) }
    }
}
