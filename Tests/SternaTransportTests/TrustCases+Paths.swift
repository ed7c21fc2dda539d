import Sterna
import SternaPlatform
import SternaTesting

/// Times, roots, ways to them, and names.
extension TrustCase {
    static let valid: [TrustCase] = [
        TrustCase("valid: root, authority, leaf", .accepted) { try chain() },
        TrustCase("valid: P-384", .accepted) {
            try chain(root: { $0.key = .p384 }, middle: { $0.key = .p384 }, leaf: { $0.key = .p384 })
        },
        TrustCase("valid: P-521 above the leaf", .accepted) {
            try chain(root: { $0.key = .p521 }, middle: { $0.key = .p521 })
        },
        TrustCase("valid: RSA-2048", .accepted) {
            try fixture(WeakChains.longLeaf, key: WeakChains.longKey, root: WeakChains.root)
        },
        TrustCase("valid: right under the root", .accepted) {
            let root = try newRoot()
            return Setup(bundle: try root.issue(leaf()), roots: [root.pem], issuers: [root.der])
        },
        TrustCase("P-521 in the leaf, which is not offered", .all(.noHandshake), isForHandshake: true) {
            try chain(leaf: { $0.key = .p521 })
        },
    ]

    static let times: [TrustCase] = [
        TrustCase("expired: leaf", .refused(.validity)) {
            try chain(leaf: { ($0.notBefore, $0.notAfter) = (day(-90), day(-1)) })
        },
        TrustCase("expired: a second ago", .refused(.validity)) {
            try chain(leaf: { $0.notAfter = now.addingTimeInterval(-1) })
        },
        TrustCase("expires now", .accepted) { try chain(leaf: { $0.notAfter = now }) },
        TrustCase("expired: authority", .refused(.validity)) { try chain(middle: { $0.notAfter = day(-1) }) },
        TrustCase("expired: root", .refused(.validity)) { try chain(root: { $0.notAfter = day(-1) }) },
        TrustCase("not yet valid: leaf", .refused(.validity)) { try chain(leaf: { $0.notBefore = day(1) }) },
        TrustCase("not yet valid: in a second", .refused(.validity)) {
            try chain(leaf: { $0.notBefore = now.addingTimeInterval(1) })
        },
        TrustCase("valid from now", .accepted) { try chain(leaf: { $0.notBefore = now }) },
        TrustCase("not yet valid: authority", .refused(.validity)) { try chain(middle: { $0.notBefore = day(1) }) },
        TrustCase("not yet valid: root", .refused(.validity)) { try chain(root: { $0.notBefore = day(1) }) },
        TrustCase("ten years under a private root", .accepted) {
            try chain(
                root: { $0.notAfter = day(5_000) }, middle: { $0.notAfter = day(4_000) },
                leaf: { $0.notAfter = day(3_650) })
        },
    ]

    static let roots: [TrustCase] = [
        TrustCase("self-signed, unknown", .refused(.issuer)) {
            Setup(bundle: try CertificateBundle.selfSigned(leaf()), roots: [try newRoot().pem])
        },
        TrustCase("self-signed, among the roots", .accepted) { try chosen() },
        TrustCase("self-signed authority, among the roots", .accepted) {
            try chosen { $0.isCertificateAuthority = true }
        },
        TrustCase("self-signed, among the roots, expired", .refused(.validity)) {
            try chosen { $0.notAfter = day(-1) }
        },
        TrustCase("self-signed, among the roots, for another host", .refused(.hostName)) {
            try chosen { $0.hosts = ["other.test"] }
        },
        TrustCase("self-signed, among the roots, not for servers", .refused(.extendedKeyUsage)) {
            try chosen { $0.extendedKeyUsage = [.clientAuthentication] }
        },
        TrustCase("untrusted root", .refused(.issuer)) {
            var setup = try chain()
            setup.roots = [try newRoot("Another root").pem]
            return setup
        },
        TrustCase("untrusted root of a trusted one's name", .refused(.issuer)) {
            var setup = try chain()
            setup.roots = [try newRoot().pem]
            return setup
        },
        TrustCase("missing intermediate", .refused(.issuer)) { try chain(leaf: { $0.includesIntermediates = false }) },
        TrustCase("authority among the roots", .accepted) {
            let middle = try newRoot().issueIntermediate(authority("Middle"))
            return Setup(bundle: try middle.issue(leaf()), roots: [middle.pem], issuers: [middle.der])
        },
    ]

