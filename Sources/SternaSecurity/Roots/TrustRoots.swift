/// The trusted root certificates.
///
///     policy.roots = .file("/etc/acme/root.pem")              // instead of the system's
///     policy.roots = .system + .file("/etc/acme/root.pem")    // added to them
///
/// Files and folders contain PEM or DER. Each is read once, outside of event loops, at the first evaluation of a server. Unreadable
/// entries are skipped and logged.
public indirect enum TrustRoots: Sendable, Hashable {
    /// The system's roots: from the locations of common distributions, or from the file in `SSL_CERT_FILE` and the folders in
    /// `SSL_CERT_DIR` if either variable is set.
    case system
    /// The certificates of a file.
    case file(String)
    /// The certificates of the files of a folder: `.pem`, `.crt`, `.cer`, `.der`, and OpenSSL's names of eight digits.
    case folder(String)
    /// Certificates in PEM.
    case pem(String)
    /// Certificates in DER.
    case certificates([[UInt8]])
    /// The roots of several sets.
    case all([TrustRoots])

    /// Returns the roots of both.
    public static func + (left: TrustRoots, right: TrustRoots) -> TrustRoots {
        .all(left.parts + right.parts)
    }

    private var parts: [TrustRoots] {
        if case .all(let parts) = self { parts } else { [self] }
    }
}
