import Sterna
import SternaTesting

/// What certificates are for, and how they are made.
extension TrustCase {
    static let names: [TrustCase] = [
        TrustCase("wrong host", .refused(.hostName)) { try chain(leaf: { $0.hosts = ["other.test"] }) },
        TrustCase("host in capitals", .accepted) { try chain(leaf: { $0.hosts = ["WWW.Example.TEST"] }) },
        TrustCase("wildcard", .accepted) { try chain(leaf: { $0.hosts = ["*.example.test"] }) },
        TrustCase("wildcard, no label for it", .refused(.hostName), host: "example.test") {
            try chain(leaf: { $0.hosts = ["*.example.test"] })
        },
        TrustCase("wildcard, two labels for it", .refused(.hostName), host: "a.b.example.test") {
            try chain(leaf: { $0.hosts = ["*.example.test"] })
        },
        TrustCase("wildcard, part of a label", .refused(.hostName)) {
            try chain(leaf: { $0.hosts = ["w*.example.test", "*w.example.test", "w*w.example.test"] })
        },
        TrustCase("wildcard, not the first label", .refused(.hostName)) {
            try chain(leaf: { $0.hosts = ["www.*.test", "*.*.test", "www.example.*"] })
        },
        TrustCase("wildcard under a top-level domain", .refused(.hostName), host: "example.test") {
            try chain(leaf: { $0.hosts = ["*.test", "*"] })
        },
        TrustCase("wildcard over an address", .refused(.hostName), host: "127.0.0.1") {
            try chain(leaf: { $0.hosts = ["*.0.0.1", "*"] })
        },
        TrustCase("address", .accepted, host: "127.0.0.1") { try chain(leaf: { $0.hosts = ["127.0.0.1"] }) },
        TrustCase("another address", .refused(.hostName), host: "127.0.0.1") {
            try chain(leaf: { $0.hosts = ["127.0.0.2", "::1", "::ffff:127.0.0.1"] })
        },
        TrustCase("address in the common name", .refused(.hostName), host: "127.0.0.1") {
            try chain(leaf: { ($0.hosts, $0.commonName) = (["localhost"], "127.0.0.1") })
        },
        TrustCase("no SAN, the common name is the host", .refused(.hostName)) {
            try chain(leaf: { ($0.commonName, $0.omitsSubjectAlternativeName) = (host, true) })
        },
        TrustCase("SAN with a dot at the end", .refused(.hostName)) {
            try chain(leaf: { $0.hosts = ["www.example.test."] })
        },
    ]

    static let algorithms: [TrustCase] = [
        TrustCase("SHA-1: leaf", .refused(.signatureAlgorithm)) {
            try fixture(WeakChains.sha1Leaf, root: WeakChains.oldRoot)
        },
        TrustCase("SHA-1: leaf, by ECDSA", .refused(.signatureAlgorithm)) {
            try fixture(WeakChains.ellipticSHA1, root: WeakChains.root)
        },
        TrustCase("SHA-1: authority", .refused(.signatureAlgorithm)) {
            try fixture(WeakChains.underSHA1, WeakChains.sha1Authority, root: WeakChains.oldRoot)
        },
        TrustCase("SHA-1: leaf, that says SHA-256 in its signed part", .refused(.readable)) {
            var setup = try fixture(WeakChains.twoAlgorithms, root: WeakChains.oldRoot)
            // The same key; of what cannot be read no pin can be made.
            setup.bundle.leafDER = try fixture(WeakChains.underOldRoot, root: WeakChains.oldRoot).bundle.leafDER
            return setup
        },
        TrustCase("SHA-1: the root's own signature", .accepted) {
            try fixture(WeakChains.underOldRoot, root: WeakChains.oldRoot)
        },
        TrustCase("RSA-1024: leaf", .refused(.keySize)) {
            try fixture(WeakChains.shortLeaf, key: WeakChains.shortKey, root: WeakChains.root)
        },
        TrustCase("RSA-1024: authority", .refused(.keySize)) {
            try fixture(WeakChains.underShort, WeakChains.shortAuthority, root: WeakChains.root)
        },
    ]

