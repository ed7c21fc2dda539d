import SternaCore

/// The value of a Strict-Transport-Security field (RFC 6797, 6.1).
struct StrictTransportSecurity: Sendable, Hashable {
    /// How long the host is to be reached by TLS only, in seconds, at most 2,147,483,647; 0 to forget it.
    let maxAge: Int

    /// Whether it is for all hosts below, too.
    let includesSubdomains: Bool

    /// The limits on a field; one beyond them is ignored.
    enum Limits {
        static let bytes = 4_096
        static let directives = 64
    }

    init(maxAge: Int, includesSubdomains: Bool) {
        self.maxAge = min(max(0, maxAge), Int(Int32.max))
        self.includesSubdomains = includesSubdomains
    }

    /// Reads the value of one line; nil if it breaks the grammar, names a directive twice, has no `max-age`, or gives
    /// `includeSubDomains` a value. Directives that are not known are passed over if they keep to the grammar.
    ///
    /// Of several lines only the first counts (8.1), also if it is invalid.
    init?(_ value: String) {
        guard value.utf8.count <= Limits.bytes else { return nil }
        var reader = DirectiveReader(value)
        var names: Set<String> = []
        var maxAge: Int?
        while true {
            reader.skipBlanks()
            if let name = reader.takeToken().map(DirectiveReader.lowercased) {
                guard names.insert(name).inserted, names.count <= Limits.directives else { return nil }
                // White space around “=” is of the grammar of then (RFC 2616, 2.1).
                reader.skipBlanks()
                var argument: String?
                if reader.take("=") {
                    reader.skipBlanks()
                    argument = reader.takeValue()
                    guard argument != nil else { return nil }
                }
                switch name {
                case "max-age":
                    maxAge = argument.flatMap(DirectiveReader.seconds)
                    guard maxAge != nil else { return nil }
                case "includesubdomains":
                    guard argument == nil else { return nil }
                default: break
                }
                reader.skipBlanks()
            }
            if reader.isAtEnd { break }
            guard reader.take(";") else { return nil }
        }
        guard let maxAge else { return nil }
        self.maxAge = maxAge
        includesSubdomains = names.contains("includesubdomains")
    }
}
