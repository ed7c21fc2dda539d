import SternaCore
import SternaPlatform

/// The system's blocking look-up of host names.
enum SystemLookup {
    /// The maximum number of addresses taken from an answer, which may have thousands.
    static let maximumAddresses = 256

    /// Returns the addresses of a host in the system's order, without duplicates.
    static func addresses(_ host: String, _ families: AddressFamilies) throws(SternaError) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_family =
            switch families {
            case .any: AF_UNSPEC
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            }
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        // Skips the query for a family that the machine has no address of. With a single family it could only turn an answer into
        // an error.
        if families == .any, !isLoopbackLike(host) { hints.ai_flags = AI_ADDRCONFIG }
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        let reason = errno
        guard code == 0 else { throw failure(code, errno: reason, host, families) }
        // The system owns the list until it is freed here, once, after everything has been copied out of it.
        defer { if let list { freeaddrinfo(list) } }
        var found: [IPAddress] = []
        var next = list
        while let entry = next, found.count < maximumAddresses {
            if let address = address(of: entry.pointee), families.contains(address), !found.contains(address) {
                found.append(address)
            }
            next = entry.pointee.ai_next
        }
        guard !found.isEmpty else { throw failure(EAI_NONAME, errno: 0, host, families) }
        return found
    }

    /// Returns the error for a code of `getaddrinfo`.
    static func failure(
        _ code: Int32, errno reason: Int32, _ host: String, _ families: AddressFamilies
    ) -> SternaError {
        let shown = "“\(FieldSyntax.printable(host, limit: 255))”"
        let kind =
            switch families {
            case .any: "address"
            case .ipv4: "IPv4 address"
            case .ipv6: "IPv6 address"
            }
        let text =
            switch code {
            case EAI_NONAME, noData:
                "The host \(shown) has no \(kind): the name is misspelt, or not known to this machine's name service."
            case EAI_AGAIN:
                "The host \(shown) has not been found, as the name service does not answer: check the network, or try again "
                    + "later."
            // gai_strerror and strerror give text that ends in a zero byte, copied at once.
            case EAI_SYSTEM: "The host \(shown) cannot be looked up: \(String(cString: strerror(reason)))."
            default: "The host \(shown) cannot be looked up: \(String(cString: gai_strerror(code)))."
            }
        return SternaError(.hostNotFound, phase: .resolve, text)
    }

    /// Returns the address of an IPv4 or IPv6 socket address; nil for others.
    static func address(of entry: addrinfo) -> IPAddress? {
        guard let address = entry.ai_addr else { return nil }
        // The address bytes follow family and port, and in IPv6 the flow label (RFC 3493, 3.3). They are read only if the system
        // reports that many bytes.
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
        switch entry.ai_family {
        case AF_INET where bytes.count >= 8: return IPAddress(bytes: bytes[4..<8])
        case AF_INET6 where bytes.count >= 24: return IPAddress(bytes: bytes[8..<24])
        default: return nil
        }
    }

    /// Names that hosts files give to the loopback addresses, which AI_ADDRCONFIG does not count as addresses of the machine.
    private static func isLoopbackLike(_ host: String) -> Bool {
        let name = host.lowercased()
        return name.hasPrefix("localhost") || name == "ip6-localhost" || name == "ip6-loopback"
    }

    // The name exists, but has no address of the family. Glibc and Musl hide the constant from Swift.
    #if canImport(Darwin)
    private static let noData = EAI_NODATA
    #else
    private static let noData: Int32 = -5
    #endif
}
