import Sterna

/// File names from URLs and servers: base names without control characters, in the current folder.
enum FileName {
    /// Returns the last path component of a URL, decoded; nil if the path ends in a slash.
    static func ofURL(_ url: HTTPURL) -> String? {
        let last = url.path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        return safe(decoded(last.utf8).flatMap { String(validating: $0, as: UTF8.self) } ?? String(last))
    }

    /// Returns the name in a Content-Disposition field (RFC 6266, 4.3), preferring `filename*` to `filename`.
    static func ofDisposition(_ field: String) -> String? {
        // The parameters follow the grammar of a media type's.
        guard let semicolon = field.firstIndex(of: ";"), let fields = MediaType("a/a\(field[semicolon...])") else {
            return nil
        }
        return fields["filename*"].flatMap(extended).flatMap(safe) ?? fields["filename"].flatMap(safe)
    }

    /// Decodes a value of RFC 8187, 3.2, in UTF-8 or Latin-1.
    private static func extended(_ value: String) -> String? {
        let pieces = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3, let bytes = decoded(pieces[2].utf8) else { return nil }
        switch pieces[0].lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }

    /// Percent-decodes bytes; nil for a percent sign without two digits.
    private static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    /// Returns the name without folders, leading dots, and characters special to terminals or file systems; nil if nothing is left.
    static func safe(_ name: String) -> String? {
        let last = name.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? ""
        var scalars = String.UnicodeScalarView()
        for scalar in last.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: continue
            default: scalars.append(scalar)
            }
        }
        // Hidden files hold the user's settings, and a leading dash is an option to other programs.
        let start = scalars.drop { $0 == "." || $0 == " " || $0 == "-" || $0 == "~" }
        var short = String(String.UnicodeScalarView(start))
        while short.utf8.count > longestName { short.unicodeScalars.removeLast() }
        while short.last == " " || short.last == "." { short.removeLast() }
        return short.isEmpty ? nil : short
    }

    /// File systems allow 255 bytes for a name; the temporary file beside it needs some of them.
    private static let longestName = 200
}
