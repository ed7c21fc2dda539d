import HTTPTypes
import SternaCore
import SternaPlatform
import SternaSerialization

#if !canImport(Darwin)
// Normalization form C without Foundation; on Apple's platforms, Foundation does it.
@_spi(_Unicode) import Swift
#endif

/// Makes names for downloaded files that all file systems accept and that are not misleading.
package enum DownloadFileName {
    /// The maximum length of a name, in bytes of UTF-8.
    package static let maximumLength = 255

    /// Returns a name for a download: the server's suggestion, else the last path segment of the final URL, else `download` with
    /// the media type's usual extension.
    package static func name(for response: Response) -> String {
        if let name = name(suggestedBy: response) ?? name(of: response.url) { return name }
        return response.mediaType?.preferredFilenameExtension.map { "download.\($0)" } ?? "download"
    }

    /// Returns the safe form of the name in a response's Content-Disposition field; nil if absent.
    package static func name(suggestedBy response: Response) -> String? {
        response.section.bytes(of: .contentDisposition).first.flatMap { ContentDisposition($0)?.filename }.flatMap(safe)
    }

    /// Returns the safe form of the last segment of a URL's path; nil if the path ends in a slash.
    package static func name(of url: HTTPURL) -> String? { lastSegment(of: url).flatMap(safe) }

    /// Returns the last path segment, percent-decoded if that gives valid UTF-8; nil if the path ends in a slash.
    private static func lastSegment(of url: HTTPURL) -> String? {
        let segment = url.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last
        guard let segment, !segment.isEmpty else { return nil }
        let decoded = PercentDecoding.bytes(of: segment).flatMap { String(validating: $0, as: UTF8.self) }
        return decoded ?? String(Substring(segment))
    }

    /// Returns the safe form of a suggested name; nil if nothing is left of it. A safe name is returned unchanged.
    ///
    /// - Only the text after the last slash or backslash is used.
    /// - Control characters, changes of direction and other invisible characters are removed; `<>:"|?*` become underscores.
    /// - Dots, hyphens, tildes and white space at the beginning are removed, and dots and white space at the end: hidden files hold
    ///   settings, other programs take a leading hyphen for an option, and Windows drops trailing dots and spaces.
    /// - An underscore is put before names that Windows reserves for devices, and in place of the dot of the endings that partial
    ///   files and their sidecars have.
    /// - The name is in normalization form C, and shortened to ``maximumLength`` bytes; the extension is kept.
    package static func safe(_ suggestion: String) -> String? {
        let separators = [UInt8(ascii: "/"), UInt8(ascii: "\\")]
        let base = suggestion.utf8.split(omittingEmptySubsequences: false) { separators.contains($0) }.last
        guard let base else { return nil }
        var scalars: [Unicode.Scalar] = []
        for scalar in Substring(base).unicodeScalars where !isInvisible(scalar) {
            scalars.append(isReplaced(scalar) ? "_" : scalar)
        }
        // Far longer than any name: normalising takes quadratic time in the number of consecutive marks.
        if scalars.count > 1_024 { scalars.removeSubrange(512..<scalars.count - 512) }
        let name = trimmed(normalized(scalars))
        guard !name.isEmpty else { return nil }
        // Shortening can produce a reserved name, and the underscore can make the name too long again.
        return shortened(unreserved(shortened(unreserved(name), to: maximumLength)), to: maximumLength)
    }

    // MARK: Stem and extension

    /// Returns a name with a number before its extension, as browsers do: `name (2).txt`. The stem is shortened if necessary.
    package static func numbered(_ name: String, _ number: Int) -> String {
        let suffix = " (\(number))"
        let (stem, ending) = parts(of: name)
        let room = maximumLength - suffix.utf8.count - ending.utf8.count
        return room > 0 ? prefix(of: stem, bytes: room) + suffix + ending : prefix(of: name[...], bytes: maximumLength)
    }

    /// Splits a name into its stem and its extension with the dot; `.tar` before another extension belongs to it.
    ///
    /// An ending of more than 32 bytes, or one that begins the name, is not an extension.
    static func parts(of name: String) -> (stem: Substring, ending: Substring) {
        guard var dot = lastDot(in: name[...]) else { return (name[...], "") }
        if let inner = lastDot(in: name[..<dot]), name[inner..<dot].lowercased() == ".tar" { dot = inner }
        return (name[..<dot], name[dot...])
    }

    private static func lastDot(in text: Substring) -> String.Index? {
        guard let dot = text.utf8.lastIndex(of: UInt8(ascii: ".")), dot > text.startIndex,
            text[dot...].utf8.count <= 33
        else { return nil }
        return dot
    }

    private static func shortened(_ name: String, to limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        let (stem, ending) = parts(of: name)
        return trimmed(prefix(of: stem, bytes: limit - ending.utf8.count) + ending)
    }

    /// Returns as many whole characters as fit, or scalars of a first character that does not fit.
    static func prefix(of text: Substring, bytes limit: Int) -> String {
        guard text.utf8.count > limit else { return String(text) }
        var result = ""
        var room = limit
        for character in text {
            guard character.utf8.count <= room else { break }
            room -= character.utf8.count
            result.append(character)
        }
        guard result.isEmpty else { return result }
        for scalar in text.unicodeScalars {
            guard scalar.utf8.count <= room else { break }
            room -= scalar.utf8.count
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    // MARK: Characters

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value < 0x20 }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return true
        default:
            // The blank Braille pattern looks like a space, but has none of its properties.
            return properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint
                || scalar == "\u{2800}"
        }
    }

    private static func isReplaced(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "<", ">", ":", "\"", "|", "?", "*", "\u{FFFD}": true
        default: false
        }
    }

    private static func trimmed(_ name: String) -> String {
        var rest = name.unicodeScalars[...]
        while let first = rest.first, isTrimmed(first) || first == "-" || first == "~" { rest.removeFirst() }
        while let last = rest.last, isTrimmed(last) { rest.removeLast() }
        return String(rest)
    }

    private static func isTrimmed(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "." || scalar.properties.isWhitespace
    }

    private static func normalized(_ scalars: [Unicode.Scalar]) -> String {
        let text = String(String.UnicodeScalarView(scalars))
        guard scalars.contains(where: { $0.value >= 0x80 }) else { return text }
        // One pass does not sort the marks that U+0F73, U+0F75 and U+0F81 consist of.
        return composed(composed(text))
    }

    private static func composed(_ text: String) -> String {
        #if canImport(Darwin)
        text.precomposedStringWithCanonicalMapping
        #else
        String(String.UnicodeScalarView(text._nfc))
        #endif
    }

    private static func unreserved(_ name: String) -> String {
        var name = name
        // The suffix has one dot.
        if PartialNames.isReserved(name), let dot = name.unicodeScalars.lastIndex(of: ".") {
            name.unicodeScalars.replaceSubrange(dot...dot, with: CollectionOfOne("_"))
        }
        return isReserved(name) ? "_\(name)" : name
    }

    /// Returns whether Windows takes a name for a device: the text before the first dot counts, without trailing spaces.
    private static func isReserved(_ name: String) -> Bool {
        var stem = name.unicodeScalars.prefix { $0 != "." }
        while let last = stem.last, last.properties.isWhitespace { stem.removeLast() }
        let device = String(stem).uppercased()
        switch device {
        case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$": return true
        default:
            let scalars = device.unicodeScalars
            guard scalars.count == 4, device.hasPrefix("COM") || device.hasPrefix("LPT"), let last = scalars.last
            else { return false }
            return "0123456789¹²³".unicodeScalars.contains(last)
        }
    }
}
