import SternaPlatform

extension SecurityPolicy {
    /// The policy's requirements for a server, as text that is the same in every process; empty for the requirements of ``system``.
    ///
    /// Closures have no text: see ``hasClosures``. Identities and TLS versions are not included.
    package var requirements: String {
        var parts: [String] = []
        if roots != .system { parts.append("roots \(Self.text(of: roots))") }
        if !pins.isEmpty {
            parts.append("pins \(pinningRule.rawValue) \(pins.map(\.description).sorted().joined(separator: " "))")
        }
        if mustPin, pins.isEmpty { parts.append("no pins") }
        if allowsInvalidCertificates { parts.append("any certificate") }
        if !validatesDomainName { parts.append("any name") }
        if let name = tls.serverName { parts.append("name \(name)") }
        if let verificationTime { parts.append("at \(verificationTime.timeIntervalSince1970)") }
        if refusesAll { parts.append("none") }
        return parts.joined(separator: "\n")
    }

    /// Whether the program's code takes part in the verdict.
    package var asksUserCode: Bool { !evaluators.isEmpty || challengeHandler != nil }

    private static func text(of roots: TrustRoots) -> String {
        switch roots {
        case .system: "system"
        case .file(let path): "file \(path)"
        case .folder(let path): "folder \(path)"
        case .pem(let text): "pem \(text)"
        case .certificates(let all): all.map { "der \(Data($0).base64EncodedString())" }.joined(separator: "\n")
        case .all(let parts): parts.map(text).joined(separator: "\n")
        }
    }
}
