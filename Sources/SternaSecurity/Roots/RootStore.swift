import Logging
import SternaCore
import SternaPlatform
import SwiftASN1
import Synchronization
import X509

/// Loads root certificates, each set once per process.
final class RootStore: Sendable {
    /// The shared store.
    static let shared = RootStore()

    private struct Loaded {
        let set: TrustRoots
        let roots: Roots
    }

    private struct Loading {
        let set: TrustRoots
        let task: Task<Result<Roots, SternaError>, Never>
    }

    // Lists, since there are few sets, and each dictionary type costs time at a program's start.
    private let loaded = Mutex<[Loaded]>([])
    private let loading = Mutex<[Loading]>([])

    /// A set of roots, and the certificates left out of it.
    struct Roots: Sendable {
        var store: CertificateStore
        var certificates: Set<Certificate>
        var count: Int
        /// The number of unreadable certificates, which were skipped.
        var skipped: Int
        /// The source of the roots, for messages.
        var source: String
    }

    init() {}

    /// Returns the roots of a set. Reads files outside of event loops and the threads of tasks; concurrent callers share one read.
    ///
    /// Throws `certificateRejected` without a file, or without a certificate in it. Errors are not cached: the next call reads
    /// again.
    func load(_ set: TrustRoots) async throws(SternaError) -> Roots {
        if let known = known(set) { return known }
        let task = loading.withLock { all in
            if let known = all.first(where: { $0.set == set }) { return known.task }
            let task = Task { () -> Result<Roots, SternaError> in
                let result = try? await BlockingWork.run {
                    Result { () throws(SternaError) in try self.roots(set) }
                }
                self.loading.withLock { $0.removeAll { $0.set == set } }
                return result ?? .failure(CertificateFiles.unreadable("the roots"))
            }
            all.append(Loading(set: set, task: task))
            return task
        }
        return try await task.value.get()
    }

    /// Returns the roots of a set; blocks while files are read the first time.
    func roots(_ set: TrustRoots) throws(SternaError) -> Roots {
        if let known = known(set) { return known }
        let roots = try Self.read(set)
        loaded.withLock { all in
            // Callers may pass any number of texts, so the cache is bounded.
            if all.count >= 64 { all.removeAll() }
            all.append(Loaded(set: set, roots: roots))
        }
        return roots
    }

    private func known(_ set: TrustRoots) -> Roots? { loaded.withLock { $0.first { $0.set == set }?.roots } }

    private static func read(_ set: TrustRoots) throws(SternaError) -> Roots {
        var found = Found()
        try collect(set, into: &found, depth: 0)
        let source = found.sources.joined(separator: ", ")
        guard !found.certificates.isEmpty else {
            throw SternaError(
                .certificateRejected, phase: .tls,
                "There is no certificate in \(source) that can be read, so no server could be trusted.")
        }
        return Roots(
            store: CertificateStore(found.certificates), certificates: Set(found.certificates),
            count: found.certificates.count, skipped: found.skipped, source: source)
    }

    private struct Found {
        var certificates: [Certificate] = []
        var skipped = 0
        var sources: [String] = []
    }

    private static func collect(_ set: TrustRoots, into found: inout Found, depth: Int) throws(SternaError) {
        switch set {
        case .pem(let text): take(Array(text.utf8), from: "the certificates given", into: &found)
        case .certificates(let list):
            found.sources.append("the certificates given")
            for der in list { take(der: der, from: "the certificates given", into: &found) }
        case .file(let path):
            take(try CertificateFiles.read(path, what: "The root certificates"), from: path, into: &found)
        case .folder(let folder):
            found.sources.append(folder)
            // A dangling link in such a folder must not fail the whole store.
            for path in CertificateFiles.files(inFolder: folder) {
                guard let bytes = try? CertificateFiles.read(path, what: "The root certificates") else {
                    found.skipped += 1
                    continue
                }
                take(bytes, from: path, into: &found, isNamed: false)
            }
        case .all(let sets):
            guard depth < 16 else { return }
            for set in sets { try collect(set, into: &found, depth: depth + 1) }
        case .system:
            let sources = SystemRoots.sources()
            guard !sources.isEmpty else {
                throw SternaError(
                    .certificateRejected, phase: .tls,
                    "No root certificates were found on this system; install the ca-certificates package, or set "
                        + "SSL_CERT_FILE to a file in PEM.")
            }
            for source in sources { try collect(source, into: &found, depth: depth + 1) }
        }
    }

    private static func take(_ bytes: [UInt8], from source: String, into found: inout Found, isNamed: Bool = true) {
        if isNamed { found.sources.append(FieldSyntax.printable(source)) }
        let (certificates, unreadable) = CertificateFiles.certificates(in: bytes)
        if unreadable > 0 { warn("skipped \(unreadable) objects that are not certificates", source) }
        found.skipped += unreadable
        for der in certificates { take(der: der, from: source, into: &found) }
    }

    // One unreadable certificate would fail a whole store, so each is parsed separately.
    private static func take(der: [UInt8], from source: String, into found: inout Found) {
        if let certificate = try? Certificate(derEncoded: der) {
            found.certificates.append(certificate)
            return
        }
        found.skipped += 1
        let reason = RawCertificate(der).flatMap(KeyStrength.refusal) ?? "its algorithms are not supported"
        warn("skipped root certificate \(Pin.fingerprint(der)): \(reason)", source)
    }

    private static func warn(_ text: String, _ source: String) {
        Logger(label: "sterna.security").warning("\(text), in \(FieldSyntax.printable(source))")
    }
}

extension Pin {
    fileprivate static func fingerprint(_ der: [UInt8]) -> String {
        Pin(subject: .certificate(der)).description.split(separator: " ").last.map(String.init) ?? ""
    }
}
