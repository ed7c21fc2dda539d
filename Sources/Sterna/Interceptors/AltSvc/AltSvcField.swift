import SternaCore

/// The value of an Alt-Svc field (RFC 7838, 3).
enum AltSvcField: Sendable, Hashable {
    /// The alternatives of the origin, which replace all known ones.
    case services([AlternativeService])

    /// The origin withdraws its alternatives.
    case clear

    /// The limits of a field; one beyond them is ignored.
    enum Limits {
        static let bytes = 8_192
        static let services = 32
        static let parameters = 32

        /// The maximum length of a protocol name in bytes (RFC 7301, 3.1).
        static let protocolName = 255
    }

    /// Reads the values of all lines; nil if there are none, or one has invalid syntax, since its meaning would be a guess.
    ///
    /// A field with both `clear` and alternatives withdraws all (3). Unknown parameters are ignored. A duplicate parameter, an
    /// invalid `ma`, or a protocol name that is not encoded as section 3 requires makes the field invalid.
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
            // Other values have no meaning yet (3.1).
            case "persist": persists = value == "1"
            default: break
            }
        }
        return AlternativeService(
            protocolName: protocolName, host: host, port: port, maxAge: maxAge, persists: persists)
    }

    /// Decodes a protocol name. Only “%” and bytes that a token must not have are encoded, in upper case, so that each name has one
    /// form (3).
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

    /// Returns the host and port of `[host]:port`, in which the host may be absent.
    private static func place(_ authority: String) -> (host: String?, port: Int)? {
        guard let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = authority.utf8[authority.utf8.index(after: colon)...]
        guard digits.count <= 5, let number = DirectiveReader.seconds(String(Substring(digits))),
            (1...65_535).contains(number)
        else { return nil }
        let name = String(authority[..<colon])
        guard !name.isEmpty else { return (nil, number) }
        // An IPv6 address needs brackets, so that its end is not read as a port.
        guard !name.utf8.contains(UInt8(ascii: ":")) || name.utf8.first == UInt8(ascii: "["),
            let origin = try? Origin(scheme: .https, host: name)
        else { return nil }
        return (origin.host, number)
    }
}
