extension AuthenticationChallenge {
    /// The limits on a peer's challenges; a line beyond them is ignored.
    package enum Limits {
        /// The bytes of all lines together.
        package static let bytes = 32 << 10

        /// The challenges of all lines together.
        package static let challenges = 32

        /// The parameters of one challenge.
        package static let parameters = 32
    }

    /// Reads the challenges of all lines of a field (RFC 9110, 11.6.1 and 11.7.1).
    ///
    /// A line that breaks the grammar, names a parameter twice or exceeds the limits is ignored as a whole, because its meaning
    /// would be a guess. Of an unquoted `qop=auth,auth-int` the list is read, since servers send it.
    ///
    /// - Parameter lines: the values of WWW-Authenticate or Proxy-Authenticate, one for each line.
    package static func parse(_ lines: some Sequence<String>) -> [AuthenticationChallenge] {
        var found: [AuthenticationChallenge] = []
        var bytesLeft = Limits.bytes
        for line in lines {
            guard line.utf8.count <= bytesLeft else { continue }
            bytesLeft -= line.utf8.count
            var reader = ChallengeReader(line)
            guard let challenges = reader.challenges(), found.count + challenges.count <= Limits.challenges else {
                continue
            }
            found += challenges
        }
        return found
    }
}

/// Reads the challenges of one line.
private struct ChallengeReader {
    private let bytes: [UInt8]
    private var index = 0

    /// Whether the last parameter is an unquoted `qop`, whose list some servers go on with after a comma.
    private var isInQualities = false

    init(_ line: String) { bytes = Array(line.utf8) }

    private var isAtEnd: Bool { index >= bytes.count }
    private var current: UInt8? { isAtEnd ? nil : bytes[index] }

    /// Returns the challenges; nil if the line breaks the grammar.
    mutating func challenges() -> [AuthenticationChallenge]? {
        var found: [AuthenticationChallenge] = []
        var scheme: String?
        var parameters: [AuthenticationChallenge.Parameter] = []
        func complete() {
            if let scheme { found.append(AuthenticationChallenge(scheme, parameters: parameters)) }
        }
        while true {
            // Elements of a list may be empty (RFC 9110, 5.6.1.2).
            skip { $0 == UInt8(ascii: ",") || Self.isBlank($0) }
            guard !isAtEnd else { break }
            guard let name = takeToken() else { return nil }
            if scheme != nil, takeEquals() {
                guard add(name, to: &parameters) else { return nil }
            } else if isInQualities, isQuality(name), let known = parameters.popLast() {
                parameters.append(.init(known.name, "\(known.value),\(name)"))
            } else {
                complete()
                isInQualities = false
                guard found.count < AuthenticationChallenge.Limits.challenges else { return nil }
                (scheme, parameters) = (name, [])
                let isFollowed = current == 0x20
                skip { $0 == 0x20 }
                if isFollowed, !isAtEnd, current != UInt8(ascii: ",") {
                    if let token = takeToken68() {
                        found.append(AuthenticationChallenge(name, token: token))
                        scheme = nil
                    } else {
                        guard let first = takeToken(), takeEquals(), add(first, to: &parameters) else { return nil }
                    }
                }
            }
            skip(Self.isBlank)
            guard isAtEnd || current == UInt8(ascii: ",") else { return nil }
        }
        complete()
        return found
    }

    private mutating func add(_ name: String, to parameters: inout [AuthenticationChallenge.Parameter]) -> Bool {
        isInQualities = AuthenticationChallenge.isSame(name, "qop") && current != UInt8(ascii: "\"")
        guard parameters.count < AuthenticationChallenge.Limits.parameters, let value = takeValue(),
            !parameters.contains(where: { AuthenticationChallenge.isSame($0.name, name) })
        else { return false }
        parameters.append(.init(name, value))
        return true
    }

    /// Whether a token that was just read is a further element of `qop=auth,auth-int`, which RFC 7616, 3.3, wants to be quoted.
    private func isQuality(_ name: String) -> Bool {
        guard ["auth", "auth-int"].contains(where: { AuthenticationChallenge.isSame($0, name) }) else { return false }
        // A scheme of that name would have parameters.
        let next = bytes[index...].first { !Self.isBlank($0) }
        return next == nil || next == UInt8(ascii: ",")
    }

    // MARK: Pieces

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while let byte = current, isSkipped(byte) { index += 1 }
    }

    private mutating func takeToken() -> String? {
        let start = index
        skip(FieldSyntax.isTokenByte)
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    /// Takes the equals sign between a name and its value with the white space around it, or nothing if there is none.
    private mutating func takeEquals() -> Bool {
        let start = index
        skip(Self.isBlank)
        guard current == UInt8(ascii: "=") else {
            index = start
            return false
        }
        index += 1
        skip(Self.isBlank)
        return true
    }

    private mutating func takeValue() -> String? {
        current == UInt8(ascii: "\"") ? takeQuoted() : takeToken()
    }

    /// A quoted string (RFC 9110, 5.6.4).
    private mutating func takeQuoted() -> String? {
        index += 1
        var value: [UInt8] = []
        while var byte = current {
            index += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = current else { return nil }
                byte = escaped
                index += 1
            }
            guard FieldSyntax.isValueByte(byte) else { return nil }
            value.append(byte)
        }
        return nil
    }

    /// Takes a value without a name (RFC 9110, 11.2), which ends the challenge, or nothing if there is none.
    private mutating func takeToken68() -> String? {
        let start = index
        skip(Self.isToken68)
        guard index > start else { return nil }
        skip { $0 == UInt8(ascii: "=") }
        let end = index
        skip(Self.isBlank)
        guard isAtEnd || current == UInt8(ascii: ",") else {
            index = start
            return nil
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isToken68(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
