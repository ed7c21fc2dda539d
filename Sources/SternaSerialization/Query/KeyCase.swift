/// Changes the case of keys and separates their words.
enum KeyCase {
    /// Returns the key in lower case, its words joined by a separator.
    ///
    /// A word begins at a capital after a small letter or a digit, and at the last of several capitals before a small
    /// letter: `myURLPath` has three words. Existing separators stay.
    static func separated(_ key: String, by separator: Character) -> String {
        let characters = Array(key)
        var result = ""
        result.reserveCapacity(key.utf8.count + 8)
        for (index, character) in characters.enumerated() {
            if index > 0, character.isUppercase, beginsWord(at: index, in: characters) { result.append(separator) }
            result += character.lowercased()
        }
        return result
    }

    static func capitalized(_ key: String) -> String {
        guard let first = key.first else { return key }
        return first.uppercased() + key.dropFirst()
    }

    private static func beginsWord(at index: Int, in characters: [Character]) -> Bool {
        let before = characters[index - 1]
        if before.isLowercase || before.isNumber { return true }
        return before.isUppercase && index + 1 < characters.count && characters[index + 1].isLowercase
    }
}

extension QueryEncoder.KeyStyle {
    func changed(_ key: String, isFirst: Bool) -> String {
        switch self {
        case .asIs: key
        case .snakeCase: KeyCase.separated(key, by: "_")
        case .kebabCase: KeyCase.separated(key, by: "-")
        case .capitalized: KeyCase.capitalized(key)
        case .capitalizedFirst: isFirst ? KeyCase.capitalized(key) : key
        case .custom(let change): change(key)
        }
    }
}
