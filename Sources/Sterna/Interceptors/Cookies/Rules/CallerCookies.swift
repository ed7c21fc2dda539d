import HTTPTypes

/// The cookies of a Cookie field set by the caller.
struct CallerCookies: Sendable, Hashable {
    /// The names; a cookie without an equals sign has an empty name.
    private(set) var names: Set<String> = []
    private(set) var count = 0

    /// The length of the field in bytes.
    private(set) var length = 0

    init() {}

    /// Reads a Cookie field, which may have invalid syntax: the caller's bytes are sent unchanged.
    init(field: String) {
        length = field.utf8.count
        for part in field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: true) {
            let pair = part.drop { $0 == 0x20 || $0 == 0x09 }
            guard !pair.isEmpty else { continue }
            count += 1
            var name: Substring.UTF8View = ""[...].utf8
            if let equals = pair.firstIndex(of: UInt8(ascii: "=")) { name = pair[..<equals] }
            while let last = name.last, last == 0x20 || last == 0x09 { name.removeLast() }
            names.insert(String(Substring(name)))
        }
    }
}
