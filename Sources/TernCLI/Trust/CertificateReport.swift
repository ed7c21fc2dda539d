import Sterna
import SternaPlatform

/// A report on a server's certificates, for people and for programs.
enum CertificateReport {
    /// Returns the lines of the report.
    static func lines(_ seen: TrustInspection, isColoured: Bool) -> [String] {
        let evaluation = seen.evaluation
        var lines: [String] = []
        switch evaluation.verdict {
        case .trusted: lines.append(Colour.green.wrap("trusted", if: isColoured) + " for \(evaluation.host)")
        case .overlooked: lines.append(Colour.yellow.wrap("not checked", if: isColoured) + " for \(evaluation.host)")
        case .rejected(let failure):
            lines.append(
                Colour.red.wrap("not trusted", if: isColoured) + " for \(evaluation.host): "
                    + TerminalText.line("\(failure.reason). \(failure.advice)"))
        }
        if let version = seen.version { lines.append("TLS \(version.rawValue)") }
        if let failure = seen.failure { lines.append(TerminalText.line(failure.detail)) }
        for (index, certificate) in evaluation.certificates.enumerated() {
            lines.append("")
            lines += Self.lines(certificate, index: index, isColoured: isColoured)
        }
        return lines
    }

    private static func lines(_ certificate: CertificateSummary, index: Int, isColoured: Bool) -> [String] {
        let head = "\(index)  \(certificate.subject)"
        var lines = [Colour.bold.wrap(TerminalText.line(head), if: isColoured)]
        func add(_ name: String, _ value: String) {
            lines.append("   \(name.padded(to: 12))\(TerminalText.line(value))")
        }
        add("issuer", certificate.isSelfIssued ? "itself" : certificate.issuer)
        add("valid", "\(day(certificate.notBefore)) to \(day(certificate.notAfter))")
        if !certificate.names.isEmpty {
            let more = certificate.names.count > 20 ? " and \(certificate.names.count - 20) more" : ""
            add("names", certificate.names.prefix(20).joined(separator: ", ") + more)
        }
        add("key", certificate.key)
        add("signature", certificate.signatureAlgorithm)
        add("serial", certificate.serialNumber)
        add("fingerprint", certificate.fingerprint)
        add("pin", certificate.pin)
        return lines
    }

    /// Returns the subject, the issuer and the validity of a certificate on one line.
    static func brief(_ certificate: CertificateSummary) -> String {
        TerminalText.line(
            "\(certificate.subject), issued by "
                + "\(certificate.isSelfIssued ? "itself" : certificate.issuer), valid \(day(certificate.notBefore)) to "
                + day(certificate.notAfter))
    }

    /// Returns a short summary of the presented certificates, for the end of an error.
    static func summary(_ certificates: [CertificateSummary]) -> [String] {
        certificates.enumerated().flatMap { index, certificate in
            [
                "  \(index)  \(brief(certificate))",
                "     pin \(certificate.pin)",
            ]
        }
    }

    /// Returns the report as JSON: dates in ISO 8601, certificates in Base64.
    static func json(_ seen: TrustInspection) -> JSON {
        let evaluation = seen.evaluation
        var report: JSON.Object = [:]
        report["host"] = .string(evaluation.host)
        report["trusted"] = .bool(evaluation.verdict == .trusted)
        if let failure = evaluation.verdict.failure {
            report["check"] = .string(failure.check.rawValue)
            report["reason"] = .string(failure.reason)
            report["advice"] = .string(failure.advice)
        }
        if let version = seen.version { report["tls"] = .string(version.rawValue) }
        if let failure = seen.failure { report["handshake"] = .string(failure.detail) }
        report["certificates"] = .array(evaluation.certificates.map(json))
        return .object(report)
    }

    private static func json(_ certificate: CertificateSummary) -> JSON {
        let texts: [(String, String)] = [
            ("subject", certificate.subject), ("issuer", certificate.issuer),
            ("notBefore", certificate.notBefore.formatted(.iso8601)),
            ("notAfter", certificate.notAfter.formatted(.iso8601)), ("key", certificate.key),
            ("signatureAlgorithm", certificate.signatureAlgorithm), ("serialNumber", certificate.serialNumber),
            ("fingerprint", certificate.fingerprint), ("pin", certificate.pin),
        ]
        var object: JSON.Object = [:]
        for (name, text) in texts { object[name] = .string(text) }
        object["names"] = .array(certificate.names.map { JSON.string($0) })
        object["der"] = .string(Data(certificate.der).base64EncodedString())
        return .object(object)
    }

    private static func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        count < width ? self + String(repeating: " ", count: width - count) : self + " "
    }
}
