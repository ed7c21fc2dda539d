import SternaPlatform

/// The Accept-Language field (RFC 9110, 12.5.4) in AFNetworking's form: `zh-Hans;q=1, en;q=0.9`.
package enum AcceptLanguage {
    /// The maximum number of languages; the sixth has a weight of 0.5 already.
    private static let maximumCount = 6

    /// Returns the field for languages in order of preference: at most six, weighted from 1 down by 0.1; nil for none.
    ///
    /// Skips duplicates, and text that is not shaped like a language tag (RFC 5646).
    package static func value(_ languages: some Sequence<String>) -> String? {
        var tags: [String] = []
        for language in languages where tags.count < maximumCount {
            if isTag(language), !tags.contains(where: { $0.lowercased() == language.lowercased() }) {
                tags.append(language)
            }
        }
        guard !tags.isEmpty else { return nil }
        return tags.enumerated().map { "\($1);q=\($0 == 0 ? "1" : "0.\(10 - $0)")" }.joined(separator: ", ")
    }

    /// Returns the languages of the first variable among LANGUAGE, LC_ALL, LC_MESSAGES and LANG that names one.
    ///
    /// LANGUAGE is a list separated by colons. Locale names become tags: `zh_CN.UTF-8` is `zh-CN`, `sr_RS@latin` is
    /// `sr-Latn-RS`; `C` and `POSIX` name no language.
    package static func languages(environment: (String) -> String?) -> [String] {
        for name in ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"] {
            guard let value = environment(name) else { continue }
            let locales = name == "LANGUAGE" ? value.split(separator: ":") : [value[...]]
            let tags = locales.compactMap(tag)
            if !tags.isEmpty { return tags }
        }
        return []
    }

    static let standard: String? = {
        #if canImport(Darwin)
        value(Locale.preferredLanguages)
        #else
        value(languages { StandardHeaders.environment($0) })
        #endif
    }()

    private static let scripts = ["latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva"]

    private static func tag(_ locale: Substring) -> String? {
        let halves = locale.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = halves.first?.prefix(while: { $0 != "." }), name != "C", name != "POSIX" else { return nil }
        let divided = name.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "_" || $0 == "-" })
        var parts = divided.map(String.init)
        if halves.count == 2, let script = scripts[halves[1].lowercased()] { parts.insert(script, at: 1) }
        let tag = parts.joined(separator: "-")
        return isTag(tag) ? tag : nil
    }

    private static func isTag(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let language = parts.first, text.utf8.count <= 35 else { return false }
        return (2...8).contains(language.utf8.count) && language.utf8.allSatisfy(isLetter)
            && parts.dropFirst().allSatisfy { part in
                (1...8).contains(part.utf8.count) && part.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
