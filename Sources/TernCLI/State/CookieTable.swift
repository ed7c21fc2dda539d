import Sterna
import SternaPlatform

/// Cookies, listed for people and for programs.
struct CookieTable {
    var showsSecrets: Bool
    var isColoured = false

    /// The columns of a terminal; nil for no limit.
    var width: Int?

    private static let heads = ["NAME", "VALUE", "DOMAIN", "PATH", "EXPIRES", "FLAGS"]
    private static let gap = 2

    /// Returns the lines of a table; a few lines for each cookie if a table does not fit.
    func lines(_ cookies: [Cookie]) -> [String] {
        guard !cookies.isEmpty else { return [] }
        let rows = cookies.map(cells)
        let widths = Self.heads.indices.map { column in
            ([Self.heads] + rows).map { DisplayWidth.of($0[column]) }.max() ?? 0
        }
        let total = widths.reduce(0, +) + Self.gap * (widths.count - 1)
        guard total <= width ?? .max else { return rows.flatMap(stacked) }
        return [line(Self.heads, widths, .bold)] + rows.map { line($0, widths, nil) }
    }

    private func line(_ cells: [String], _ widths: [Int], _ colour: Colour?) -> String {
        var padded = zip(cells, widths).map { DisplayWidth.padded($0, to: $1) }
        // Spaces at the end of a line might wrap it.
        padded[padded.count - 1] = cells[cells.count - 1]
        var text = padded.joined(separator: String(repeating: " ", count: Self.gap))
        while text.hasSuffix(" ") { text.removeLast() }
        return colour?.wrap(text, if: isColoured) ?? text
    }

    private func stacked(_ cells: [String]) -> [String] {
        let columns = max(width ?? 80, 20)
        let first =
            showsSecrets
            // A value that the user asks for is never truncated.
            ? "\(Colour.bold.wrap(cells[0], if: isColoured))=\(cells[1])"
            : Colour.bold.wrap(DisplayWidth.truncated(cells[0], to: columns), if: isColoured)
        var rest = ["\(cells[2])\(cells[3])", "expires \(cells[4])"]
        if cells[4] == Self.session { rest[1] = "ends with the session" }
        if !cells[5].isEmpty { rest.append(cells[5]) }
        return [first] + rest.map { "  " + DisplayWidth.truncated($0, to: columns - 2) }
    }

    private static let session = "session"

    private func cells(_ cookie: Cookie) -> [String] {
        var flags: [String] = []
        if cookie.isSecure { flags.append("Secure") }
        if cookie.isHTTPOnly { flags.append("HttpOnly") }
        if cookie.isPartitioned { flags.append("Partitioned") }
        if let sameSite = cookie.sameSite { flags.append("SameSite=\(sameSite.rawValue.capitalized)") }
        let cells = [
            cookie.name, showsSecrets ? cookie.value : Redaction.mark,
            (cookie.isHostOnly ? "" : ".") + cookie.domain, cookie.path,
            cookie.expires.map { $0.formatted(.iso8601) } ?? Self.session, flags.joined(separator: " "),
        ]
        return cells.map(TerminalText.line)
    }

    /// Returns the cookies as JSON: an array of objects, with dates in ISO 8601.
    func json(_ cookies: [Cookie]) -> JSON {
        .array(
            cookies.map { cookie in
                var members: [(String, JSON)] = [
                    ("name", .string(cookie.name)),
                    ("value", .string(showsSecrets ? cookie.value : Redaction.mark)),
                    ("domain", .string(cookie.domain)), ("hostOnly", .bool(cookie.isHostOnly)),
                    ("path", .string(cookie.path)), ("secure", .bool(cookie.isSecure)),
                    ("httpOnly", .bool(cookie.isHTTPOnly)), ("partitioned", .bool(cookie.isPartitioned)),
                ]
                if let sameSite = cookie.sameSite { members.append(("sameSite", .string(sameSite.rawValue))) }
                if let expires = cookie.expires {
                    members.append(("expires", .string(expires.formatted(.iso8601))))
                }
                members.append(("created", .string(cookie.creationDate.formatted(.iso8601))))
                return .object(.init(pairs: members))
            })
    }
}
