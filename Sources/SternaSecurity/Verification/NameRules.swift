import SwiftASN1
import X509

/// Name constraints (RFC 5280, 4.2.1.10). They apply to the certificates below an authority, and to the requested host, since a
/// wildcard may cover a host for which its issuer must not issue certificates.
enum NameRules {
    /// Limits for names in a certificate, for constraints of an authority, and for comparisons in one search over all of its
    /// paths. A certificate of 100 KiB can have thousands of names and constraints.
    static let maximumNames = 1_000
    static let maximumConstraints = 200
    static let maximumComparisons = 100_000

    /// Returns the first violation in a chain, in order from leaf to root.
    ///
    /// - Parameters:
    ///   - host: the requested host; nil if it is not checked.
    ///   - spend: called with the number of comparisons before they are made; returns false if the budget is exceeded.
    static func failure(
        of chain: [CheckedCertificate], host: String?, spend: (_ comparisons: Int) -> Bool
    ) -> TrustFailure? {
        var count = 0
        var known: [Int: [ConstrainedNames.Name]] = [:]
        for (index, issuer) in chain.enumerated() {
            defer { count += issuer.raw.nameCount + 1 }
            guard index > 0, let found = issuer.certificate.extensions[oid: .X509ExtensionID.nameConstraints] else {
                continue
            }
            guard let constraints = ConstrainedNames(found) else {
                return refusal(issuer, "the name constraints of one of its issuers cannot be read")
            }
            guard constraints.count <= maximumConstraints, spend(constraints.count * count) else {
                return TrustFailure(.complexity, "its chain has more name constraints than are checked", of: issuer)
            }
            guard constraints.areWellFormed else {
                return refusal(issuer, "one of its issuers has an invalid name constraint")
            }
            if let host, !constraints.allow(host: host) {
                return refusal(issuer, "one of its issuers may not issue certificates for this host")
            }
            for (position, subject) in chain[..<index].enumerated() {
                // Authorities use self-issued certificates to change keys; only a final one is constrained (6.1.3 (b)).
                if position > 0, subject.isSelfIssued { continue }
                let names = known[position] ?? ConstrainedNames.names(of: subject.certificate)
                guard let names, names.allSatisfy(constraints.allow) else {
                    return refusal(issuer, "one of its issuers may not issue certificates for its names")
                }
                known[position] = names
            }
        }
        return nil
    }

    private static func refusal(_ issuer: CheckedCertificate, _ reason: String) -> TrustFailure {
        TrustFailure(
            .nameConstraints, reason, advice: "The name constraints are set by the authority's operator.", of: issuer)
    }
}

/// The names for which an authority may and may not issue certificates.
struct ConstrainedNames {
    /// A form of names, each constrained separately; `other` for forms that are not compared.
    enum Form: Hashable { case dns, address, uri, directory, email, other }

    /// A name of a certificate, in comparable parts.
    struct Name {
        let form: Form

        /// The labels of a DNS name or of a URI's host, in lower case; the bytes of an address. Nil if the name has no such part,
        /// or if its form is not compared; constraints of its form then refuse it.
        var labels: [String]?
        var address: [UInt8]?
    }

    private struct Subtree {
        let form: Form
        var labels: [String] = []

        /// Whether a URI's host needs at least one more label; otherwise the constraint names a host exactly.
        var isDomain = false
        var range: [UInt8] = []
        var isWellFormed = true
    }

    private let permitted: [Subtree]
    private let excluded: [Subtree]
    private let permittedForms: Set<Form>

    /// Reads the extension; nil if it is malformed, or if one of its lists is empty, since a list must have at least one subtree.
    init?(_ extension: Certificate.Extension) {
        guard let constraints = try? NameConstraints(`extension`), Self.hasNoEmptyList(`extension`.value) else {
            return nil
        }
        permitted = constraints.permittedSubtrees.map(Self.subtree)
        excluded = constraints.excludedSubtrees.map(Self.subtree)
        permittedForms = Set(permitted.map(\.form))
    }

    var count: Int { permitted.count + excluded.count }

    var areWellFormed: Bool { (permitted + excluded).allSatisfy(\.isWellFormed) }

    func allow(host: String) -> Bool {
        if let address = ServerIdentity.address(host) { return allow(Name(form: .address, address: address)) }
        return allow(Name(form: .dns, labels: ServerIdentity.labels(host, allowsWildcard: false)))
    }

    /// Returns whether the authority may issue for a name: the name is outside of all excluded subtrees and, if its form has
    /// permitted ones, within one of them. A name that cannot be compared is refused if its form is constrained.
    func allow(_ name: Name) -> Bool {
        for subtree in excluded where subtree.form == name.form {
            guard Self.isWithin(subtree, name) == false else { return false }
        }
        guard permittedForms.contains(name.form) else { return true }
        return permitted.contains { $0.form == name.form && Self.isWithin($0, name) == true }
    }

