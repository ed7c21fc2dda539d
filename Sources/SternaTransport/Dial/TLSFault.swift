import NIOSSL
import SternaCore
import SternaSecurity

/// Errors for handshakes that the TLS library or the server ends.
enum TLSFault {
    /// Returns the error for a failed handshake with a host.
    static func handshake(_ cause: (any Error)?, host: String) -> SternaError {
        if let known = cause as? SternaError { return known }
        guard let cause else {
            return SternaError(
                .tlsFailed, phase: .tls, "The TLS handshake with \(host) failed: the server closed the connection."
            ).advised(.useHTTP)
        }
        let reasons = reasons(of: cause)
        if reasons.contains("KEY_USAGE_BIT_INCORRECT") {
            let failure = TrustFailure(.keyUsage, "its key usage does not allow a handshake")
            return SternaError(
                .certificateRejected, phase: .tls, "The certificate of \(host) is not trusted: \(failure).",
                underlying: failure)
        }
        if let said = alert(reasons) { return refusal("The TLS handshake with \(host) failed: \(said)", cause) }
        let known = explanations.first { reasons.contains($0.key) }?.value
        let rest = reasons.isEmpty ? "the connection broke." : "\(reasons.joined(separator: ", "))."
        var error = SternaError(
            .tlsFailed, phase: .tls, "The TLS handshake with \(host) failed: \(known?.what ?? rest)", underlying: cause
        ).advised(known?.advice ?? .useHTTP)
        error.refusesIdentity = reasons.contains("SSLV3_ALERT_HANDSHAKE_FAILURE")
        return error
    }

    /// Returns the error for a server that rejects the client's certificate after a TLS 1.3 handshake, which ends before the server
    /// checks it; nil for other errors.
    static func late(_ cause: (any Error)?, host: String) -> SternaError? {
        guard let cause, let said = alert(reasons(of: cause)) else { return nil }
        return refusal("The server \(host) ended the connection: \(said)", cause)
    }

    private static func refusal(_ detail: String, _ cause: any Error) -> SternaError {
        var error = SternaError(.tlsFailed, phase: .tls, detail, underlying: cause).advised(.giveIdentity)
        error.refusesIdentity = true
        return error
    }

    /// Returns the error for a TLS failure after the handshake; nil if the connection just ended.
    static func broken(_ cause: (any Error)?, host: String) -> SternaError? {
        guard let cause = cause as? BoringSSLError, case .sslError = cause else { return nil }
        let reasons = reasons(of: cause)
        if reasons.contains("NO_RENEGOTIATION") {
            return SternaError(
                .tlsFailed, phase: .tls,
                "The server \(host) asked for TLS renegotiation on an open connection, which Sterna refuses. "
                    + "A server that requires a client certificate must request it in the first handshake.",
                underlying: cause)
        }
        // An alert is how a server ends the connection.
        guard !reasons.isEmpty, !reasons.contains(where: { $0.contains("_ALERT_") }) else { return nil }
        return SternaError(
            .tlsFailed, phase: .tls, "The TLS connection with \(host) broke: \(reasons.joined(separator: ", ")).",
            underlying: cause
        ).advised(.sendAgain)
    }

    /// Whether the peer ended the connection without close_notify (RFC 8446, 6.1).
    static func isUncleanEnd(_ error: any Error) -> Bool {
        if case NIOSSLError.uncleanShutdown = error { true } else { false }
    }

    private static let explanations: [String: (what: String, advice: ErrorAdvice)] = [
        "WRONG_VERSION_NUMBER": ("the server does not speak TLS on this port.", .useHTTP),
        "HTTP_REQUEST": ("the server does not speak TLS on this port.", .useHTTP),
        "eofDuringHandshake": ("the server closed the connection.", .useHTTP),
        "TLSV1_ALERT_PROTOCOL_VERSION":
            ("the server supports none of the TLS versions that the policy allows.", .checkTLSVersions),
        "UNSUPPORTED_PROTOCOL":
            ("the server supports none of the TLS versions that the policy allows.", .checkTLSVersions),
        "NO_SUPPORTED_VERSIONS_ENABLED": ("the policy allows no TLS version.", .checkTLSVersions),
        "TLSV1_ALERT_UNRECOGNIZED_NAME": ("the server does not know this host name.", .checkServerName),
        "SSLV3_ALERT_HANDSHAKE_FAILURE":
            (
                "the server refused it: it requires a client certificate, or shares no TLS version or cipher suite with the client.",
                .matchTLS
            ),
        "DECODE_ERROR": ("the server sent an invalid message, or a certificate that cannot be read.", .reportServer),
    ]

    /// Returns what the server's alert says of the client's certificate; nil for other alerts.
    static func alert(_ reasons: [String]) -> String? {
        for reason in reasons {
            switch reason {
            case "TLSV1_ALERT_CERTIFICATE_REQUIRED", "TLSV13_ALERT_CERTIFICATE_REQUIRED":
                return "it requires a client certificate, and none was sent."
            case "TLSV1_ALERT_UNKNOWN_CA":
                return "it does not know the client certificate's authority."
            case "SSLV3_ALERT_CERTIFICATE_EXPIRED": return "the client certificate has expired."
            case "SSLV3_ALERT_CERTIFICATE_REVOKED": return "the client certificate was revoked."
            case "SSLV3_ALERT_BAD_CERTIFICATE", "SSLV3_ALERT_UNSUPPORTED_CERTIFICATE",
                "SSLV3_ALERT_CERTIFICATE_UNKNOWN",
                "TLSV1_ALERT_ACCESS_DENIED", "SSLV3_ALERT_NO_CERTIFICATE":
                return "it does not accept the client certificate, or requires one and received none."
            case "TLSV1_ALERT_DECODE_ERROR":
                return
                    "it could not decode the client's message; some servers say so if they require a client certificate and "
                    + "receive none."
            default: continue
            }
        }
        return nil
    }

    /// Returns the library's reasons; its full text names files of the machine that it was built on.
    private static func reasons(of cause: any Error) -> [String] {
        let text = "\(cause)"
        var found: [String] = []
        for piece in text.split(whereSeparator: { ":[]() ,".contains($0) }) {
            let isReason = piece.utf8.count > 3 && piece.utf8.allSatisfy { isReasonByte($0) } && piece.contains("_")
            if isReason || piece.hasSuffix("eofDuringHandshake") {
                found.append(isReason ? String(piece) : "eofDuringHandshake")
            }
        }
        return found.filter { $0 != "OPENSSL_internal" }
    }

    private static func isReasonByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
