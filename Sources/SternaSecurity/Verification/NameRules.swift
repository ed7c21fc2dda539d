import SwiftASN1
import X509

/// What name constraints (RFC 5280, 4.2.1.10) say of the host that is asked for, which the X.509 library does not look at: a
/// wildcard may cover a host that its issuer must not speak for.
enum NameRules {
    /// How many names and constraints are compared with each other, since a certificate of 100 KiB can have thousands of each.
    static let maximumNames = 1_000
    static let maximumConstraints = 200
    static let maximumComparisons = 50_000

    /// What is wrong with the names of a chain of leaf to root.
    ///
    /// - Parameter host: the host asked for; nil where it does not matter.
    static func failure(of chain: [Certificate], host: String?) -> TrustFailure? {
        var comparisons = 0
        var names = 0
        for (index, issuer) in chain.enumerated() {
            defer { names += (issuer.raw?.nameCount ?? 0) + 1 }
            guard index > 0, issuer.extensions[oid: .X509ExtensionID.nameConstraints] != nil else { continue }
            guard let constraints = try? issuer.extensions.nameConstraints else {
                return refusal(issuer, "the name constraints of one of its issuers cannot be read")
            }
            let count = constraints.permittedSubtrees.count + constraints.excludedSubtrees.count
            comparisons += count * names
            guard count <= maximumConstraints, comparisons <= maximumComparisons else {
                return TrustFailure(.complexity, "there are more name constraints than are looked at", of: issuer)
            }
            for subtree in constraints.permittedSubtrees + constraints.excludedSubtrees where !isWellFormed(subtree) {
                return refusal(issuer, "one of its issuers has a name constraint that makes no sense")
            }
            if let host, !allows(constraints, host: host) {
                return refusal(issuer, "one of its issuers may not issue certificates for this host")
            }
        }
        return nil
    }

    private static func refusal(_ issuer: Certificate, _ reason: String) -> TrustFailure {
        TrustFailure(
            .nameConstraints, reason, advice: "The authority's operator says for which names it may issue.", of: issuer)
    }

    private static func isWellFormed(_ subtree: GeneralName) -> Bool {
        switch subtree {
        case .dnsName(let name):
            return name.isEmpty || name == "." || labels(name.hasPrefix(".") ? name.dropFirst() : name[...]) != nil
        case .ipAddress(let range):
            let bytes = Array(range.bytes)
            guard bytes.count == 8 || bytes.count == 32 else { return false }
            return isPrefix(bytes[(bytes.count / 2)...])
        default: return true
        }
    }

    /// Whether a mask has all of its ones in front.
    private static func isPrefix(_ mask: ArraySlice<UInt8>) -> Bool {
        guard let end = mask.firstIndex(where: { $0 != 0xFF }) else { return true }
        let ones = (~mask[end]).leadingZeroBitCount
        return mask[end] == UInt8(truncatingIfNeeded: 0xFF00 >> ones) && mask[(end + 1)...].allSatisfy { $0 == 0 }
    }

    private static func allows(_ constraints: NameConstraints, host: String) -> Bool {
        let address = ServerIdentity.address(host)
        func covers(_ subtree: GeneralName) -> Bool? {
            switch (subtree, address) {
            case (.dnsName(let name), nil): self.covers(name, host)
            case (.ipAddress(let range), let address?): self.covers(Array(range.bytes), address)
            default: nil
            }
        }
        if constraints.excludedSubtrees.contains(where: { covers($0) == true }) { return false }
        let permitted = constraints.permittedSubtrees.compactMap(covers)
        return permitted.isEmpty || permitted.contains(true)
    }

    private static func covers(_ subtree: String, _ host: String) -> Bool {
        let host = host.hasSuffix(".") ? host.dropLast() : host[...]
        guard let labels = labels(host) else { return false }
        let isBelowOnly = subtree.hasPrefix(".")
        let name = isBelowOnly ? subtree.dropFirst() : subtree[...]
        if name.isEmpty { return true }
        guard let tail = self.labels(name), labels.count >= tail.count + (isBelowOnly ? 1 : 0) else { return false }
        return Array(labels.suffix(tail.count)) == tail
    }

    /// Addresses of another family than a range's are not its matter: nil.
    private static func covers(_ range: [UInt8], _ address: [UInt8]) -> Bool? {
        guard range.count == address.count * 2 else { return nil }
        return address.indices.allSatisfy { index in
            let mask = range[address.count + index]
            return range[index] & mask == address[index] & mask
        }
    }

    private static func labels(_ name: Substring) -> [String]? {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard !labels.isEmpty, labels.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(ServerIdentity.isNameByte) })
        else {
            return nil
        }
        return labels.map { $0.lowercased() }
    }
}
