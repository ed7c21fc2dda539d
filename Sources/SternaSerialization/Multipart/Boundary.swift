import SternaCore

/// The boundary between the parts of a multipart body (RFC 2046, 5.1.1).
enum Boundary {
    /// Returns a new boundary of 128 random bits, which no content contains by chance: `Boundary+` and 32 hexadecimal digits.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return "Boundary+" + digits(generator.next()) + digits(generator.next())
    }

    private static func digits(_ number: UInt64) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    /// Returns whether a boundary is valid.
    static func isValid(_ boundary: String) -> Bool {
        (1...70).contains(boundary.utf8.count) && boundary.utf8.last != UInt8(ascii: " ")
            && boundary.utf8.allSatisfy { isAlphanumeric($0) || "'()+_,-./:=? ".utf8.contains($0) }
    }

    /// Returns whether a line of the content begins with the boundary. As in lenient readers, a bare CR or LF may precede it, and
    /// text may follow it.
    static func isInside(_ content: UnsafeRawBufferPointer, _ boundary: String) -> Bool {
        let line = Array("--\(boundary)".utf8)
        var start = 0
        while start + line.count <= content.count {
            if content[start..<start + line.count].elementsEqual(line) { return true }
            guard let end = content[start...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return false }
            start = end + 1
        }
        return false
    }

    /// Returns the parameter of the media type, in quotes unless the boundary is a token.
    static func parameter(_ boundary: String) -> String {
        FieldSyntax.isToken(boundary) ? "boundary=\(boundary)" : "boundary=\"\(boundary)\""
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
