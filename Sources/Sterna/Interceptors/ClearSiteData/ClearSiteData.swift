import SternaCore

/// The data that a Clear-Site-Data field asks the client to remove (W3C Clear Site Data, 3.1).
struct ClearSiteData: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Stored responses of the origin.
    static let cache = ClearSiteData(rawValue: 1 << 0)

    /// Cookies, and credentials of HTTP authentication, of the registrable domain.
    static let cookies = ClearSiteData(rawValue: 1 << 1)

    /// All other data that a client stores for the origin.
    static let storage = ClearSiteData(rawValue: 1 << 2)

    /// All types: `"*"`.
    static let all: ClearSiteData = [.cache, .cookies, .storage]

    /// Reads the values of all lines. Types are quoted and case-sensitive; unknown ones are ignored, as in browsers.
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

    /// Returns the data that a response asks to remove; empty unless it was received over TLS (3.2).
    ///
    /// - Parameter isStored: whether it comes from the cache; a stored response must not remove data again.
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
