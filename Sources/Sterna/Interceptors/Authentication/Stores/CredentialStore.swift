/// Stores credentials by protection space: ``MemoryCredentialStore``, ``FileCredentialStore``, or a type of your own.
///
/// A session queries its ``SessionSettings/Auth/credentialStore`` when a server asks for credentials and those of the URL, the
/// request and the session have been refused or do not exist. Tasks call it concurrently.
public protocol CredentialStore: AnyObject, Sendable {
    /// Returns the credential of a protection space; nil if there is none.
    ///
    /// A thrown ``SternaCore/SternaError`` fails the request; any other error fails it with `authenticationFailed`, as the
    /// `underlying` one.
    func credential(for space: ProtectionSpace) async throws -> Credential?

    /// Sets the credential of a protection space; nil removes it. If it throws, the request succeeds, with a note on its response.
    func setCredential(_ credential: Credential?, for space: ProtectionSpace) async throws
}
