package import SternaCore

/// Decides before a dial whether every connection to a URL's origin will be a direct one to this machine.
///
/// That is known of addresses, which are dialled as they are written, and of `localhost` and the names below it, which the system's
/// resolver answers itself (RFC 6761, 6.3). A resolver of the program's own might answer another address, and a closure that chooses
/// proxies might choose another one the next time: neither is known to stay here.
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
    /// What is connected to in place of a host.
    enum Replacement {
        /// At least one address.
        case addresses([IPAddress])
        case name(String)
    }

    /// Returns what ``hostOverrides`` has for a host; nil for nothing.
    func replacement(for host: String, port: Int) -> Replacement? {
        guard !hostOverrides.isEmpty, let given = hostOverrides["\(host.lowercased()):\(port)"], let first = given.first
        else { return nil }
        let known = given.compactMap { IPAddress($0.hasPrefix("[") ? $0.dropFirst().dropLast() : $0[...]) }
        return known.isEmpty ? .name(first) : .addresses(known)
    }
}
