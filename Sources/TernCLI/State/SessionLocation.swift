import Sterna
import SternaPlatform

/// The file of a session: a name in tern's own folder, or a path.
struct SessionLocation: Hashable, Sendable {
    /// The name as it was given.
    let name: String
    let path: String

    /// Whether the file is in tern's own folder, which is made when it is needed.
    let isNamed: Bool

    /// Whether a name is a path.
    static func isPath(_ name: String) -> Bool { name.utf8.contains(UInt8(ascii: "/")) }

    /// Throws unless a name consists of letters, digits, dots, hyphens and underscores and does not begin with a dot, or is a path.
    static func check(_ name: String) throws(UsageError) {
        guard !isPath(name) else { return }
        guard !name.utf8.reversed().starts(with: ".json".utf8.reversed()) else {
            throw UsageError("“\(name)” would be a name; for a file in this folder write ./\(name).")
        }
        let isSafe = { (byte: UInt8) in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "._-".utf8.contains(byte)
            }
        }
        guard !name.isEmpty, name.utf8.count <= 100, name.utf8.first != UInt8(ascii: "."),
            name.utf8.allSatisfy(isSafe)
        else {
            throw UsageError(
                "The name of a session has letters, digits, dots, hyphens and underscores, and does not begin with a dot; a path has a slash, as in ./file.json."
            )
        }
    }

    /// Finds the file. Throws `UsageError` for an invalid name, and if there is no home folder.
    ///
    /// - Parameter url: the URL of a request; its host and port choose the folder of a name.
    init(_ name: String, for url: HTTPURL, variable: (String) -> String? = Environment.variable) throws(UsageError) {
        try Self.check(name)
        self.name = name
        if Self.isPath(name) {
            isNamed = false
            let home = name.hasPrefix("~/") ? variable("HOME") : nil
            path = home.map { $0 + name.dropFirst() } ?? name
        } else {
            isNamed = true
            path = "\(try Self.folder(variable))/\(Self.folderName(of: url))/\(name).json"
        }
    }

    /// The folder of all sessions.
    private static func folder(_ variable: (String) -> String?) throws(UsageError) -> String {
        guard let folder = ternFolder(variable) else {
            throw UsageError("HOME names no folder for sessions; write a path, as in --session ./file.json.")
        }
        return "\(folder)/sessions"
    }

    /// The folder of what tern keeps for its user: `~/.config/tern`, or `tern` in the folder that `XDG_CONFIG_HOME` names. Nil
    /// without a home folder.
    static func ternFolder(_ variable: (String) -> String? = Environment.variable) -> String? {
        // A relative path is ignored (XDG Base Directory Specification).
        if let folder = variable("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return "\(folder)/tern" }
        guard let home = variable("HOME"), home.hasPrefix("/") else { return nil }
        return "\(home)/.config/tern"
    }

    /// Returns the name of a host's folder: `example.com`, or `localhost_8080` with a port that is not the scheme's own.
    static func folderName(of url: HTTPURL) -> String {
        let host = url.hostWithoutBrackets.utf8.map { byte -> UInt8 in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): byte
            case UInt8(ascii: "."): byte
            default: UInt8(ascii: "_")
            }
        }
        let text = String(decoding: host, as: UTF8.self)
        // A host that consists of dots would lead elsewhere.
        let safe = text.utf8.allSatisfy { $0 == UInt8(ascii: ".") } ? "_" : text
        return url.port.map { "\(safe)_\($0)" } ?? safe
    }

    /// The hosts that have a session of the same name, with their ports, in order; none for a path. Waits for the disk.
    var otherHosts: [String] {
        let parts = path.split(separator: "/")
        guard isNamed, parts.count > 2, let file = parts.last else { return [] }
        let root = "/" + parts.dropLast(2).joined(separator: "/")
        let found = FolderNames.all(in: root).filter { FileStatus(path: "\(root)/\($0)/\(file)")?.isRegular == true }
        let hosts = found.map { name in
            let port = name.split(separator: "_").last.flatMap { Int($0) }
            return port.map { "\(name.dropLast("_\($0)".count)):\($0)" } ?? name
        }
        return hosts.sorted()
    }

    /// Makes the folders that are missing, for their owner only. Throws `writeFailed`.
    func makeFolder() throws(SternaError) {
        guard isNamed else { return }
        let parts = path.split(separator: "/").dropLast()
        var folder = ""
        for part in parts {
            folder += "/\(part)"
            guard mkdir(folder, 0o700) != 0, errno != EEXIST else { continue }
            let code = errno
            // A folder above that cannot be made may well exist, as on a file system that is read-only.
            if access(folder, X_OK) == 0 { continue }
            throw FileFault(code: code, path: folder).error(
                .writeFailed, title: "The folder of sessions", path: folder, what: "made")
        }
    }
}
