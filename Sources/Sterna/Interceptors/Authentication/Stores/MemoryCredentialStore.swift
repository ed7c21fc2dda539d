import SternaCore
import Synchronization

/// Stores credentials in memory.
public final class MemoryCredentialStore: CredentialStore {
    private let credentials: Mutex<[ProtectionSpace: Credential]>

    /// Makes a store with credentials; empty by default.
    public init(_ credentials: [ProtectionSpace: Credential] = [:]) { self.credentials = Mutex(credentials) }

    public func credential(for space: ProtectionSpace) -> Credential? { credentials.withLock { $0[space] } }

    public func setCredential(_ credential: Credential?, for space: ProtectionSpace) {
        credentials.withLock { $0[space] = credential }
    }

    /// Removes all credentials.
    public func removeAll() { credentials.withLock { $0 = [:] } }
}

extension MemoryCredentialStore: CustomReflectable {
    /// Shows the number of credentials.
    public var customMirror: Mirror { Mirror(self, children: ["count": credentials.withLock { $0.count }]) }
}
