import SternaCore

/// The value of a Strict-Transport-Security field (RFC 6797, 6.1).
struct StrictTransportSecurity: Sendable, Hashable {
    /// How long the host must be reached over TLS, in seconds, at most 2,147,483,647; 0 to forget it.
    let maxAge: Int

    /// Whether all subdomains are included.
    let includesSubdomains: Bool

    /// The limits of a field; one beyond them is ignored.
    enum Limits {
        static let bytes = 4_096
        static let directives = 64
    }

    init(maxAge: Int, includesSubdomains: Bool) {
        self.maxAge = min(max(0, maxAge), Int(Int32.max))
        self.includesSubdomains = includesSubdomains
    }

    /// Reads the value of one line; nil if it has invalid syntax, a duplicate directive, no `max-age`, or an argument of
    /// `includeSubDomains`. Unknown directives with valid syntax are ignored.
    ///
    /// Only the first of several lines counts (8.1), even if it is invalid.
    init?(_ value: String) {
        guard value.utf8.count <= Limits.bytes else { return nil }
        var reader = DirectiveReader(value)
        var names: Set<String> = []
        var maxAge: Int?
        while true {
            reader.skipBlanks()
            if let name = reader.takeToken().map(DirectiveReader.lowercased) {
                guard names.insert(name).inserted, names.count <= Limits.directives else { return nil }
                // RFC 2616, 2.1, on which the grammar is based, allows white space around “=”.
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
