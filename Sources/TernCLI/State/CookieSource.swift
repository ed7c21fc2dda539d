import Sterna

/// Files of cookies, whose form is detected by their content.
enum CookieSource {
    /// What a file holds.
    enum Kind: Hashable, Sendable {
        /// Nothing but blanks.
        case nothing
        case cookies(CookieSnapshot.FileFormat)
        case other
    }

    /// The longest file that is read, in bytes.
    private static let longest = 64 << 20

    /// Reads the cookies of a file. Throws `fileUnreadable`, also if there is none, and for a file of another kind.
    static func cookies(in path: String) throws(SternaError) -> CookieSnapshot {
        switch try kind(of: path) {
        case .nothing?: return CookieSnapshot()
        case .cookies(let format)?:
            if let cookies = try CookieSnapshot(contentsOf: path, format: format) { return cookies }
        case .other?, nil: break
        }
        throw file(path).unreadable(FileFault("it does not exist"))
    }

    /// Returns the form in which a file is written: the one that it has, or for a new one the one that its name calls for.
    ///
    /// Throws `fileUnreadable` for a file of another kind, which must not be lost.
    static func format(of path: String) throws(SternaError) -> CookieSnapshot.FileFormat {
        guard case .cookies(let format)? = try kind(of: path) else { return format(named: path) }
        return format
    }

    /// Returns the form of a new file.
    static func format(named path: String) -> CookieSnapshot.FileFormat {
        path.lowercased().hasSuffix(".json") ? .json : .cookiesText
    }

    /// Prints a warning about cookies that are not in a `cookies.txt`, since that format cannot hold them.
    static func warn(about missing: [Cookie], in path: String) {
        guard let first = missing.first else { return }
        let others = missing.count > 1 ? " and \(missing.count - 1) more" : ""
        printError(
            TerminalText.line(
                "Warning: not written to \(path): “\(first.name)”\(others). A cookies.txt cannot have a tab in a cookie; a file "
                    + "whose name ends in .json can."))
    }

    /// Whether the file exists.
    static func exists(_ path: String) throws(SternaError) -> Bool { try kind(of: path) != nil }

    private static func kind(of path: String) throws(SternaError) -> Kind? {
        let file = file(path)
        do throws(FileFault) {
            guard let content = try file.load(upTo: longest, followsLinks: true) else { return nil }
            let kind = kind(of: content.bytes)
            if kind == .other { throw FileFault("it is neither a cookies.txt nor Sterna's JSON") }
            return kind
        } catch {
            throw file.unreadable(error)
        }
    }

    /// Detects what a file holds: JSON begins with a brace; a `cookies.txt` has comments, and lines with six tabs.
    static func kind(of bytes: [UInt8]) -> Kind {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard let first = text.first(where: { !isBlank($0) }) else { return .nothing }
        if first == UInt8(ascii: "{") { return .cookies(.json) }
        var hasCommentsAlone = true
        for line in text.split(separator: UInt8(ascii: "\n")) {
            // A line without a value may lack the tab before it.
            if line.count(where: { $0 == 0x09 }) >= 5 { return .cookies(.cookiesText) }
            if line.first != UInt8(ascii: "#"), !line.allSatisfy(isBlank) { hasCommentsAlone = false }
        }
        return hasCommentsAlone ? .cookies(.cookiesText) : .other
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func file(_ path: String) -> PrivateFile { PrivateFile(path: path, title: "The file of cookies") }
}

extension CookieLimits {
    /// The limits of a command's jar: room for files of browsers, which keep more of a domain than a jar does by default.
    static let command = CookieLimits(perDomain: 5_000, total: 200_000)
}