    private static func chosen(_ spoil: Spoil<CertificateOptions> = { _ in }) throws -> Setup {
        let bundle = try CertificateBundle.selfSigned(leaf(spoil))
        return Setup(bundle: bundle, roots: [bundle.certificateChainPEM])
    }

    static let orders: [TrustCase] = [
        TrustCase("reversed chain behind the leaf", .accepted) {
            let root = try newRoot()
            let lowest = try root.issueIntermediate(authority("Upper")).issueIntermediate(authority("Lower"))
                .issueIntermediate(authority("Lowest"))
            return Setup(
                bundle: try lowest.issue(leaf()).presenting(lowest.chainDER.reversed()), roots: [root.pem],
                issuers: lowest.chainDER + [root.der])
        },
        TrustCase("root sent along", .accepted) {
            var setup = try chain()
            setup.bundle = setup.bundle.presenting(setup.issuers)
            return setup
        },
        TrustCase("unrelated certificates sent along", .accepted) {
            var setup = try chain()
            setup.extras = [try newRoot("Stranger").der, try newRoot("Other").issue(leaf()).leafDER]
            setup.bundle = setup.bundle.presenting(setup.extras + setup.issuers)
            return setup
        },
        TrustCase("the same certificate fifteen times", .accepted) {
            var setup = try chain()
            setup.bundle = setup.bundle.presenting((0..<15).map { _ in setup.issuers[0] })
            return setup
        },
        TrustCase("65 certificates", .refused(.presented)) {
            var setup = try chain()
            setup.bundle = setup.bundle.presenting((0..<64).map { _ in setup.issuers[0] })
            return setup
        },
        TrustCase("cross-signed, one root expired, the other good", .accepted) { try crossed(knowing: [0, 1]) },
        TrustCase("cross-signed, only the good root known", .accepted) { try crossed(knowing: [1]) },
        TrustCase("cross-signed, only the expired root known", .refused(.validity)) { try crossed(knowing: [0]) },
        TrustCase("cross-signed, one cross certificate expired", .accepted) {
            try crossed(knowing: [0, 1], { $0.notAfter = day(-1) }, root: { _ in })
        },
        TrustCase("new root under an old one, only the old one known", .accepted) { try renewed(knowsOld: true) },
        TrustCase("new root under an old one, only the new one known", .accepted) { try renewed(knowsOld: false) },
    ]

    /// An authority under two roots, the first of which is expired or otherwise spoilt.
    private static func crossed(
        knowing known: [Int], _ spoil: Spoil<AuthorityOptions> = { _ in },
        root spoilRoot: Spoil<AuthorityOptions> = { $0.notAfter = day(-1) }
    ) throws -> Setup {
        let roots = [try newRoot("Spoilt root", spoilRoot), try newRoot("Good root")]
        let first = try roots[0].issueIntermediate(authority("Middle", spoil))
        let second = try first.crossSigned(by: roots[1], authority("Middle"))
        return Setup(
            bundle: try first.issue(leaf()).presenting([first.der, second.der]), roots: known.map { roots[$0].pem },
            issuers: [second.der] + (known.contains(1) ? [roots[1].der] : [roots[0].der]))
    }

    private static func renewed(knowsOld: Bool) throws -> Setup {
        let (old, new) = (try newRoot("Old root"), try newRoot("New root"))
        let cross = try new.crossSigned(by: old, authority("New root"))
        let middle = try cross.issueIntermediate(authority("Middle"))
        return Setup(
            bundle: try middle.issue(leaf()), roots: [knowsOld ? old.pem : new.pem],
            issuers: [middle.der] + (knowsOld ? [cross.der, old.der] : [new.der]))
    }
}
