import ArgumentParser

/// Options for several requests of one command line. ``RequestPlan`` handles them first; the parser has them only for its help.
struct PlanOptions: ParsableArguments {
    @Option(
        name: [.customShort("K", allowingJoined: true), .customLong("config")],
        help: ArgumentHelp(
            "Read options from this file, one on each line, as “header = \"Name: value\"” or “-L”.", valueName: "file"))
    var config: [String] = []

    @Flag(
        name: .customLong("no-config"),
        help: "Leave out the options of ~/.config/tern/config, as -q does as the first argument.")
    var noConfig = false

    @Flag(
        name: .customLong("next"),
        help: "Begin another request, with options of its own.")
    var next = false

    @Flag(
        name: [.customShort("Z"), .customLong("parallel")],
        help: "Send the requests of several URLs at the same time, 50 at most; bodies are written as they arrive.")
    var parallel = false

    @Option(help: ArgumentHelp("The same with at most this number of requests.", valueName: "number"))
    var jobs: Int?

    @Option(name: .customLong("parallel-max"), help: .hidden)
    var most: Int?

    @Flag(
        name: [.customShort("g"), .customLong("globoff")],
        help: "Send {}, [] and \\ in a URL as they are. Without this option {a,b} and [1-9] stand for several URLs.")
    var globoff = false

    @Flag(name: .customLong("remote-name-all"), help: "Use -O for each URL without -o.")
    var savesAll = false

    @Flag(name: .customLong("fail-early"), help: "Begin no further request of the command line after one that fails.")
    var failsEarly = false

    @Option(name: .customLong("url"), help: .hidden)
    var urls: [String] = []

    /// Whether the configuration file chose the format of fields, which is then not a reason to read standard input.
    @Flag(name: .customLong("format-by-default"), help: .hidden)
    var formatByDefault = false

    /// Whether no progress is drawn, as ``RequestPlan`` asks for requests at the same time. Unlike with `--silent`, the command
    /// that continues an interrupted file is printed.
    @Flag(name: .customLong("without-progress"), help: .hidden)
    var withoutProgress = false

    /// The place of the request among those of a command line, from 0; set by ``RequestPlan`` for `--write-out`.
    @Option(name: .customLong("url-number"), help: .hidden)
    var urlNumber = 0
}
