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
    /// A line with invalid syntax, a repeated parameter or more than the limits permit is ignored as a whole, because its meaning
    /// would be a guess. An unquoted list `qop=auth,auth-int` is accepted, since servers send it.
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
    private var reader: DirectiveReader

    /// Whether the last parameter is an unquoted `qop`, whose list may continue after a comma.
    private var isInQualities = false

    init(_ line: String) { reader = DirectiveReader(line) }

    /// Returns the challenges; nil if the line has invalid syntax.
    mutating func challenges() -> [AuthenticationChallenge]? {
        var found: [AuthenticationChallenge] = []
        var scheme: String?
        var parameters: [AuthenticationChallenge.Parameter] = []
        func complete() {
            if let scheme { found.append(AuthenticationChallenge(scheme, parameters: parameters)) }
        }
        while true {
            // Elements of a list may be empty (RFC 9110, 5.6.1.2).
            reader.skip { $0 == UInt8(ascii: ",") || DirectiveReader.isBlank($0) }
            guard !reader.isAtEnd else { break }
            guard let name = reader.takeToken() else { return nil }
            if scheme != nil, takeEquals() {
                guard add(name, to: &parameters) else { return nil }
            } else if isInQualities, isQuality(name), let known = parameters.popLast() {
                parameters.append(.init(known.name, "\(known.value),\(name)"))
            } else {
                complete()
                isInQualities = false
                guard found.count < AuthenticationChallenge.Limits.challenges else { return nil }
                (scheme, parameters) = (name, [])
                let isFollowed = reader.current == 0x20
                reader.skip { $0 == 0x20 }
                if isFollowed, !isAtEndOfElement {
                    if let token = takeToken68() {
                        found.append(AuthenticationChallenge(name, token: token))
                        scheme = nil
                    } else {
                        guard let first = reader.takeToken(), takeEquals(), add(first, to: &parameters) else {
                            return nil
                        }
                    }
                }
            }
            reader.skipBlanks()
            guard isAtEndOfElement else { return nil }
        }
        complete()
        return found
    }

    private mutating func add(_ name: String, to parameters: inout [AuthenticationChallenge.Parameter]) -> Bool {
        isInQualities = AuthenticationChallenge.isSame(name, "qop") && reader.current != UInt8(ascii: "\"")
        guard parameters.count < AuthenticationChallenge.Limits.parameters, let value = reader.takeValue(),
            !parameters.contains(where: { AuthenticationChallenge.isSame($0.name, name) })
        else { return false }
        parameters.append(.init(name, value))
        return true
    }

    /// Returns whether the token just read continues `qop=auth,auth-int`, which RFC 7616, 3.3, requires to be quoted.
    private func isQuality(_ name: String) -> Bool {
        guard ["auth", "auth-int"].contains(where: { AuthenticationChallenge.isSame($0, name) }) else { return false }
        // A scheme of that name would be followed by parameters.
        var ahead = self
        ahead.reader.skipBlanks()
        return ahead.isAtEndOfElement
    }

    // MARK: Pieces

    /// Whether the list's element ends here.
    private var isAtEndOfElement: Bool { reader.isAtEnd || reader.current == UInt8(ascii: ",") }

    /// Takes the equals sign between a name and its value with the white space around it, or nothing if there is none.
    private mutating func takeEquals() -> Bool {
        var ahead = reader
        ahead.skipBlanks()
        guard ahead.take("=") else { return false }
        ahead.skipBlanks()
        reader = ahead
        return true
    }

    /// Takes a value without a name (RFC 9110, 11.2), which ends the challenge, or nothing if there is none.
    private mutating func takeToken68() -> String? {
        var ahead = self
        guard var token = ahead.reader.take(while: Self.isToken68) else { return nil }
        token += ahead.reader.take(while: { $0 == UInt8(ascii: "=") }) ?? ""
        ahead.reader.skipBlanks()
        guard ahead.isAtEndOfElement else { return nil }
        self = ahead
        return token
    }

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
