import Sterna
import SternaPlatform
import SternaTesting
import Testing

/// A row of the matrix of trust: certificates of a server, and what is to become of them under each kind of pin.
struct TrustCase: Sendable, CustomTestStringConvertible {
    enum Verdict: Sendable, Hashable {
        case accepted
        /// Refused as not to be trusted, by this check.
        case refused(TrustFailure.Check)
        /// Client and server find nothing in common.
        case noHandshake
    }

    /// The cells of a row.
    struct Verdicts: Sendable {
        let noPin, rightPin, wrongPin, backupPin: Verdict

        /// What is trusted is so whatever is pinned, if it is pinned.
        static let accepted = Verdicts(
            noPin: .accepted, rightPin: .accepted, wrongPin: .refused(.pin), backupPin: .accepted)

        /// No pin saves what is not trusted.
        static func refused(_ check: TrustFailure.Check) -> Verdicts { .all(.refused(check)) }

        static func all(_ verdict: Verdict) -> Verdicts {
            Verdicts(noPin: verdict, rightPin: verdict, wrongPin: verdict, backupPin: verdict)
        }
    }

    /// What a server shows and a client trusts.
    struct Setup: Sendable {
        var bundle: CertificateBundle
        /// The client's roots in PEM.
        var roots: [String]
        /// Certificates above the leaf that are right pins too, as they are on the path, or would be if it were good.
        var issuers: [[UInt8]] = []
        /// Certificates that the server shows and that are not on the path, so that they are wrong pins.
        var extras: [[UInt8]] = []
    }

    let name: String
    let verdicts: Verdicts
    /// The host in the URL.
    let host: String
    /// Whether the handshake refuses it, not the policy.
    let isForHandshake: Bool
    let make: @Sendable () throws -> Setup

    init(
        _ name: String, _ verdicts: Verdicts, host: String = TrustCase.host, isForHandshake: Bool = false,
        _ make: @escaping @Sendable () throws -> Setup
    ) {
        self.name = name
        self.verdicts = verdicts
        self.host = host
        self.isForHandshake = isForHandshake
        self.make = make
    }

    var testDescription: String { name }

    static let host = "www.example.test"

    /// The moment at which all is judged, in 2027; the certificates' dates are around it, whatever the clock says.
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    static func day(_ offset: Double) -> Date { now.addingTimeInterval(offset * 86_400) }
}

// MARK: Making

extension TrustCase {
    typealias Spoil<Options> = (inout Options) -> Void

    static func authority(_ name: String, _ spoil: Spoil<AuthorityOptions> = { _ in }) -> AuthorityOptions {
        var options = AuthorityOptions(commonName: name, notBefore: day(-400), notAfter: day(400))
        spoil(&options)
        return options
    }

    static func newRoot(_ name: String = "Root", _ spoil: Spoil<AuthorityOptions> = { _ in }) throws
        -> CertificateAuthority
    {
        try CertificateAuthority(authority(name, spoil))
    }

    static func leaf(_ spoil: Spoil<CertificateOptions> = { _ in }) -> CertificateOptions {
        var options = CertificateOptions(hosts: [host], notBefore: day(-10), notAfter: day(80))
        spoil(&options)
        return options
    }

    /// A root, an authority under it, and a leaf under that; good but for what is spoilt.
    static func chain(
        root spoilRoot: Spoil<AuthorityOptions> = { _ in }, middle spoilMiddle: Spoil<AuthorityOptions> = { _ in },
        leaf spoilLeaf: Spoil<CertificateOptions> = { _ in }
    ) throws -> Setup {
        let root = try newRoot("Root", spoilRoot)
        let middle = try root.issueIntermediate(authority("Middle", spoilMiddle))
        return Setup(
            bundle: try middle.issue(leaf(spoilLeaf)), roots: [root.pem], issuers: [middle.der, root.der])
    }

    /// A setup of certificates made elsewhere.
    static func fixture(_ chain: String..., key: String = WeakChains.leafKey, root: String) throws -> Setup {
        var bundle = CertificateBundle(
            certificateChainPEM: chain.joined(), privateKeyPEM: key, leafDER: [], publicKeySHA256: [])
        let ders = try bundle.chainDER()
        bundle.leafDER = try #require(ders.first)
        let root = CertificateBundle(
            certificateChainPEM: root, privateKeyPEM: "", leafDER: [], publicKeySHA256: [])
        return Setup(
            bundle: bundle, roots: [root.certificateChainPEM], issuers: try ders.dropFirst() + root.chainDER())
    }
}
