import Crypto
import SternaPlatform
import Synchronization
import X509

/// Caches the paths found to trusted roots, so that the next connection to a server skips the search.
///
/// Failures are not cached: a certificate may become valid, or a root be added.
final class VerdictCache: Sendable {
    static let shared = VerdictCache()

    /// The maximum lifetime of a path, in seconds.
    static let lifetime = 600.0

    private static let maximumEntries = 256

    struct Key: Equatable, Sendable {
        let digest: [UInt8]
        let host: String
        let checksHost: Bool
        let roots: TrustRoots

        init(_ presented: [[UInt8]], host: String, checksHost: Bool, roots: TrustRoots) {
            var hash = SHA256()
            for der in presented {
                withUnsafeBytes(of: UInt64(der.count).littleEndian) { hash.update(bufferPointer: $0) }
                hash.update(data: der)
            }
            digest = Array(hash.finalize())
            self.host = host
            self.checksHost = checksHost
            self.roots = roots
        }
    }

    private struct Entry {
        let key: Key
        let chain: [CheckedCertificate]
        let from: Double
        let until: Double
    }

    // A list, since each dictionary type costs time at a program's start. Most keys differ in their first bytes, those of the
    // digest.
    private let entries = Mutex<[Entry]>([])

    /// Returns the cached path if it is valid at that time.
    func chain(_ key: Key, at now: Double) -> [CheckedCertificate]? {
        entries.withLock { entries in
            guard let entry = entries.first(where: { $0.key == key }) else { return nil }
            if entry.from <= now, now < entry.until { return entry.chain }
            return nil
        }
    }

    /// Caches a path until the first of its certificates expires, at most ten minutes.
    func keep(_ chain: [CheckedCertificate], for key: Key, at now: Double) {
        let expiry = chain.map(\.certificate.notValidAfter.timeIntervalSince1970).min() ?? now
        let entry = Entry(key: key, chain: chain, from: now, until: min(expiry, now + Self.lifetime))
        entries.withLock { entries in
            // Bounds the cache; hosts that the program contacts often are cached again at once.
            if entries.count >= Self.maximumEntries { entries.removeAll(keepingCapacity: true) }
            entries.removeAll { $0.key == key }
            entries.append(entry)
        }
    }

    /// The number of cached paths.
    var count: Int { entries.withLock { $0.count } }
}