    static let usages: [TrustCase] = [
        TrustCase("wrong EKU: leaf for clients", .refused(.extendedKeyUsage)) {
            try chain(leaf: { $0.extendedKeyUsage = [.clientAuthentication] })
        },
        TrustCase("wrong EKU: leaf for mail and code", .refused(.extendedKeyUsage)) {
            try chain(leaf: { $0.extendedKeyUsage = [.emailProtection, .codeSigning] })
        },
        TrustCase("wrong EKU: authority", .refused(.extendedKeyUsage)) {
            try chain(middle: { $0.extendedKeyUsage = [.clientAuthentication] })
        },
        TrustCase("wrong EKU: root", .refused(.extendedKeyUsage)) {
            try chain(root: { $0.extendedKeyUsage = [.emailProtection] })
        },
        TrustCase("EKU any: leaf", .accepted) { try chain(leaf: { $0.extendedKeyUsage = [.any] }) },
        TrustCase("EKU any: authority", .accepted) { try chain(middle: { $0.extendedKeyUsage = [.any] }) },
        TrustCase("EKU of servers all the way", .accepted) {
            try chain(
                root: { $0.extendedKeyUsage = [.serverAuthentication, .clientAuthentication] },
                middle: { $0.extendedKeyUsage = [.serverAuthentication] })
        },
        TrustCase("no EKU", .accepted) { try chain(leaf: { $0.extendedKeyUsage = [] }) },
        // Servers on BoringSSL do not start with such a certificate of an elliptic key, so these are of RSA.
        TrustCase("wrong KU: leaf for certificates only", .refused(.keyUsage)) {
            try fixture(WeakChains.signingLeaf, key: WeakChains.longKey, root: WeakChains.root)
        },
        TrustCase("wrong KU: leaf for enciphering keys only", .refused(.keyUsage), isForHandshake: true) {
            try fixture(WeakChains.encipheringLeaf, key: WeakChains.longKey, root: WeakChains.root)
        },
        TrustCase("wrong KU: authority", .refused(.keyUsage)) {
            try chain(middle: { $0.keyUsage = [.digitalSignature] })
        },
        TrustCase("wrong KU: root", .refused(.keyUsage)) {
            try chain(root: { $0.keyUsage = [.revocationListSigning] })
        },
        TrustCase("no KU anywhere", .accepted) {
            try chain(root: { $0.keyUsage = [] }, middle: { $0.keyUsage = [] }, leaf: { $0.keyUsage = [] })
        },
    ]

