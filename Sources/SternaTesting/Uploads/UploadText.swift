import SternaPlatform

/// Reads the fields of uploads.
enum UploadText {
    /// The largest number, that of 15 digits: offsets and lengths have the limit of structured fields (RFC 9651, 3.3.1).
    static let most: Int64 = 999_999_999_999_999

    /// The largest number of uploads that can be joined.
    static let mostParts = 64

    /// Returns a number of 1 to 15 digits, without its parameters; nil for anything else.
    static func number(_ text: String?) -> Int64? { value(text).flatMap(digits) }

    /// Returns a number of 1 to 15 digits; nil for anything else.
    static func digits(_ text: String) -> Int64? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    /// Returns a Boolean of a structured field, without its parameters; nil for anything else.
    static func boolean(_ text: String?) -> Bool? {
        switch value(text) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    private static func value(_ text: String?) -> String? {
        text?.split(separator: ";", omittingEmptySubsequences: false).first.map { ASCIIText.trimmed($0) }
    }

    /// Whether a text is a value of Upload-Metadata: pairs of a key, once each, and a value in base64, which may be left out.
    static func isMetadata(_ text: String) -> Bool {
        var keys: Set<String> = []
        return isVisible(text)
            && text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { pair in
                let parts = ASCIIText.trimmed(pair).split(separator: " ", omittingEmptySubsequences: false)
                guard let key = parts.first, !key.isEmpty, parts.count <= 2, keys.insert(String(key)).inserted else {
                    return false
                }
                return parts.count == 1 || Data(base64Encoded: String(parts[1])) != nil
            }
    }

    /// Returns the ids of the uploads that a value of Upload-Concat joins; nil for any other text, and for too many.
    static func parts(of concatenation: String) -> [String]? {
        guard concatenation.hasPrefix("final;") else { return nil }
        let names = concatenation.dropFirst(6).split(separator: " ")
        guard !names.isEmpty, names.count <= mostParts else { return nil }
        let ids = names.map { String($0.split(separator: "?").first?.split(separator: "/").last ?? "") }
        return ids.allSatisfy(isID) ? ids : nil
    }

    /// Whether a text is an id, 32 hexadecimal digits in lower case: nothing else becomes part of a file's name.
    static func isID(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Whether a text consists only of visible ASCII characters, spaces and tabs.
    static func isVisible(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 == 0x09 || (0x20...0x7E).contains($0) }
    }
}
