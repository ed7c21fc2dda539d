import Crypto
import Synchronization

/// Caches derived signing keys; each is valid for one day, region and service.
package final class AWSDerivedKeys: Sendable, CustomReflectable {
    struct Kept: Sendable {
        let scope: String
        let secret: SHA256Digest
        let key: HMAC<SHA256>

        func isFor(_ scope: AWSScope, _ credentials: AWSCredentials) -> Bool {
            self.scope == scope.text && secret == credentials.secretDigest
        }
    }

    /// The cache of all sessions.
    package static let shared = AWSDerivedKeys()

    /// The maximum number of keys; a new key evicts the oldest.
    static let limit = 4

    let kept = Mutex<[Kept]>([])

    package init() {}

    /// Returns the key that signs in a scope.
    func key(_ scope: AWSScope, _ credentials: AWSCredentials) -> HMAC<SHA256> {
        if let known = kept.withLock({ $0.first { $0.isFor(scope, credentials) } }) { return known.key }
        let key = scope.key(credentials.secretKey)
        kept.withLock { kept in
            // Another task may have derived it at the same time.
            kept.removeAll { $0.isFor(scope, credentials) }
            if kept.count == Self.limit { kept.removeFirst() }
            kept.append(Kept(scope: scope.text, secret: credentials.secretDigest, key: key))
        }
        return key
    }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
