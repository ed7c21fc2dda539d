extension Redaction {
    /// Whole names, in lower case and without word separators.
    private static let names: Set<String> = [
        "auth", "authorization", "key", "privatekey", "sig", "awsaccesskeyid", "amzcredential", "session", "code",
        "codeverifier", "samlresponse", "cookie",
    ]

    /// Words that make every name containing them a secret.
    private static let words: Set<String> = [
        "password", "passwd", "passphrase", "passcode", "pwd", "pass", "secret", "token", "bearer", "jwt", "otp",
        "totp",
        "pin", "credential", "credentials", "signature", "assertion",
    ]

    /// Prefixes of secret names without word separators.
    private static let prefixes = ["password", "passwd", "passphrase", "passcode"]

    /// Suffixes of secret names without word separators.
    private static let suffixes = [
        "password", "passwd", "passphrase", "passcode", "userpass", "secret", "token", "apikey", "accesskey",
        "secretkey",
        "signature", "assertion", "credential", "credentials", "sessionid", "sessid",
    ]

    /// Returns whether a name marks its value as secret: the whole name, or a part of it nested by brackets or dots.
    ///
    /// The name is percent-decoded first. A punctuation mark, or a capital after a small letter, ends a word; trailing digits of
    /// a word do not count.
    package static func isSecret(_ name: Substring) -> Bool {
        let bytes = PercentCoding.decode(Array(name.utf8)[...])
        return bytes.split { "[].".utf8.contains($0) }.contains(where: isSecretPart)
    }

    /// Returns whether the name of a header field indicates credentials: the standard fields and the usual names of API keys.
    package static func isSecretHeader(_ name: String) -> Bool {
        switch name.lowercased() {
        case "authorization", "proxy-authorization", "cookie", "set-cookie", "cookie2", "set-cookie2": true
        // Names that end in "-key" without being secret.
        case "idempotency-key", "sec-websocket-key": false
        default: isSecret(name[...]) || name.lowercased().hasSuffix("-key")
        }
    }

    private static func isSecretPart(_ part: ArraySlice<UInt8>) -> Bool {
        let found = split(part)
        if found.contains(where: { words.contains($0) }) { return true }
        let whole = found.joined()
        if names.contains(whole) || whole.first == "x" && names.contains(String(whole.dropFirst())) { return true }
        return prefixes.contains { whole.hasPrefix($0) } || suffixes.contains { whole.hasSuffix($0) }
    }

    /// Splits a name into words of lower-case ASCII. Other letters become question marks, since comparing them in canonical form
    /// may be slow.
    private static func split(_ part: ArraySlice<UInt8>) -> [String] {
        var found: [String] = []
        var word: [UInt8] = []
        var previousIsSmall = false
        func end() {
            let letters = word[..<((word.lastIndex { !isDigit($0) } ?? -1) + 1)]
            if !letters.isEmpty { found.append(String(decoding: letters, as: UTF8.self)) }
            word = []
        }
        for byte in part {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if previousIsSmall { end() }
                word.append(byte | 0x20)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): word.append(byte)
            case 0x80...: word.append(UInt8(ascii: "?"))
            default: end()
            }
            previousIsSmall = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
        }
        end()
        return found
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
