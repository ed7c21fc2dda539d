import Sterna
import SternaCore
public import SternaPlatform
import SternaSerialization
import Synchronization

extension Recorder {
    /// What a TLS handshake has agreed on. The version is in the attempt's metrics.
    public struct TLS: Sendable, Hashable {
        /// The application protocol that the server chose (ALPN), such as `h2`; nil if it chose none.
        public let applicationProtocol: String?

        /// The certificates that the server presented, its own first, at most 10: also those that the path to a trusted root does
        /// not need.
        public let certificates: [Certificate]

        /// The policy's pins that match one of these certificates, as text.
        public let pins: [String]
    }

    /// A certificate that a server presented.
    public struct Certificate: Sendable, Hashable {
        /// The subject, as an RFC 4514 name.
        public let subject: String

        /// The issuer, as the certificate names it.
        public let issuer: String

        /// The start of its validity.
        public let notBefore: Date

        /// The end of its validity.
        public let notAfter: Date

        /// The SHA-256 of the certificate in hexadecimal.
        public let fingerprint: String
    }
}

extension Recorder.TLS {
    init(_ details: TLSDetails) {
        applicationProtocol = details.applicationProtocol
        pins = details.pins
        certificates = details.reading { chain in
            chain.compactMap { CertificateSummary(der: $0).map(Recorder.Certificate.init) }
        }
    }

    /// The member `_tls` of an entry. Its names do not mark secrets.
    var json: JSON {
        var tree: JSON = ["certificates": .array(certificates.map(\.json))]
        if let applicationProtocol { tree["applicationProtocol"] = JSON(applicationProtocol) }
        if !pins.isEmpty { tree["matched"] = .array(pins.map { JSON($0) }) }
        return tree
    }

    /// Reads the member `_tls`; nil for anything else.
    init?(json: JSON) {
        guard let list = json["certificates"].array else { return nil }
        certificates = list.prefix(10).compactMap { Recorder.Certificate(json: $0) }
        applicationProtocol = json["applicationProtocol"].string
        pins = json["matched"].array?.compactMap(\.string) ?? []
    }
}

extension Recorder.Certificate {
    fileprivate init(_ summary: CertificateSummary) {
        self.init(
            subject: summary.subject, issuer: summary.issuer, notBefore: summary.notBefore, notAfter: summary.notAfter,
            fingerprint: summary.fingerprint)
    }

    fileprivate var json: JSON {
        [
            "subject": JSON(subject), "issuer": JSON(issuer), "notBefore": JSON(HARDate.text(notBefore)),
            "notAfter": JSON(HARDate.text(notAfter)), "sha256": JSON(fingerprint),
        ]
    }

    fileprivate init?(json: JSON) {
        guard let subject = json["subject"].string, let issuer = json["issuer"].string,
            let notBefore = json["notBefore"].string.flatMap(HARDate.date),
            let notAfter = json["notAfter"].string.flatMap(HARDate.date)
        else { return nil }
        self.init(
            subject: subject, issuer: issuer, notBefore: notBefore, notAfter: notAfter,
            fingerprint: json["sha256"].string ?? "")
    }
}
