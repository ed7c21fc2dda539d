import SternaCore

/// What a Clear-Site-Data field asks to forget (W3C Clear Site Data, 3.1).
struct ClearSiteData: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Stored responses of the origin.
    static let cache = ClearSiteData(rawValue: 1 << 0)

    /// Cookies, and credentials of HTTP authentication, of the registrable domain.
    static let cookies = ClearSiteData(rawValue: 1 << 1)

    /// Whatever else a client stores for the origin.
    static let storage = ClearSiteData(rawValue: 1 << 2)

    /// What `"*"` stands for.
    static let all: ClearSiteData = [.cache, .cookies, .storage]

    /// Reads the values of all lines. Types are in quotes and in the case as here; anything else is passed over, as browsers do.
    init(_ lines: some Sequence<String>) {
        self = []
        for line in lines {
            for element in line.utf8.split(separator: UInt8(ascii: ",")) {
                switch String(Substring(Self.trimmed(element))) {
                case "\"cache\"": insert(.cache)
                case "\"cookies\"": insert(.cookies)
                case "\"storage\"": insert(.storage)
                case "\"*\"": formUnion(.all)
                default: break
                }
            }
        }
    }

    /// Returns what a response asks to forget: nothing unless it came over TLS (3.2).
    ///
    /// - Parameter isStored: whether it comes from the cache, which must not repeat it.
    static func asked(by response: Response, isStored: Bool) -> ClearSiteData {
        guard response.url.scheme.isSecure, !isStored else { return [] }
        return ClearSiteData(response.section[values: "Clear-Site-Data"])
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var bytes = bytes.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }
}