    /// Returns the names of a certificate that constraints apply to; nil if they cannot be read.
    static func names(of certificate: Certificate) -> [Name]? {
        guard let alternatives = try? certificate.extensions.subjectAlternativeNames ?? SubjectAlternativeNames() else {
            return nil
        }
        var names = alternatives.map(name)
        if !certificate.subject.isEmpty {
            names.append(Name(form: .directory))
            if certificate.subject.contains(where: { $0.contains { $0.type == emailAddress } }) {
                names.append(Name(form: .email))
            }
        }
        return names
    }

    private static let emailAddress: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 1]

    // MARK: Comparing

    /// Returns whether a name is within a subtree; nil if unknown.
    private static func isWithin(_ subtree: Subtree, _ name: Name) -> Bool? {
        switch name.form {
        case .dns:
            guard let labels = name.labels else { return nil }
            return labels.count >= subtree.labels.count && labels.suffix(subtree.labels.count) == subtree.labels[...]
        case .uri:
            guard let labels = name.labels else { return nil }
            let hasMore = labels.count > subtree.labels.count
            return hasMore == subtree.isDomain && labels.suffix(subtree.labels.count) == subtree.labels[...]
        case .address:
            guard let address = name.address else { return nil }
            guard subtree.range.count == address.count * 2 else { return false }
            return address.indices.allSatisfy { index in
                let mask = subtree.range[address.count + index]
                return subtree.range[index] & mask == address[index] & mask
            }
        case .directory, .email, .other: return nil
        }
    }

    private static func name(_ name: GeneralName) -> Name {
        switch name {
        case .dnsName(let text): Name(form: .dns, labels: ServerIdentity.labels(text, allowsWildcard: true))
        case .ipAddress(let octets):
            Name(form: .address, address: [4, 16].contains(octets.bytes.count) ? Array(octets.bytes) : nil)
        case .uniformResourceIdentifier(let text): Name(form: .uri, labels: host(ofURI: text))
        case .directoryName: Name(form: .directory)
        case .rfc822Name: Name(form: .email)
        default: Name(form: .other)
        }
    }

    /// Returns the labels of a URI's host; nil without a host, or for an address, which constraints refuse.
    private static func host(ofURI text: String) -> [String]? {
        guard let start = text.firstRange(of: "://")?.upperBound else { return nil }
        var authority = text[start...].prefix { !"/?#".contains($0) }
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        let host = String(authority.prefix { $0 != ":" })
        guard !host.hasPrefix("["), ServerIdentity.address(host) == nil else { return nil }
        return ServerIdentity.labels(host, allowsWildcard: false)
    }

    // MARK: Reading

    private static func subtree(_ name: GeneralName) -> Subtree {
        switch name {
        case .dnsName(let text):
            // The empty name matches every name. Only URIs define a leading dot.
            if text.isEmpty { return Subtree(form: .dns) }
            let labels = constraintLabels(text)
            return Subtree(form: .dns, labels: labels ?? [], isWellFormed: labels != nil)
        case .uniformResourceIdentifier(let text):
            let isDomain = text.hasPrefix(".")
            let labels = constraintLabels(isDomain ? String(text.dropFirst()) : text)
            return Subtree(form: .uri, labels: labels ?? [], isDomain: isDomain, isWellFormed: labels != nil)
        case .ipAddress(let octets):
            let range = Array(octets.bytes)
            let isWellFormed = [8, 32].contains(range.count) && isPrefix(range[(range.count / 2)...])
            return Subtree(form: .address, range: range, isWellFormed: isWellFormed)
        case .directoryName: return Subtree(form: .directory)
        case .rfc822Name: return Subtree(form: .email)
        default: return Subtree(form: .other)
        }
    }

    private static func constraintLabels(_ text: String) -> [String]? {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(ServerIdentity.isNameByte) }) else { return nil }
        return labels.map { $0.lowercased() }
    }

    /// Returns whether all ones of a mask precede its zeros.
    private static func isPrefix(_ mask: ArraySlice<UInt8>) -> Bool {
        guard let end = mask.firstIndex(where: { $0 != 0xFF }) else { return true }
        let ones = (~mask[end]).leadingZeroBitCount
        return mask[end] == UInt8(truncatingIfNeeded: 0xFF00 >> ones) && mask[(end + 1)...].allSatisfy { $0 == 0 }
    }

    private static func hasNoEmptyList(_ value: ArraySlice<UInt8>) -> Bool {
        guard let root = try? DER.parse(value), case .constructed(let lists) = root.content else { return false }
        return lists.allSatisfy { list in
            guard case .constructed(let subtrees) = list.content else { return false }
            return subtrees.contains { _ in true }
        }
    }
}
