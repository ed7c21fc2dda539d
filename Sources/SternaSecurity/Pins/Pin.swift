import Crypto
public import SternaCore
import SternaPlatform

/// A key or certificate that a server's chain must contain.
///
/// The text of a pin is `sha256/` and the Base64 of the SHA-256 of a SubjectPublicKeyInfo, as in OkHttp and RFC 7469; curl's
/// `sha256//` is accepted, too. `tern cert URL` prints the pins of a server. Pin at least two keys, one of them kept offline: a
/// server that loses its only pinned key becomes unreachable.
public struct Pin: Sendable, Hashable {
    enum Subject: Hashable, Sendable {
        case key([UInt8])
        case certificate([UInt8])
        case unreadable(String)
    }

    let subject: Subject

    /// Parses a pin of a key; throws `invalidRequest` if the text is not one.
    public init(_ text: String) throws(SternaError) {
        self.init(stringLiteral: text)
        if let error { throw error }
    }

    /// Returns a pin of a certificate's key, from DER; throws `certificateRejected` if the bytes are not a certificate.
    public static func publicKey(of certificate: [UInt8]) throws(SternaError) -> Pin {
        guard let raw = RawCertificate(certificate) else { throw CertificateFiles.unreadable("the certificate") }
        return Pin(keyHash: raw.keyHash)
    }

    /// Returns a pin of a whole certificate in DER; throws `certificateRejected` if the bytes are not one.
    public static func certificate(_ certificate: [UInt8]) throws(SternaError) -> Pin {
        guard RawCertificate(certificate) != nil else { throw CertificateFiles.unreadable("the certificate") }
        return Pin(subject: .certificate(certificate))
    }

    init(subject: Subject) { self.subject = subject }

    init(keyHash: [UInt8]) { subject = .key(keyHash) }

    /// The error of a pin written as an invalid literal; a policy with such a pin refuses every server.
    var error: SternaError? {
        guard case .unreadable(let text) = subject else { return nil }
        return SternaError(
            .invalidRequest, phase: .prepare,
            "“\(FieldSyntax.printable(text, limit: 100))” is not a pin: write sha256/ and the Base64 of 32 bytes; “tern cert URL” "
                + "prints a server's pins.")
    }
}

extension Pin: ExpressibleByStringLiteral {
    /// Parses a pin of a key; an invalid one is an error when the session is made.
    public init(stringLiteral text: String) {
        // The Base64 may begin with a slash, so the length decides.
        let digits = ["sha256//", "sha256/"].filter(text.hasPrefix).map { text.dropFirst($0.count) }
            .first { $0.utf8.count == 44 }
        guard let digits, let hash = Data(base64Encoded: String(digits)), hash.count == 32
        else {
            subject = .unreadable(text)
            return
        }
        subject = .key(Array(hash))
    }
}

extension Pin: CustomStringConvertible {
    /// The pin as text; for a certificate, its fingerprint.
    public var description: String {
        switch subject {
        case .key(let hash): "sha256/\(Data(hash).base64EncodedString())"
        case .certificate(let der): "certificate \(Hexadecimal.text(SHA256.hash(data: der)))"
        case .unreadable(let text): "“\(FieldSyntax.printable(text, limit: 100))” (not a pin)"
        }
    }
}

/// The certificates of a chain that must be pinned.
public enum PinningRule: String, Sendable, Hashable, Codable, CaseIterable {
    /// Any certificate of the validated chain; the default, and the rule of AFNetworking and OkHttp.
    case any
    /// The server's own certificate.
    case leaf
    /// Every certificate, including the root.
    case all
}

extension Pin {
    func matches(_ certificate: CheckedCertificate) -> Bool {
        switch subject {
        case .key(let hash): certificate.raw.keyHash == hash
        case .certificate(let der): certificate.der == der
        case .unreadable: false
        }
    }
}

extension SecurityPolicy {
    /// Returns the pins that match one of the certificates in DER, as text.
    package func matchingPins(in chain: [[UInt8]]) -> [String] {
        if pins.isEmpty { return [] }
        let keys = chain.map { RawCertificate($0)?.keyHash }
        return pins.filter { pin in
            switch pin.subject {
            case .key(let hash): keys.contains(hash)
            case .certificate(let der): chain.contains(der)
            case .unreadable: false
            }
        }.map(\.description).sorted()
    }
}

extension PinningRule {
    /// Returns whether the pins cover a chain, in order from leaf to root.
    func holds(for chain: [CheckedCertificate], pins: Set<Pin>) -> Bool {
        func isPinned(_ certificate: CheckedCertificate) -> Bool { pins.contains { $0.matches(certificate) } }
        return switch self {
        case .any: chain.contains(where: isPinned)
        case .leaf: chain.first.map(isPinned) ?? false
        case .all: !chain.isEmpty && chain.allSatisfy(isPinned)
        }
    }
}