    static let constraints: [TrustCase] = [
        TrustCase("CA false in the middle", .refused(.basicConstraints)) {
            try chain(middle: { $0.isCertificateAuthority = false })
        },
        TrustCase("CA absent in the middle", .refused(.basicConstraints)) {
            try chain(middle: { $0.omitsBasicConstraints = true })
        },
        TrustCase("CA false at the root", .refused(.basicConstraints)) {
            try chain(root: { $0.isCertificateAuthority = false })
        },
        TrustCase("path length kept", .accepted) {
            try chain(root: { $0.pathLength = 1 }, middle: { $0.pathLength = 0 })
        },
        TrustCase("path length exceeded, of the root", .refused(.basicConstraints)) {
            try chain(root: { $0.pathLength = 0 })
        },
        TrustCase("path length exceeded, of an authority", .refused(.basicConstraints)) {
            try below(authority("Upper") { $0.pathLength = 0 }, authority("Lower"))
        },
        TrustCase("path length, a self-issued authority does not count", .accepted) {
            try below(authority("Upper") { $0.pathLength = 0 }, authority("Upper"))
        },
        TrustCase("name constraint kept", .accepted) {
            try chain(middle: { ($0.permittedNames, $0.excludedNames) = (["example.test"], ["example", "ample.test"]) })
        },
        TrustCase("name constraint broken: permitted", .refused(.nameConstraints)) {
            try chain(middle: { $0.permittedNames = ["other.test", "www.www.example.test", "xample.test"] })
        },
        TrustCase("name constraint broken: excluded", .refused(.nameConstraints)) {
            try chain(middle: { $0.excludedNames = ["example.test"] })
        },
        TrustCase("name constraint broken: of the root", .refused(.nameConstraints)) {
            try chain(root: { $0.permittedNames = ["other.test"] })
        },
        TrustCase("name constraint broken by a name that nobody asked for", .refused(.nameConstraints)) {
            try chain(
                middle: { $0.permittedNames = ["example.test"] }, leaf: { $0.hosts = [host, "bank.test"] })
        },
        TrustCase("address constraint kept", .accepted, host: "127.0.0.1") {
            try chain(middle: { $0.permittedNames = ["127.0.0.0/8"] }, leaf: { $0.hosts = ["127.0.0.1"] })
        },
        TrustCase("address constraint broken: permitted", .refused(.nameConstraints), host: "127.0.0.1") {
            try chain(middle: { $0.permittedNames = ["10.0.0.0/8"] }, leaf: { $0.hosts = ["127.0.0.1"] })
        },
        TrustCase("address constraint broken: excluded", .refused(.nameConstraints), host: "127.0.0.1") {
            try chain(middle: { $0.excludedNames = ["127.0.0.0/9"] }, leaf: { $0.hosts = ["127.0.0.1"] })
        },
        TrustCase("constraint of IPv6 addresses says nothing of IPv4's", .accepted, host: "127.0.0.1") {
            try chain(middle: { $0.excludedNames = ["::/0"] }, leaf: { $0.hosts = ["127.0.0.1"] })
        },
        TrustCase("excluded host under a wildcard", .refused(.nameConstraints)) {
            try chain(middle: { $0.excludedNames = [host] }, leaf: { $0.hosts = ["*.example.test"] })
        },
        TrustCase("excluded host, SAN with a dot at the end", .refused(.hostName)) {
            try chain(middle: { $0.excludedNames = ["example.test"] }, leaf: { $0.hosts = ["www.example.test."] })
        },
        TrustCase("constraint that makes no sense", .refused(.nameConstraints)) {
            try chain(middle: { $0.excludedNames = ["*.other.test"] })
        },
    ]

    private static func below(_ upper: AuthorityOptions, _ lower: AuthorityOptions) throws -> Setup {
        let root = try newRoot()
        let lowest = try root.issueIntermediate(upper).issueIntermediate(lower)
        return Setup(
            bundle: try lowest.issue(leaf()), roots: [root.pem], issuers: lowest.chainDER + [root.der])
    }

    static let explosions: [TrustCase] = [
        TrustCase("path explosion: one key under one name, 15 times", .refused(.complexity)) {
            try mesh(keys: 1, roots: [try newRoot().pem])
        },
        TrustCase("path explosion: four keys that all signed each other", .refused(.complexity)) {
            try mesh(keys: 4, roots: [try newRoot().pem])
        },
        TrustCase("path explosion: the same with a root of that name", .refused(.complexity)) {
            try mesh(keys: 4, roots: [try newRoot("Mesh").pem])
        },
    ]

    /// Fifteen certificates of one name that sign each other and lead nowhere. Names of their own keep a search from taking two
    /// of them for the same.
    private static func mesh(keys count: Int, roots: [String]) throws -> Setup {
        let keys = try (0..<count).map { _ in try newRoot("Mesh") }
        let ring = try (0..<15).map { number in
            try keys[number % count].crossSigned(
                by: keys[number / count % count], authority("Mesh") { $0.hosts = ["n\(number).test"] })
        }
        return Setup(
            bundle: try keys[0].issue(leaf()).presenting(ring.map(\.der)), roots: roots, issuers: [ring[0].der])
    }
}
