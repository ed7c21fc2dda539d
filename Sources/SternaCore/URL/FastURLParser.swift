/// Parses URLs that are already in normal form, and returns nil for all others.
///
/// Its result always equals that of ``URLParser`` for the same bytes; it is only faster. Buffers are read only during the call, and
/// every index is compared with `count` first, since release builds do not check it.
enum FastURLParser {
    private struct Target {
        var text: String
        var pathLength: Int
        var fragment: String?
    }

    /// Parses an absolute URL without user information whose host is a name or a dotted IPv4 address.
    static func absolute(_ input: UnsafeBufferPointer<UInt8>) -> HTTPURL.Storage? {
        guard input.count < HTTPURL.maximumLength, let (scheme, hostStart) = scheme(input) else { return nil }
        var index = hostStart
        var label = hostStart
        while index < input.count, ByteSet.plainDomain.contains(input[index]) {
            if input[index] == UInt8(ascii: ".") { label = index + 1 }
            index += 1
        }
        let hostEnd = index
        guard hostEnd > hostStart else { return nil }
        var kind = HTTPURL.HostKind.domain
        if label == hostEnd {
            // A label before a final dot may be a number too.
            return nil
        } else if isDigit(input[label]) {
            guard isDottedIPv4(input, hostStart..<hostEnd) else { return nil }
            kind = .ipv4
        }
        var authorityEnd = hostEnd
        var port: UInt16?
        if index < input.count, input[index] == UInt8(ascii: ":") {
            index += 1
            // A leading zero would have to be removed.
            guard index < input.count, isDigit(input[index]), input[index] != UInt8(ascii: "0") else { return nil }
            var value = 0
            while index < input.count, isDigit(input[index]) {
                value = value * 10 + Int(input[index] - UInt8(ascii: "0"))
                guard value <= 65_535 else { return nil }
                index += 1
            }
            if value != scheme.defaultPort {
                port = UInt16(truncatingIfNeeded: value)
                authorityEnd = index
            }
        }
        guard let target = target(input, from: index) else { return nil }
        return HTTPURL.Storage(
            scheme: scheme, userinfo: "", authority: string(input, hostStart..<authorityEnd),
            hostLength: hostEnd - hostStart, hostKind: kind, port: port, target: target.text,
            pathLength: target.pathLength, fragment: target.fragment)
    }

    /// Parses a reference that begins with one slash: path, query and fragment on the base's authority.
    static func absolutePath(_ input: UnsafeBufferPointer<UInt8>, base: HTTPURL.Storage) -> HTTPURL.Storage? {
        let slash = UInt8(ascii: "/")
        guard input.count <= HTTPURL.maximumLength - base.prefixLength, input.first == slash,
            input.count == 1 || input[1] != slash, let target = target(input, from: 0)
        else { return nil }
        return base.replacing(target: target.text, pathLength: target.pathLength, fragment: target.fragment)
    }

    private static func scheme(_ input: UnsafeBufferPointer<UInt8>) -> (HTTPURL.Scheme, Int)? {
        guard input.count > 6 else { return nil }
        var index = 0
        var scheme: HTTPURL.Scheme
        if input[0] == UInt8(ascii: "h") {
            guard input[1] == UInt8(ascii: "t"), input[2] == UInt8(ascii: "t"), input[3] == UInt8(ascii: "p") else {
                return nil
            }
            index = 4
            scheme = .http
        } else {
            guard input[0] == UInt8(ascii: "w"), input[1] == UInt8(ascii: "s") else { return nil }
            index = 2
            scheme = .ws
        }
        if input[index] == UInt8(ascii: "s") {
            index += 1
            scheme = scheme == .http ? .https : .wss
        }
        guard input.count > index + 3, input[index] == UInt8(ascii: ":"), input[index + 1] == UInt8(ascii: "/"),
            input[index + 2] == UInt8(ascii: "/")
        else { return nil }
        return (scheme, index + 3)
    }

    /// Parses path, query and fragment from `start` to the end; nil if any part must be normalized.
    private static func target(_ input: UnsafeBufferPointer<UInt8>, from start: Int) -> Target? {
        guard start < input.count else { return Target(text: "/", pathLength: 1, fragment: nil) }
        guard input[start] == UInt8(ascii: "/"), let pathEnd = endOfPath(input, from: start) else { return nil }
        var targetEnd = pathEnd
        if pathEnd < input.count, input[pathEnd] == UInt8(ascii: "?") {
            targetEnd += 1
            while targetEnd < input.count, ByteSet.query.contains(input[targetEnd]) { targetEnd += 1 }
        }
        var fragment: String?
        if targetEnd < input.count {
            guard input[targetEnd] == UInt8(ascii: "#") else { return nil }
            for index in targetEnd + 1..<input.count where !ByteSet.fragment.contains(input[index]) { return nil }
            fragment = string(input, targetEnd + 1..<input.count)
        }
        return Target(text: string(input, start..<targetEnd), pathLength: pathEnd - start, fragment: fragment)
    }

    private static func endOfPath(_ input: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < input.count {
            let byte = input[index]
            if !ByteSet.plainPath.contains(byte) {
                switch byte {
                case UInt8(ascii: "/"):
                    if index + 1 < input.count, input[index + 1] == UInt8(ascii: "."), isDotSegment(input, index + 1) {
                        return nil
                    }
                case UInt8(ascii: "%"):
                    // "%2e" counts as a dot.
                    if index + 2 < input.count, input[index + 1] == UInt8(ascii: "2"),
                        input[index + 2] | 0x20 == UInt8(ascii: "e")
                    {
                        return nil
                    }
                case UInt8(ascii: "?"), UInt8(ascii: "#"):
                    return index
                default:
                    return nil
                }
            }
            index += 1
        }
        return index
    }

    /// Whether the segment whose first dot is at `dot` is "." or "..".
    private static func isDotSegment(_ input: UnsafeBufferPointer<UInt8>, _ dot: Int) -> Bool {
        var end = dot + 1
        if end < input.count, input[end] == UInt8(ascii: ".") { end += 1 }
        guard end < input.count else { return true }
        // The full parser handles "%" and "\" after the dots.
        return !ByteSet.plainPath.contains(input[end])
    }

    private static func isDottedIPv4(_ input: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
        var dots = 0
        var value = 0
        var length = 0
        for index in range {
            let byte = input[index]
            if byte == UInt8(ascii: ".") {
                guard length > 0, dots < 3 else { return false }
                dots += 1
                value = 0
                length = 0
            } else {
                // A leading zero would make it octal.
                guard isDigit(byte), length == 0 || value != 0 else { return false }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
                length += 1
                guard value <= 255 else { return false }
            }
        }
        return dots == 3 && length > 0
    }

    @inline(__always)
    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }

    @inline(__always)
    private static func string(_ input: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> String {
        // The range lies within the buffer, and the bytes are copied before this returns.
        String(decoding: UnsafeBufferPointer(rebasing: input[range]), as: UTF8.self)
    }
}
