/// The parts of an exchange to show, and their style.
struct OutputStyle: Hashable, Sendable {
    var parts: Parts
    var isColoured: Bool
    var isIndented: Bool
    /// Whether the output is a terminal; control characters in it must then be replaced.
    var isTerminal: Bool
    var showsSecrets = false
    /// Whether nothing is coloured, on standard error either.
    var neverColours = false

    /// Whether bodies are passed on unchanged.
    var isRaw: Bool { !isTerminal && !isColoured && !isIndented }

    /// The parts of an exchange, by HTTPie's letters where it has one.
    struct Parts: OptionSet, Hashable, Sendable {
        let rawValue: Int

        static let requestHead = Parts(rawValue: 1)
        static let requestBody = Parts(rawValue: 2)
        static let responseHead = Parts(rawValue: 4)
        static let responseBody = Parts(rawValue: 8)
        /// The timings of the request.
        static let metrics = Parts(rawValue: 16)
        /// What the cache did, and why.
        static let cache = Parts(rawValue: 32)
        /// The code of the final status.
        static let status = Parts(rawValue: 64)
        /// The timings as JSON.
        static let timingJSON = Parts(rawValue: 128)
        static let all: Parts = [.requestHead, .requestBody, .responseHead, .responseBody]

        /// Parses letters of `HBhbscmM`; nil for any other.
        static func parse(_ letters: String) -> Parts? {
            var parts: Parts = []
            for letter in letters {
                switch letter {
                case "H": parts.insert(.requestHead)
                case "B": parts.insert(.requestBody)
                case "h": parts.insert(.responseHead)
                case "b": parts.insert(.responseBody)
                case "c": parts.insert(.cache)
                case "m": parts.insert(.metrics)
                case "M": parts.insert(.timingJSON)
                case "s": parts.insert(.status)
                default: return nil
                }
            }
            return parts
        }
    }

    /// The choices of the options.
    struct Wish: Sendable {
        var parts: Parts?
        var isVerbose = false
        var pretty: Pretty?
        var noColor = false
        var showsSecrets = false
        /// Whether the body goes to a file.
        var savesBody = false
    }

    enum Pretty: String, CaseIterable, Sendable {
        case all, colors, format, none
    }

    /// Resolves the style: options override the environment, and the environment overrides a terminal's defaults.
    static func resolve(_ wish: Wish, isTerminal: Bool, environment: Environment) -> OutputStyle {
        let usual: Parts = wish.savesBody ? [] : isTerminal ? [.responseHead, .responseBody] : .responseBody
        let coloured: Bool
        let indented: Bool
        switch wish.pretty {
        case .all: (coloured, indented) = (true, true)
        case .colors: (coloured, indented) = (true, false)
        case .format: (coloured, indented) = (false, true)
        case Pretty.none?: (coloured, indented) = (false, false)
        case nil: (coloured, indented) = (isTerminal && environment.allowsColours, isTerminal)
        }
        return OutputStyle(
            parts: wish.parts ?? (wish.isVerbose ? .all : usual), isColoured: coloured && !wish.noColor,
            isIndented: indented, isTerminal: isTerminal, showsSecrets: wish.showsSecrets,
            neverColours: wish.noColor || wish.pretty == Pretty.none)
    }
}
