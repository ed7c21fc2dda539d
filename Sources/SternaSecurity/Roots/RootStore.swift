import FoundationEssentials
import Logging
import SternaCore
import SwiftASN1
import Synchronization
import X509

/// Loads root certificates, each set once for the life of the process.
final class RootStore: Sendable {
    /// The store everybody shares.
    static let shared = RootStore()

    private let loaded = Mutex<[TrustRoots: Roots]>([:])

    /// A set of roots and what was left out of it.
    struct Roots: Sendable {
        var store: CertificateStore
        var certificates: Set<Certificate>
        var count: Int
        /// How many certificates could not be read and were passed over.
        var skipped: Int
        /// Where they came from, for messages.
        var source: String
    }

    init() {}

    /// The roots of a set; blocks while a file is read the first time, so it is not called on an event loop.
    ///
    /// Throws `certificateRejected` where there is no file, or no certificate in it. A failure is not kept: the next
    /// call looks again.
    func roots(_ set: TrustRoots) throws(SternaError) -> Roots {
        if let known = loaded.withLock({ $0[set] }) { return known }
        let roots = try Self.load(set)
        loaded.withLock { all in
            // Texts given by callers are as many as they like to make; only a bounded number is kept.
            if all.count >= 64 { all.removeAll() }
            all[set] = roots
        }
        return roots
    }

    private static func load(_ set: TrustRoots) throws(SternaError) -> Roots {
        switch set {
        case .pem(let text): return try parse(text, source: "the certificates given")
        case .file(let path): return try parse(try read(path), source: path)
        case .system:
            guard let path = SystemRoots.file() else {
                throw SternaError(
                    .certificateRejected, phase: .tls,
                    "No root certificates were found on this system; install the ca-certificates package, or set "
                        + "SSL_CERT_FILE to a file in PEM.")
            }
            return try parse(try read(path), source: path)
        }
    }

    private static func read(_ path: String) throws(SternaError) -> String {
        do {
            return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        } catch {
            throw SternaError(
                .certificateRejected, phase: .tls, "The root certificates in “\(path)” cannot be read.",
                underlying: error)
        }
    }

    private static func parse(_ text: String, source: String) throws(SternaError) -> Roots {
        // One certificate that cannot be read would fail a whole store, so each is read by itself.
        var certificates: [Certificate] = []
        var skipped = 0
        for block in PEMBlocks.certificates(in: text) {
            if let certificate = try? Certificate(pemEncoded: block) {
                certificates.append(certificate)
            } else {
                skipped += 1
            }
        }
        if skipped > 0 {
            Logger(label: "sterna.security").warning(
                "passed over \(skipped) root certificates that cannot be read in \(source)")
        }
        guard !certificates.isEmpty else {
            throw SternaError(
                .certificateRejected, phase: .tls,
                "There is no certificate in PEM in \(source); nothing could be trusted.")
        }
        return Roots(
            store: CertificateStore(certificates), certificates: Set(certificates), count: certificates.count,
            skipped: skipped, source: source)
    }
}

/// Where systems keep the root certificates they trust.
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

    static func file(environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        if let named = environment["SSL_CERT_FILE"], !named.isEmpty { return named }
        return locations.first { FileManager.default.isReadableFile(atPath: $0) }
    }
}

/// Cuts a text in PEM into its certificates.
enum PEMBlocks {
    static let begin = "-----BEGIN CERTIFICATE-----"
    static let end = "-----END CERTIFICATE-----"

    static func certificates(in text: String) -> [String] {
        var blocks: [String] = []
        var lines: [Substring]?
        for line in text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) {
            if line.hasPrefix(begin) {
                lines = [Substring(begin)]
            } else if line.hasPrefix(end), let block = lines {
                blocks.append((block + [Substring(end)]).joined(separator: "\n"))
                lines = nil
            } else {
                lines?.append(line)
            }
        }
        return blocks
    }
}
