import SwiftASN1
import X509

/// Rules about the form of certificates (RFC 5280, 4.1 and 4.2), for every purpose.
///
/// They also parse extensions that have no effect here: a damaged one shows that a certificate was issued without care, and Go and
/// OpenSSL refuse it, too.
enum FormRules {
    /// Returns a failure for a malformed certificate below the root.
    static func failure(of certificate: CheckedCertificate) -> TrustFailure? {
        if let failure = version(of: certificate) { return failure }
        for (oid, (form, name)) in forms {
            guard let found = certificate.certificate.extensions[oid: oid], !isWellFormed(found.value, form) else {
                continue
            }
            return TrustFailure(.form, "\(ChainRules.name(of: certificate)) has a malformed \(name)", of: certificate)
        }
        return nil
    }

    /// Returns a failure for extensions in a certificate of a version that has none (RFC 5280, 4.1.2.1).
    static func version(of certificate: CheckedCertificate) -> TrustFailure? {
        guard certificate.certificate.version != .v3, !certificate.certificate.extensions.isEmpty else { return nil }
        return TrustFailure(
            .form, "\(ChainRules.name(of: certificate)) has extensions, but is not of version 3", of: certificate)
    }

    /// Returns a failure for an authority without a name (RFC 5280, 4.1.2.6).
    static func nameless(_ issuer: CheckedCertificate) -> TrustFailure? {
        guard issuer.certificate.subject.isEmpty else { return nil }
        return TrustFailure(.form, "one of its issuers has an empty name", of: issuer)
    }

    private enum Form {
        case octets
        case sequence

        /// A sequence of at least one sequence.
        case sequences

        /// Sequences that each begin with a method and a location (RFC 5280, 4.2.2.1).
        case access
    }

    private static let forms: KeyValuePairs<ASN1ObjectIdentifier, (Form, String)> = [
        .X509ExtensionID.authorityInformationAccess: (.access, "authority information access"),
        .X509ExtensionID.authorityKeyIdentifier: (.sequence, "authority key identifier"),
        .X509ExtensionID.subjectKeyIdentifier: (.octets, "subject key identifier"),
        [2, 5, 29, 31]: (.sequences, "list of CRL distribution points"),
        [2, 5, 29, 32]: (.sequences, "list of certificate policies"),
    ]

    private static func isWellFormed(_ value: ArraySlice<UInt8>, _ form: Form) -> Bool {
        guard let root = try? DER.parse(value) else { return false }
        if form == .octets { return root.identifier == .octetString }
        guard root.identifier == .sequence, case .constructed(let entries) = root.content else { return false }
        if form == .sequence { return true }
        var isEmpty = true
        for entry in entries {
            isEmpty = false
            guard entry.identifier == .sequence, case .constructed(let parts) = entry.content else { return false }
            if form == .access, !isAccess(parts) { return false }
        }
        return !isEmpty
    }

    private static func isAccess(_ parts: ASN1NodeCollection) -> Bool {
        var parts = parts.makeIterator()
        guard let method = parts.next(), (try? ASN1ObjectIdentifier(derEncoded: method)) != nil,
            let place = parts.next(), place.identifier.tagClass == .contextSpecific
        else { return false }
        return parts.next() == nil
    }
}
