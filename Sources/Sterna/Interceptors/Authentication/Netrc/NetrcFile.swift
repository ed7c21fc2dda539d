import SternaCore
import SternaPlatform

/// The `.netrc` of a session: the user's own, or a file at a path.
public struct NetrcFile: Sendable, Hashable {
    enum Location: Sendable, Hashable {
        case standard
        case path(String)
    }

    let location: Location

    /// `~/.netrc`, in the folder of the environment variable `HOME`. A missing file has no entries; a file that another user owns,
    /// can read or can change is refused.
    public static let standard = NetrcFile(location: .standard)

    /// Returns the file at a path. It is used even if another user owns it, can read it or can change it.
    public static func path(_ path: some FileReference) -> NetrcFile { NetrcFile(location: .path(path.pathToRead)) }

    /// Reads the file; blocks the thread on the disk.
    ///
    /// Throws `fileUnreadable` for a file that cannot be read, or not be parsed as a ``Netrc``; for an explicit path without a
    /// file; and for `~/.netrc` if another user owns it, can read it or can change it.
    package func load() throws(SternaError) -> Netrc {
        switch location {
        case .standard:
            // FoundationEssentials would fall back to the password database, which may have another home folder.
            guard let home = getenv("HOME").map({ String(cString: $0) }), !home.isEmpty else { return .empty }
            return try Self.load("\(home)/.netrc", isNamed: false)
        case .path(let path): return try Self.load(path, isNamed: true)
        }
    }

    static func load(_ path: String, isNamed: Bool) throws(SternaError) -> Netrc {
        let content: PrivateFile.Content?
        do throws(FileFault) {
            content = try PrivateFile(path: path).load(upTo: NetrcParser.Limits.bytes, followsLinks: true)
        } catch {
            throw failure(path, error.reason)
        }
        guard let content else {
            if isNamed { throw failure(path, "there is no such file") }
            return .empty
        }
        let shown = FieldSyntax.printable(path)
        var warning: String?
        if content.isForeign || content.isOpenToOthers {
            let reason = content.isForeign ? "belongs to another user" : "can be read or changed by other users"
            guard isNamed else { throw failure(path, "it \(reason); run chmod 600 on it") }
            warning = "The file “\(shown)” \(reason), and it holds passwords; run chmod 600 on it."
        }
        var netrc = try Netrc(parsing: content.bytes, name: "The file “\(shown)”")
        netrc.warning = warning
        return netrc
    }

    private static func failure(_ path: String, _ reason: String) -> SternaError {
        SternaError(
            .fileUnreadable, phase: .prepare,
            "The file “\(FieldSyntax.printable(path))” cannot be used for credentials: \(reason).")
    }
}

extension Netrc {
    /// A file without entries.
    static let empty = Netrc()

    private init() { entries = [] }
}
