package import SternaCore

/// Decides before a dial whether every connection to a URL's origin will be a direct one to this machine.
///
/// This is known for addresses, which are dialled as written, and for `localhost` and the names below it, which ``SystemResolver``
/// resolves itself (RFC 6761, 6.3). It is not known for names with a custom resolver, which may return other addresses, nor with a
/// closure that chooses proxies, which may choose differently next time.
enum LoopbackRule {
    static func staysHere(_ url: HTTPURL, _ routing: RouteConfiguration, _ options: EngineOptions) -> Bool {
        let host = url.hostWithoutBrackets
        let address = IPAddress(host)
        guard address.map(isLoopback) ?? SystemResolver.isLoopback(name: host) else { return false }
        guard routing.unixSocket == nil, routing.proxies.isByOrigin, !routing.proxies.receives(url) else {
            return false
        }
        switch options.replacement(for: host, port: url.effectivePort) {
        case .addresses(let others): return others.allSatisfy(isLoopback)
        case .name: return false
        case nil: return address != nil || options.resolver is SystemResolver
        }
    }

    private static func isLoopback(_ address: IPAddress) -> Bool { AddressScope(address.unmapped) == .loopback }
}

extension Engine {
    /// Whether every connection of these routes to a URL's origin will be a direct one to this machine.
    package func staysHere(_ url: HTTPURL, _ routing: RouteConfiguration) -> Bool {
        LoopbackRule.staysHere(url, routing, options)
    }
}

extension EngineOptions {
    /// The addresses, or the name, that replace a host.
    enum Replacement {
        /// At least one address.
        case addresses([IPAddress])
        case name(String)
    }

    /// Returns the port that is connected to for a host and its port: the entry of ``portOverrides``, or the port itself.
    func dialledPort(for host: String, port: Int) -> Int {
        guard !portOverrides.isEmpty, let other = portOverrides["\(host.lowercased()):\(port)"] else { return port }
        return Int(other)
    }

    /// Returns the entry of ``hostOverrides`` for a host; nil if there is none.
    func replacement(for host: String, port: Int) -> Replacement? {
        guard !hostOverrides.isEmpty, let given = hostOverrides["\(host.lowercased()):\(port)"], let first = given.first
        else { return nil }
        let known = given.compactMap { IPAddress($0.hasPrefix("[") ? $0.dropFirst().dropLast() : $0[...]) }
        return known.isEmpty ? .name(first) : .addresses(known)
    }
}
