extension HTTPURL {
    /// The reason why a text is not a URL that this library can request; never contains user information.
    public enum ParseError: Error, Sendable, Equatable {
        /// The text is empty or white space.
        case empty
        /// There is no scheme, and no base URL.
        case relativeWithoutBase
        /// The scheme is not http, https, ws or wss; nil if it may be part of user information.
        case unsupportedScheme(String?)
        /// There is no host.
        case missingHost
        /// The host contains a forbidden code point.
        case forbiddenHostCodePoint(Unicode.Scalar)
        /// The host's percent-encoding is not UTF-8.
        case invalidHostEncoding
        /// The host has characters outside ASCII, and IDNA (UTS 46) has no ASCII form of it.
        case hostNotEncodable
        /// The host ends in a number but is not an IPv4 address.
        case invalidIPv4
        /// The host is in brackets but is not an IPv6 address.
        case invalidIPv6
        /// The port is not a number.
        case invalidPort
        /// The port is over 65535.
        case portOutOfRange
        /// The text, or its normalized form, is longer than ``HTTPURL/maximumLength`` bytes of UTF-8; or a host outside ASCII is
        /// longer than 1,024 bytes.
        case tooLong
    }
}

extension HTTPURL.ParseError: CustomStringConvertible {
    /// One line that states the problem and the remedy.
    public var description: String {
        switch self {
        case .empty:
            "The URL is empty; give an absolute one, such as https://host/path."
        case .relativeWithoutBase:
            "The URL has no scheme; begin it with https:// or http://, or give a base URL to resolve it against."
        case .unsupportedScheme(nil):
            "The URL does not begin with http, https, ws or wss; write one of them and :// in front."
        case .unsupportedScheme(let scheme?):
            "The scheme \"\(scheme)\" is not supported; use http, https, ws or wss, and write it in front of a host "
                + "and port, as in http://host:8080."
        case .missingHost:
            "The URL has no host; write one after ://, and percent-encode any @ or / in a user name or password."
        case .forbiddenHostCodePoint(let scalar):
            "The host contains \(Self.name(scalar)), which is not allowed in a host; remove it, or percent-encode it if it is "
                + "part of a user name or password."
        case .invalidHostEncoding:
            "The host's percent-encoding is not UTF-8; write the host name without percent-encoding."
        case .hostNotEncodable:
            "The host has characters outside ASCII that could not be converted by IDNA; write its xn-- form."
        case .invalidIPv4:
            "The host ends in a number but is not an IPv4 address; write four numbers from 0 to 255 with dots between."
        case .invalidIPv6:
            "The host in brackets is not an IPv6 address; write it like [2001:db8::1], with an interface like [fe80::1%25eth0]."
        case .invalidPort:
            "The port is not a number; write digits after the host's colon, and percent-encode any / in a password."
        case .portOutOfRange:
            "The port is out of range; use 0 to 65535."
        case .tooLong:
            "The URL is too long: it is limited to \(HTTPURL.maximumLength) bytes, a host outside ASCII to "
                + "\(HostParser.maximumUnicodeLength); send the data in a body."
        }
    }

    private static func name(_ scalar: Unicode.Scalar) -> String {
        let hex = String(scalar.value, radix: 16, uppercase: true)
        let code = "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
        return scalar.value > 0x20 && scalar.value < 0x7F ? "\"\(scalar)\" (\(code))" : code
    }
}
