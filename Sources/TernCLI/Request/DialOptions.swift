import ArgumentParser
import NIOCore
import Sterna

/// Options for the source and the destination of connections, for the schemes, for cipher suites, and for the request target.
struct DialOptions: ParsableArguments {
    @Option(
        name: .customLong("interface"),
        help: ArgumentHelp(
            "Connect from this address, or from that of this network interface.", valueName: "name|address"))
    var source: String?

    @Option(
        help: ArgumentHelp(
            "Connect to host2 and port2 for requests to host1 and port1, where an empty one stands for that of the URL; certificates and requests keep the name.",
            valueName: "host1:port1:host2:port2"))
    var connectTo: [String] = []

    @Option(
        help: ArgumentHelp(
            "Allow only these schemes, as =https; redirects never lead from https to http.", valueName: "list"))
    var proto: String?

    @Option(
        help: ArgumentHelp(
            "Offer these cipher suites of TLS 1.2, by OpenSSL's names, separated by colons.", valueName: "list"))
    var ciphers: String?

    @Flag(help: "Leave . and .. in the URL's path as they are.")
    var pathAsIs = false

    @Option(
        help: ArgumentHelp(
            "Send this path and query in place of the URL's, as they are; -O takes the name from the URL.",
            valueName: "path"))
    var requestTarget: String?

    /// The names of the options that are given.
    var given: [String] {
        let all: [(name: String, isGiven: Bool)] = [
            ("--interface", source != nil), ("--connect-to", !connectTo.isEmpty), ("--proto", proto != nil),
            ("--ciphers", ciphers != nil), ("--path-as-is", pathAsIs), ("--request-target", requestTarget != nil),
        ]
        return all.filter { $0.isGiven }.map { $0.name }
    }

    func validate() throws {
        if source?.isEmpty == true {
            throw ValidationError("--interface takes an address, or the name of an interface.")
        }
        for text in connectTo { _ = try Self.parts(text) }
        _ = try suites()
        if let requestTarget, !requestTarget.hasPrefix("/") {
            throw ValidationError(
                "--request-target takes a path that begins with a slash, as in /a/../b?c; * and whole URLs are not supported."
            )
        }
        if let proto, !Self.schemes(proto).contains("https") {
            throw ValidationError("--proto must allow https, as in =https or =http,https.")
        }
    }

    /// Throws `UsageError` for a URL whose scheme is not allowed.
    func check(_ url: HTTPURL) throws(UsageError) {
        guard let proto, !Self.schemes(proto).contains(url.scheme.rawValue) else { return }
        throw UsageError(
            "The URL has \(url.scheme.rawValue)://, which --proto \(proto) does not allow; write https://.",
            status: ExitStatus.failure)
    }

    /// The schemes that are allowed: `=` begins with none, `+` adds, `-` removes.
    private static func schemes(_ list: String) -> Set<String> {
        let known: Set<String> = ["http", "https"]
        var allowed = known
        for word in list.lowercased().split(separator: ",") {
            let name = String(word.drop { "+-=".contains($0) })
            let names = name == "all" ? known : known.intersection([name])
            switch word.first {
            case "=": allowed = names
            case "-": allowed.subtract(names)
            default: allowed.formUnion(names)
            }
        }
        return allowed
    }

    // MARK: The request target

    /// Whether an option says that the path is sent as it is.
    var keepsTarget: Bool { pathAsIs || requestTarget != nil }

    /// Returns the URL with the path and query that these options ask for.
    ///
    /// - Parameters:
    ///   - text: the URL as it was typed, with a scheme.
    ///   - query: what is added to the query.
    func sent(_ url: HTTPURL, typed text: String, addedQuery query: String) -> HTTPURL {
        guard let target = requestTarget ?? (pathAsIs ? Self.target(in: text) : nil) else { return url }
        return url.replacingTarget(target)?.appendingQuery(query) ?? url
    }

    /// Returns the path and the query of a URL as they are written.
    private static func target(in text: String) -> String {
        let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        // As in the WHATWG URL Standard, backslashes are slashes here, and the host may have several before it. By scalars, since a
        // slash and a combining mark are one character.
        let target = rest.unicodeScalars.drop { $0 == "/" || $0 == "\\" }
            .drop { $0 != "/" && $0 != "\\" && $0 != "?" && $0 != "#" }.prefix { $0 != "#" }
        return target.first == "?" ? "/\(Substring(target))" : "/\(Substring(target.dropFirst()))"
    }

    // MARK: Connections

    /// Returns the engine of a request to a URL; throws `UsageError` for an interface that does not exist.
    func engine(for url: HTTPURL, _ trust: TrustOptions, _ routing: RoutingOptions) throws -> Engine {
        guard source != nil || !connectTo.isEmpty else { return try trust.engine(routing.families) }
        var options = try trust.engineOptions(routing.families)
        if let source {
            let address = try Self.address(source, of: routing.families)
            options.sourceAddress = address
            options.addressFamilies = address.isIPv4 ? .ipv4 : .ipv6
        }
        let resolved = options.hostOverrides
        var decided: Set<String> = []
        for text in connectTo {
            let ends = try ends(of: text, for: url)
            // As in curl, the first one counts.
            guard decided.insert(ends.from).inserted else { continue }
            if let addresses = resolved[ends.to] {
                options.hostOverrides[ends.from] = addresses
            } else if !ends.host.isEmpty {
                options.hostOverrides[ends.from] = [ends.host]
            }
            if ends.port != ends.namedPort { options.portOverrides[ends.from] = ends.port }
        }
        return Engine(options: options)
    }

