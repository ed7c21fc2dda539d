import SternaCore

/// Resolves names with the system's `getaddrinfo`: its files, name servers and search domains.
///
/// Addresses, `localhost` and the names below it (RFC 6761, 6.3) are answered without the system. A cancelled look-up ends at once;
/// the system call continues and its result is discarded.
public struct SystemResolver: HostResolver {
    private let threads: LookupThreads
    private let ask: @Sendable (String, AddressFamilies) throws(SternaError) -> [IPAddress]

    /// Creates a resolver. All system resolvers share at most 128 threads.
    public init() {
        self.init(threads: .shared, ask: SystemLookup.addresses)
    }

    init(
        threads: LookupThreads,
        ask: @escaping @Sendable (String, AddressFamilies) throws(SternaError) -> [IPAddress]
    ) {
        self.threads = threads
        self.ask = ask
    }

    /// Returns the addresses of a host: those from `getaddrinfo` in the system's order, at most 256, without a time to live; an
    /// address or a loopback name with a time to live of zero. Throws `hostNotFound`, or `cancelled`.
    public func resolve(_ host: String, _ families: AddressFamilies) async throws -> ResolvedHost {
        if let known = try Self.known(host, families) { return ResolvedHost(known, timeToLive: .zero) }
        let (wait, ask) = (Wait<[IPAddress]>(), ask)
        let addresses = try await wait.value(cancelled: SternaError.cancelled(phase: .resolve)) {
            threads.run {
                if !wait.isEnded { wait.end(Result { try ask(host, families) }) }
            }
        }
        return ResolvedHost(addresses)
    }

    // IPv4 first, so that the first attempt usually succeeds: most local servers listen there, some of them only there, and some
    // machines have no ::1.
    private static let loopback = [IPAddress(v4: 0x7F00_0001), IPAddress(v6: 0, 1)]

    private static func known(_ host: String, _ families: AddressFamilies) throws(SternaError) -> [IPAddress]? {
        let shown = FieldSyntax.printable(host, limit: 255)
        guard !host.isEmpty, host.utf8.count <= 255, !host.utf8.contains(0) else {
            throw SternaError(
                .hostNotFound, phase: .resolve,
                "“\(shown)” is not a host name: one has 1 to 255 bytes, none of them zero (RFC 1035, 2.3.4).")
        }
        if let address = IPAddress(host) {
            guard families.contains(address) else {
                throw SternaError(
                    .hostNotFound, phase: .resolve,
                    "\(shown) is an IPv\(address.family == .v4 ? 4 : 6) address, and only "
                        + "IPv\(address.family == .v4 ? 6 : 4) addresses are allowed.")
            }
            return [address]
        }
        return isLoopback(name: host) ? loopback.filter(families.contains) : nil
    }

    /// Whether a name is `localhost` or below it, which is never looked up.
    static func isLoopback(name host: String) -> Bool {
        let name = host.lowercased()
        let bare = name.hasSuffix(".") ? name.dropLast() : name[...]
        return bare == "localhost" || bare.hasSuffix(".localhost")
    }
}

extension HostResolver where Self == SystemResolver {
    /// The system's resolver; the default.
    public static var system: SystemResolver { SystemResolver() }
}
