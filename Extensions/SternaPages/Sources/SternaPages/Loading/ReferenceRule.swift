import SternaCore

/// Decides what a reference leads to: a function of values, with a table of tests.
enum ReferenceRule {
    enum Target: Sendable, Hashable {
        /// Stays as it is: a fragment of the same document, `data:`, `javascript:`, `mailto:` and others, and what is no URL.
        case kept
        /// Becomes this absolute URL, which is not fetched.
        case absolute(String)
        /// Is fetched. The fragment is kept behind what takes the reference's place.
        case resource(HTTPURL, fragment: String?)
        /// Is longer than the limit, and stays as it is.
        case tooLong
    }

    /// Where references stand.
    struct Location: Sendable, Hashable {
        /// The URL of the document or style sheet.
        var url: HTTPURL
        /// The URL that its references are relative to.
        var base: HTTPURL

        init(url: HTTPURL, base: HTTPURL? = nil) {
            self.url = url
            self.base = base ?? url
        }

        /// The location of a document whose `base` element has a reference.
        init(url: HTTPURL, baseReference: String?) {
            self.url = url
            base = baseReference.flatMap { try? HTTPURL(ReferenceRule.trimmed($0), relativeTo: url) } ?? url
            if base.scheme != .http, base.scheme != .https { base = url }
        }
    }

    static func target(_ use: ReferenceUse, in location: Location, longest: Int) -> Target {
        let text = trimmed(use.text)
        guard !text.isEmpty else { return .kept }
        if text.utf8.first == UInt8(ascii: "#"),
            location.base.replacingFragment(nil) == location.url.replacingFragment(nil)
        {
            return .kept
        }
        // Long ones that are no http URL are kept in any case.
        if let scheme = scheme(of: text), scheme != "http", scheme != "https" { return .kept }
        guard text.utf8.count <= longest else { return .tooLong }
        guard let url = try? HTTPURL(text, relativeTo: location.base), url.scheme == .http || url.scheme == .https
        else {
            return .kept
        }
        guard use.kind != .link else { return .absolute(url.description) }
        return .resource(url.replacingFragment(nil), fragment: url.fragment)
    }

    /// The text without white space and control characters around it (URL Standard, 4.4).
    private static func trimmed(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        while let first = scalars.first, first.value <= 0x20 { scalars.removeFirst() }
        while let last = scalars.last, last.value <= 0x20 { scalars.removeLast() }
        return String(scalars)
    }

    /// The scheme of an absolute URL in lower case; tabs and line ends are ignored, as the standard does.
    static func scheme(of text: String) -> String? {
        var scheme = ""
        for byte in text.utf8.prefix(64) {
            switch byte {
            case 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: ":"): return scheme.isEmpty ? nil : scheme
            case 0x61...0x7A, 0x41...0x5A: scheme.unicodeScalars.append(Unicode.Scalar(byte | 0x20))
            case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                guard !scheme.isEmpty else { return nil }
                scheme.unicodeScalars.append(Unicode.Scalar(byte))
            default: return nil
            }
        }
        return nil
    }
}
