/// Keeps credentials by protection space: ``MemoryCredentialStore``, ``FileCredentialStore``, or one of your own.
///
/// A session asks its ``SessionSettings/credentialStore`` when a server asks for credentials, unless others that it has were not tried
/// yet. Requests call it at once from many tasks.
public protocol CredentialStore: AnyObject, Sendable {
    /// Returns the credential of a protection space; nil if there is none.
    ///
    /// What it throws fails the request with `authenticationFailed`, as the `underlying` error.
    func credential(for space: ProtectionSpace) async throws -> Credential?

    /// Keeps a credential in place of the former one of its protection space, or removes that by nil.
    func setCredential(_ credential: Credential?, for space: ProtectionSpace) async throws
}
