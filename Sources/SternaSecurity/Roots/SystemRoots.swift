import SternaPlatform

/// The places where systems keep their trusted root certificates.
enum SystemRoots {
    static let locations = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Gentoo, Alpine
        "/etc/pki/tls/certs/ca-bundle.crt",  // Fedora, RHEL 6
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // RHEL 7 and later, Amazon Linux
        "/etc/ssl/ca-bundle.pem",  // openSUSE
        "/etc/pki/tls/cacert.pem",  // OpenELEC
        "/etc/ssl/cert.pem",  // Alpine, macOS, FreeBSD
        "/usr/local/share/certs/ca-root-nss.crt",  // FreeBSD
        "/usr/share/ssl/certs/ca-bundle.crt",
    ]

    /// The folders to search if none of the files exists.
    static let folders = ["/etc/ssl/certs", "/etc/pki/tls/certs", "/system/etc/security/cacerts"]

    /// Returns the files and folders. OpenSSL's two environment variables replace the system's locations if either is set.
    static func sources(environment: [String: String] = ProcessInfo.processInfo.environment) -> [TrustRoots] {
        let file = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        let named = (environment["SSL_CERT_DIR"] ?? "").split(separator: ":").map(String.init)
        if file != nil || !named.isEmpty {
            return (file.map { [.file($0)] } ?? []) + named.map { .folder($0) }
        }
        if let usual = locations.first(where: { FileManager.default.isReadableFile(atPath: $0) }) {
            return [.file(usual)]
        }
        return folders.first { !CertificateFiles.files(inFolder: $0).isEmpty }.map { [.folder($0)] } ?? []
    }
}
