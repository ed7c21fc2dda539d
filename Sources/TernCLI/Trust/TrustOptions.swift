import ArgumentParser
import Sterna
import SternaPlatform

/// Options for trusting servers, and for the client's own certificate.
struct TrustOptions: ParsableArguments {
    @Flag(name: [.customShort("k"), .long], help: "Accept any certificate; for tests only.")
    var insecure = false

    @Option(
        help: ArgumentHelp(
            "Trust the certificates of this file, in PEM or DER, instead of the system's.", valueName: "file"))
    var cacert: String?

    @Option(
        name: [.long, .customLong("pinnedpubkey")],
        help: ArgumentHelp(
            "Accept only servers with this key in their chain, sha256/BASE64 or a file with the key or certificate; repeat it for another key. “tern cert URL” prints a server's.",
            valueName: "pin"))
    var pin: [String] = []

    @Option(
        name: [.customShort("E", allowingJoined: true), .long],
        help: ArgumentHelp("Present this client certificate: PEM, DER or PKCS #12.", valueName: "file"))
    var cert: String?

    @Option(
        help: ArgumentHelp(
            "The private key of --cert; tern asks for its password, or takes it from TERN_KEY_PASSWORD.",
            valueName: "file")
    )
    var key: String?

    @Option(
        help: ArgumentHelp("The oldest version of TLS: 1.0, 1.1, 1.2 (the default) or 1.3.", valueName: "version"),
        transform: version)
    var tlsMin: TLSOptions.Version?

    @Option(help: ArgumentHelp("The newest version of TLS.", valueName: "version"), transform: version)
    var tlsMax: TLSOptions.Version?

    @Option(
        help: ArgumentHelp(
            "Connect to this address for a host and port; certificates and requests keep the host's name.",
            valueName: "host:port:addr"))
    var resolve: [String] = []

    private static func version(_ text: String) throws -> TLSOptions.Version {
        guard let version = TLSOptions.Version(rawValue: text) else {
            throw ValidationError("“\(text)” is not a TLS version; use 1.0, 1.1, 1.2 or 1.3.")
        }
        return version
    }

    func validate() throws {
        if key != nil, cert == nil { throw ValidationError("--key needs --cert FILE.") }
        if insecure, !pin.isEmpty {
            throw ValidationError(
                "--insecure and --pin exclude each other: --insecure would skip the check of the pin.")
        }
        if let tlsMin, let tlsMax, tlsMax < tlsMin { throw ValidationError("--tls-max is below --tls-min.") }
        _ = try overrides()
    }

    /// Returns an engine that uses the addresses of `--resolve` and the given address families.
    func engine(_ families: AddressFamilies = .any) throws -> Engine {
        guard !resolve.isEmpty || families != .any else { return .shared }
        return Engine(options: try engineOptions(families))
    }

    /// Returns the options of ``engine(_:)``.
    func engineOptions(_ families: AddressFamilies = .any) throws -> EngineOptions {
        var options = EngineOptions()
        options.addressFamilies = families
        options.hostOverrides = try overrides()
        return options
    }

    /// Returns the security policy of the options for a URL; throws for unusable files.
    func policy(for url: HTTPURL) throws -> SecurityPolicy {
        if !pin.isEmpty, !url.scheme.isSecure {
            throw UsageError("--pin checks nothing at \(url.scheme)://; write https://.")
        }
        var policy = insecure ? SecurityPolicy.insecure : .system
        if let cacert {
            try Self.checkReadable(cacert)
            policy.roots = .file(cacert)
        }
        for pin in pin { policy.pins.formUnion(try Self.pins(pin)) }
        if let tlsMin { policy.tls.minimumVersion = tlsMin }
        if let tlsMax {
            policy.tls.maximumVersion = tlsMax
            policy.tls.minimumVersion = min(policy.tls.minimumVersion, tlsMax)
        }
        if let cert { policy.identity = try identity(cert) }
        return policy
    }

    private static func pins(_ text: String) throws -> Set<Pin> {
        // As in curl, semicolons separate several.
        if text.hasPrefix("sha256/") { return Set(try text.split(separator: ";").map { try Pin(String($0)) }) }
        try checkReadable(text)
        return try Pin.publicKeys(at: text)
    }

    private static func checkReadable(_ file: String) throws {
        let isReadable = access(file, R_OK) == 0
        let reason = errno
        guard isReadable else {
            throw SternaError(
                .fileUnreadable, phase: .prepare,
                "The file “\(file)” cannot be read: \(String(cString: strerror(reason))).")
        }
    }

    private func identity(_ cert: String) throws -> ClientIdentity {
        try Self.checkReadable(cert)
        if let key { try Self.checkReadable(key) }
        let given = ProcessInfo.processInfo.environment["TERN_KEY_PASSWORD"]
        do throws(SternaError) {
            return try ClientIdentity(certificateFile: cert, keyFile: key, password: given)
        } catch {
            let mayAsk = given == nil && Terminal.standardError.isTerminal && error.detail.contains("password")
            guard mayAsk else { throw advised(error, cert, hasPassword: given != nil) }
        }
        let password = try PasswordPrompt.ask("Password for \(key ?? cert): ")
        return try ClientIdentity(certificateFile: cert, keyFile: key, password: password)
    }

    /// Returns an error of the client's certificate with the option, or the variable, that is missing.
    private func advised(_ error: SternaError, _ cert: String, hasPassword: Bool) -> any Error {
        guard error.kind == .identityUnusable else { return error }
        if key == nil, error.detail.contains("private key") {
            return AdvisedError(error: error, advice: "Name the file of its private key with --key FILE.")
        }
        guard !hasPassword, error.detail.contains("password") else { return error }
        return AdvisedError(
            error: error, advice: "Set the variable TERN_KEY_PASSWORD to the password of “\(key ?? cert)”.")
    }

    /// Returns the addresses of `--resolve`, by host and port.
    private func overrides() throws -> [String: [String]] {
        var overrides: [String: [String]] = [:]
        for text in resolve {
            // An address in brackets contains colons itself.
            let head = text.hasPrefix("[") ? text.firstIndex(of: "]").map { text.index(after: $0) } : nil
            let start = head ?? text.startIndex
            var parts = text[start...].split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
                .map(String.init)
            if head != nil { parts[0] = String(text[..<start].dropFirst().dropLast()) }
            guard parts.count == 3, !parts[0].isEmpty, let port = UInt16(parts[1]), !parts[2].isEmpty else {
                throw ValidationError("“\(text)” is not HOST:PORT:ADDRESS, as in example.com:443:127.0.0.1.")
            }
            let addresses = parts[2].split(separator: ",").map {
                $0.hasPrefix("[") && $0.hasSuffix("]") ? String($0.dropFirst().dropLast()) : String($0)
            }
            overrides["\(parts[0].lowercased()):\(port)", default: []] += addresses
        }
        return overrides
    }
}
