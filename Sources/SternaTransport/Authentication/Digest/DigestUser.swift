import SternaCore

/// The user name of an answer in one of its three forms (RFC 7616, 3.4 and 3.4.4).
struct DigestUser: Sendable {
    /// `username="…"` or `username*=…`.
    let parameter: String

    /// Chooses the form: a hash if the server asks for it; `username*` for characters outside of printable ASCII if the server
    /// reads UTF-8; otherwise a quoted string in UTF-8.
    ///
    /// Throws `invalidHeader` for control characters in a user name that is sent as a quoted string.
    init(_ user: String, for challenge: DigestChallenge) throws(SternaError) {
        if challenge.userhash {
            parameter = "username=\"\(challenge.algorithm.hex("\(user):\(challenge.realm)"))\""
            return
        }
        let isPlain = user.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        if !isPlain, challenge.isUTF8 {
            parameter = "username*=\(Self.extended(user))"
            return
        }
        guard FieldSyntax.isValue(user) else {
            throw SternaError(
                .invalidHeader, phase: .prepare,
                "The user name holds a control character, which Digest authentication cannot send to this server.")
        }
        parameter = "username=\(DigestAuthorization.quoted(user))"
    }

    /// The extended notation (RFC 8187, 3.2).
    static func extended(_ text: String) -> String {
        var result = "UTF-8''"
        for byte in text.utf8 {
            if isAttributeByte(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + DigestHash.hex([byte]).uppercased()
            }
        }
        return result
    }

    private static func isAttributeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"),
            UInt8(ascii: "&"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"),
            UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
