import SternaCore
import SternaPlatform

/// Stores credentials in a file that only its owner can read (mode 0600), for programs without a keychain.
///
///     settings.auth.credentialStore = try FileCredentialStore(path: "/home/ada/.config/app/credentials.json")
///
/// The file is JSON. It is read whenever a credential is needed, and replaced atomically when one is set. A file that other users
/// own, can read or can change, a symbolic link, and a file with other content are refused and left unchanged. If two processes set
/// credentials at the same time, one of the changes may be lost.
public final class FileCredentialStore: CredentialStore {
    /// The path of the file, which need not exist yet.
    public let path: String

    // In order, so that no change of this process is lost.
    private let work = BlockingWork("sterna.credentials", inOrder: true)

    /// Makes a store with a file, which need not exist; its folder must. Throws `fileUnreadable` for a file that is refused.
    public init(path: some FileReference) throws(SternaError) {
        let path = try path.filePath()
        self.path = path
        _ = try Self.load(path)
    }

    public func credential(for space: ProtectionSpace) async throws -> Credential? {
        try await work.run { [path] in try Self.load(path).credentials[space] }
    }

    /// Saves the credential of a protection space, or removes it by nil. Throws `fileUnreadable` for a file that is refused, and
    /// `writeFailed`.
    public func setCredential(_ credential: Credential?, for space: ProtectionSpace) async throws {
        try await work.run { [path] in
            var file = try Self.load(path)
            guard file.credentials[space] != credential else { return }
            file.credentials[space] = credential
            let content: [UInt8]
            do throws(CredentialFile.Fault) {
                content = try file.content()
            } catch {
                throw Self.file(path).unwritable(FileFault(error.reason))
            }
            try Self.file(path).write(content)
        }
    }

    /// Reads the file; a missing file has no credentials.
    private static func load(_ path: String) throws(SternaError) -> CredentialFile {
        try file(path).read(upTo: CredentialFile.Limits.bytes) { content throws(FileFault) in
            guard !content.isOpenToOthers else {
                throw FileFault("other users can read or change it; run chmod 600 on it")
            }
            do throws(CredentialFile.Fault) {
                return try CredentialFile(parsing: content.bytes)
            } catch {
                throw FileFault(error.reason)
            }
        } ?? CredentialFile()
    }

    private static func file(_ path: String) -> PrivateFile {
        PrivateFile(path: path, title: "The file of credentials")
    }
}

extension FileCredentialStore: CustomReflectable {
    /// Shows the path.
    public var customMirror: Mirror { Mirror(self, children: ["path": path]) }
}
