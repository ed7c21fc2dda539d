import SternaCore

/// The value of an Alt-Svc field (RFC 7838, 3).
enum AltSvcField: Sendable, Hashable {
    /// The origin's alternatives, which replace all that were known.
    case services([AlternativeService])

    /// The origin has none any more.
    case clear

    /// The limits on a field; one beyond them is ignored.
    enum Limits {
        static let bytes = 8_192
        static let services = 32
        static let parameters = 32

        /// The longest name of a protocol (RFC 7301, 3.1).
        static let protocolName = 255
    }

    /// Reads the values of all lines; nil without one, and if one of them breaks the grammar, because its meaning would be a guess.
    ///
    /// A field with both `clear` and alternatives withdraws all (3). Parameters that are not known are passed over; a parameter named
    /// twice, an unreadable `ma`, and a protocol that is not encoded as 3 requires make the field invalid.
    init?(_ lines: [String]) {
        guard lines.reduce(0, { $0 + min($1.utf8.count, Limits.bytes + 1) }) <= Limits.bytes else { return nil }
        var services: [AlternativeService] = []
        var isCleared = false
        for line in lines {
            var reader = DirectiveReader(line)
            while true {
                reader.skipBlanks()
                // Elements of a list may be empty (RFC 9110, 5.6.1.2).
                if let name = reader.takeToken() {
                    if reader.take("=") {
                        guard services.count < Limits.services, let service = Self.service(name, &reader) else {
                            return nil
                        }
                        services.append(service)
                    } else {
                        guard name == "clear" else { return nil }
                        isCleared = true
                    }
                    reader.skipBlanks()
                }
                if reader.isAtEnd { break }
                guard reader.take(",") else { return nil }
            }
        }
        guard isCleared || !services.isEmpty else { return nil }
        self = isCleared ? .clear : .services(services)
    }

    private static func service(_ name: String, _ reader: inout DirectiveReader) -> AlternativeService? {
        guard let protocolName = decoded(name), let authority = reader.takeQuoted(),
            let (host, port) = place(authority)
        else { return nil }
        var maxAge = 86_400
        var persists = false
        var names: Set<String> = []
        while true {
            reader.skipBlanks()
            guard reader.take(";") else { break }
            reader.skipBlanks()
            guard let name = reader.takeToken().map(DirectiveReader.lowercased), reader.take("="),
                let value = reader.takeValue(), names.insert(name).inserted, names.count <= Limits.parameters
            else { return nil }
            switch name {
            case "ma":
                guard let seconds = DirectiveReader.seconds(value) else { return nil }
                maxAge = seconds
            // Any other value has no meaning yet (3.1).
            case "persist": persists = value == "1"
            default: break
            }
        }
        return AlternativeService(
            protocolName: protocolName, host: host, port: port, maxAge: maxAge, persists: persists)
    }

    /// Returns the name of a protocol: bytes that a token may not have, and “%”, are encoded in upper case, and no others, so that
    /// each name has one form only (3).
    private static func decoded(_ token: String) -> String? {
        var bytes: [UInt8] = []
        var rest = token.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            let value = high << 4 | low
            guard value == UInt8(ascii: "%") || !FieldSyntax.isTokenByte(value) else { return nil }
            bytes.append(value)
        }
        guard bytes.count <= Limits.protocolName else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns host and port of `[host]:port`, whose host may be missing.
    private static func place(_ authority: String) -> (host: String?, port: Int)? {
        guard let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = authority.utf8[authority.utf8.index(after: colon)...]
        guard digits.count <= 5, let number = DirectiveReader.seconds(String(Substring(digits))),
            (1...65_535).contains(number)
        else { return nil }
        let name = String(authority[..<colon])
        guard !name.isEmpty else { return (nil, number) }
        // An IPv6 address needs its brackets, so that its end is not taken for a port.
        guard !name.utf8.contains(UInt8(ascii: ":")) || name.utf8.first == UInt8(ascii: "["),
            let origin = try? Origin(scheme: .https, host: name)
        else { return nil }
        return (origin.host, number)
    }
}
