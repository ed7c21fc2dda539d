import InMemoryLogging
import Logging
import Sterna

/// A logger that keeps its lines.
struct LogLines {
    let logger: Logger
    private let handler: InMemoryLogHandler

    init(_ level: Logger.Level = .trace, provider: Logger.MetadataProvider? = nil) {
        var handler = InMemoryLogHandler()
        handler.logLevel = level
        handler.metadataProvider = provider
        self.handler = handler
        logger = Logger(label: "test") { [handler] _ in handler }
    }

    var entries: [InMemoryLogHandler.Entry] { handler.entries }

    /// Level and message of each line.
    var lines: [String] { entries.map { "\($0.level) \($0.message)" } }

    /// Everything that was written.
    var text: String { entries.map { "\($0.level) \($0.message) \($0.metadata)" }.joined(separator: "\n") }

    /// Returns the values of a key, in the order of the lines that have it.
    func values(_ key: String) -> [String] { entries.compactMap { entry in entry.metadata[key].map { "\($0)" } } }

    /// Returns the metadata of the first line with a message.
    func first(_ message: String) -> Logger.Metadata? { entries.first { "\($0.message)" == message }?.metadata }
}

extension Logger.Metadata {
    /// The keys and values, in the order of the keys; nested values in the order of their keys, too.
    var shown: String {
        map { key, value in "\(key)=\(Self.shown(value))" }.sorted().joined(separator: " ")
    }

    private static func shown(_ value: Logger.MetadataValue) -> String {
        if case .dictionary(let values) = value { return "[\(values.shown)]" }
        return "\(value)"
    }
}