    /// Throws `UsageError` if `--connect-to` names the host of a URL that a proxy reaches.
    func checkProxy(for url: HTTPURL) throws {
        let own = "\(url.hostWithoutBrackets.lowercased()):\(url.effectivePort)"
        guard try connectTo.contains(where: { try ends(of: $0, for: url).from == own }) else { return }
        throw UsageError(
            "--connect-to does not go through a proxy, which would connect to \(url.host) itself; add --proxy none, or leave it out."
        )
    }

    /// What `--connect-to` says: `host:port` of the URLs and of the connections, and what is replaced. An empty host is not.
    private struct Ends {
        let from: String
        let to: String
        let host: String
        let namedPort: UInt16
        let port: UInt16
    }

    private func ends(of text: String, for url: HTTPURL) throws -> Ends {
        let parts = try Self.parts(text)
        let from = parts[0].isEmpty ? url.hostWithoutBrackets : parts[0]
        let namedPort = UInt16(parts[1]) ?? UInt16(clamping: url.effectivePort)
        let port = UInt16(parts[3]) ?? namedPort
        let to = parts[2].isEmpty ? from : parts[2]
        return Ends(
            from: "\(from.lowercased()):\(namedPort)", to: "\(to.lowercased()):\(port)", host: parts[2],
            namedPort: namedPort, port: port)
    }

    /// Splits `HOST1:PORT1:HOST2:PORT2`, whose hosts may be addresses in brackets.
    private static func parts(_ text: String) throws -> [String] {
        var parts = [""]
        var isInBrackets = false
        for character in text {
            switch character {
            case "[": isInBrackets = true
            case "]": isInBrackets = false
            case ":" where !isInBrackets: parts.append("")
            default: parts[parts.count - 1].append(character)
            }
        }
        let arePorts = [1, 3].allSatisfy { index in
            parts.indices.contains(index) && (parts[index].isEmpty || UInt16(parts[index]) != nil)
        }
        guard parts.count == 4, arePorts else {
            throw ValidationError(
                "“\(text)” is not HOST1:PORT1:HOST2:PORT2, as in example.com:443:staging.example.com:443.")
        }
        return parts
    }

    /// Returns the address that a text is, or that an interface of this name has: IPv4 unless the families exclude it.
    private static func address(_ text: String, of families: AddressFamilies) throws -> IPAddress {
        if let address = IPAddress(text) { return address }
        let name = text.hasPrefix("if!") ? String(text.dropFirst(3)) : text
        let devices = (try? System.enumerateDevices()) ?? []
        let addresses = devices.filter { $0.name == name }.compactMap {
            $0.address?.ipAddress.flatMap { IPAddress($0) }
        }
        let wanted = addresses.filter { families.contains($0) }
        guard let address = wanted.first(where: \.isIPv4) ?? wanted.first else {
            let names = Set(devices.map(\.name)).sorted().joined(separator: ", ")
            throw UsageError(
                addresses.isEmpty
                    ? "There is no interface “\(name)” with an address; this machine has \(names)."
                    : "The interface “\(name)” has no address of the family that --ipv4 or --ipv6 asks for.")
        }
        return address
    }

    // MARK: TLS

    /// Returns the suites of `--ciphers`; nil for the defaults. Throws `ValidationError` for an unknown one.
    func suites() throws -> [CipherSuite]? {
        guard let ciphers else { return nil }
        return try ciphers.split { ":, ".contains($0) }.map { name in
            guard let suite = Self.suites[name.uppercased()] ?? CipherSuite(rawValue: String(name)) else {
                throw ValidationError(
                    "“\(name)” is no cipher suite that is supported; --ciphers takes \(Self.suites.keys.sorted().joined(separator: ":"))."
                )
            }
            return suite
        }
    }

    private static let suites: [String: CipherSuite] = [
        "ECDHE-ECDSA-AES128-GCM-SHA256": .ecdheECDSAWithAES128GCM,
        "ECDHE-ECDSA-AES256-GCM-SHA384": .ecdheECDSAWithAES256GCM,
        "ECDHE-ECDSA-CHACHA20-POLY1305": .ecdheECDSAWithChaCha20, "ECDHE-RSA-AES128-GCM-SHA256": .ecdheRSAWithAES128GCM,
        "ECDHE-RSA-AES256-GCM-SHA384": .ecdheRSAWithAES256GCM, "ECDHE-RSA-CHACHA20-POLY1305": .ecdheRSAWithChaCha20,
        "ECDHE-ECDSA-AES128-SHA": .ecdheECDSAWithAES128CBC, "ECDHE-ECDSA-AES256-SHA": .ecdheECDSAWithAES256CBC,
        "ECDHE-RSA-AES128-SHA": .ecdheRSAWithAES128CBC, "ECDHE-RSA-AES256-SHA": .ecdheRSAWithAES256CBC,
        "AES128-GCM-SHA256": .rsaWithAES128GCM, "AES256-GCM-SHA384": .rsaWithAES256GCM,
    ]
}

extension IPAddress {
    fileprivate var isIPv4: Bool { bytes.count == 4 }
}
