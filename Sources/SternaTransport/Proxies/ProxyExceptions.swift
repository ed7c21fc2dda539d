import SternaCore

/// Hosts that are reached without the proxy, as in `no_proxy`.
///
///     "example.com, .internal, *.lan, build:8080, 10.0.0.0/8, fd00::/8, [::1]:3000, localhost"
///
/// - The entry `*` stands for every host.
/// - A name stands for the host and all names below it, with or without `.` or `*.` in front. Case and dots at the end do not
///   count.
/// - An address or a prefix (RFC 4632, 3.1; RFC 4291, 2.3) stands for hosts that are written as addresses. An IPv6 address that
///   carries an IPv4 address counts as the latter. Zones do not count.
/// - `localhost` and every loopback address stand for all of `localhost`, names below it, 127.0.0.0/8 and ::1.
/// - A name or an address with a port stands only for that port. An IPv6 address with a port is in brackets.
///
/// Other entries are ignored, as are entries of more than 255 bytes and those after the first 10,000.
public struct ProxyExceptions: Sendable, Hashable, ExpressibleByArrayLiteral {
    private var isEverything = false
    private var loopback = Ports()
    private var names: [String: Ports] = [:]
    private var addresses: [IPAddress: Ports] = [:]
    private var prefixes: Set<IPPrefix> = []
    private var prefixLengths: Set<Int> = []

    private static let mostEntries = 10_000
    private static let longestEntry = 255

    /// Reads a list separated by commas or blanks.
    public init(_ list: String) {
        let isSeparator = { (byte: UInt8) in
            byte == UInt8(ascii: ",") || byte == 0x20 || (0x09...0x0D).contains(byte)
        }
        let entries = list.utf8.split(maxSplits: Self.mostEntries, whereSeparator: isSeparator)
        for entry in entries.prefix(Self.mostEntries) where entry.count <= Self.longestEntry {
            add(Substring(entry))
        }
    }

    /// Creates a list from its entries.
    public init(arrayLiteral elements: String...) { self.init(elements.joined(separator: ",")) }

    /// Returns whether a host is reached without the proxy.
    ///
    /// - Parameter host: a name or an address as ``HTTPURL/hostWithoutBrackets`` gives it.
    package func contains(host: String, port: Int) -> Bool {
        if isEverything { return true }
        let host = Self.plain(host)
        if loopback.contains(port), Self.isLoopback(plain: host) { return true }
        if let address = IPAddress(host)?.unmapped {
            if addresses[address]?.contains(port) == true { return true }
            return prefixLengths.contains { IPPrefix(address, length: $0).map(prefixes.contains) == true }
        }
        guard !names.isEmpty else { return false }
        var rest = host[...]
        if host.utf8.count > Self.longestEntry {
            // No entry of the list is longer.
            guard let dot = host.utf8.suffix(Self.longestEntry + 1).firstIndex(of: UInt8(ascii: ".")) else {
                return false
            }
            rest = host[host.utf8.index(after: dot)...]
        }
        while !rest.isEmpty {
            if names[String(rest)]?.contains(port) == true { return true }
            guard let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) else { break }
            rest = rest[rest.utf8.index(after: dot)...]
        }
        return false
    }

    /// Returns whether a host is this machine by its name or address: `localhost`, a name below it, 127.0.0.0/8 or ::1 (RFC
    /// 6761, 6.3).
    package static func isLoopback(_ host: String) -> Bool { isLoopback(plain: plain(host)) }

    private static func isLoopback(plain host: String) -> Bool {
        if let address = IPAddress(host) { return isLoopback(address.unmapped) }
        return host == "localhost" || host.utf8.suffix(10).elementsEqual(".localhost".utf8)
    }

    private static func isLoopback(_ address: IPAddress) -> Bool {
        address.family == .v4 ? address.bytes.first == 127 : address == IPAddress(v6: 0, 1)
    }

    // Returns the host in lower case, without brackets, without a zone and without dots at the end.
    private static func plain(_ host: String) -> String {
        var bytes = host.utf8[...]
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") { bytes = bytes.dropFirst().dropLast() }
        if bytes.contains(UInt8(ascii: ":")) { bytes = bytes.prefix { $0 != UInt8(ascii: "%") } }
        while bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        return Substring(bytes).lowercased()
    }
}

extension ProxyExceptions {
    private mutating func add(_ entry: Substring) {
        if entry == "*" {
            isEverything = true
        } else if entry.utf8.contains(UInt8(ascii: "/")) {
            add(prefix: entry)
        } else if let (host, port) = Self.parts(entry) {
            add(host: host, port)
        }
    }

    private mutating func add(prefix entry: Substring) {
        var text = entry
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        guard var prefix = IPPrefix(text) else { return }
        if prefix.length >= 96, let mapped = IPPrefix(prefix.address.unmapped, length: prefix.length - 96),
            mapped.address.family == .v4
        {
            prefix = mapped
        }
        // The bits after a prefix are zero, so no wider prefix begins with a loopback address.
        if Self.isLoopback(prefix.address) { loopback.add(nil) }
        prefixes.insert(prefix)
        prefixLengths.insert(prefix.length)
    }

    private mutating func add(host entry: Substring, _ port: Int?) {
        var text = entry
        var isName = false
        if text.hasPrefix("*.") { text = text.dropFirst(1) }
        while text.hasPrefix(".") {
            text = text.dropFirst()
            isName = true
        }
        while text.hasSuffix(".") { text = text.dropLast() }
        if text.utf8.contains(UInt8(ascii: ":")) { text = Substring(Self.plain(String(text))) }
        // In the form of a URL: A-labels, and addresses in their one form.
        guard !text.isEmpty, let origin = try? Origin(scheme: .http, host: String(text)),
            !origin.host.utf8.contains(UInt8(ascii: "*")), origin.hostKind == .domain || !isName
        else { return }
        let host = Self.plain(origin.host)
        if origin.hostKind == .domain {
            guard host != "localhost" else { return loopback.add(port) }
            guard host.utf8.count <= Self.longestEntry else { return }
            names[host, default: Ports()].add(port)
        } else if let address = IPAddress(host)?.unmapped {
            guard !Self.isLoopback(address) else { return loopback.add(port) }
            addresses[address, default: Ports()].add(port)
        }
    }

    /// Returns host and port of an entry; nil if its port is invalid.
    private static func parts(_ entry: Substring) -> (Substring, Int?)? {
        let colons = entry.utf8.count { $0 == UInt8(ascii: ":") }
        let isBracketed = entry.hasPrefix("[")
        guard let colon = entry.utf8.lastIndex(of: UInt8(ascii: ":")), isBracketed ? !entry.hasSuffix("]") : colons == 1
        else { return (entry, nil) }
        let digits = entry[entry.utf8.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = Int(digits), (1...65_535).contains(port)
        else { return nil }
        return (entry[..<colon], port)
    }
}

extension ProxyExceptions {
    /// The ports that an entry applies to.
    private struct Ports: Sendable, Hashable {
        private var isEvery = false
        private var some: Set<Int> = []

        /// Adds a port, or every port for nil.
        mutating func add(_ port: Int?) {
            guard !isEvery else { return }
            if let port {
                some.insert(port)
            } else {
                isEvery = true
                some = []
            }
        }

        func contains(_ port: Int) -> Bool { isEvery || some.contains(port) }
    }
}
