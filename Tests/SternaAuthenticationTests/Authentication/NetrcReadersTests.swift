import Sterna
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// What `tern`, and other programs, read from the same file for the host `h`; docs/Authentication.md has the table for users.
///
/// The others are curl 7.88.1 (`--netrc-file`), libcurl 8.23.0, Wget 1.21.3, wget2 1.99.1, aria2 1.36.0 (`--netrc-path`) and Python
/// 3.11's netrc with requests, run with each file against a server that asked for Basic. A dash stands for no credentials.
@Suite(".netrc: beside other programs")
struct NetrcReadersTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let curl: String
        let libcurl: String
        let wget: String
        let wget2: String
        let aria2: String
        let python: String
        let sterna: String

        init(
            _ text: String, _ curl: String, _ libcurl: String, _ wget: String, _ wget2: String, _ aria2: String,
            _ python: String, sterna: String
        ) {
            (self.text, self.curl, self.libcurl, self.wget) = (text, curl, libcurl, wget)
            (self.wget2, self.aria2, self.python, self.sterna) = (wget2, aria2, python, sterna)
        }

        var testDescription: String { text }
        var others: [String] { [curl, libcurl, wget, wget2, aria2, python] }
    }

    static let rows: [Row] = [
        // Quotes and escapes.
        Row(
            #"machine h login a password "p w""#, "a:p w", "a:p w", "a:p w", #"a:"p"#, #"a:"p"#, "a:p w",
            sterna: "a:p w"),
        Row(
            #"machine h login a password "p\"w\\x""#, #"a:p"w\x"#, #"a:p"w\x"#, #"a:p"w\x"#, #"a:"p\"w\\x""#,
            #"a:"p\"w\\x""#, #"a:p"w\x"#, sterna: #"a:p"w\x"#),
        Row(
            #"machine h login a password p\w"#, #"a:p\w"#, #"a:p\w"#, "a:pw", #"a:p\w"#, #"a:p\w"#, "a:pw",
            sterna: #"a:p\w"#),
        Row(
            #"machine h login a password "p\nw""#, "a:p\nw", "a:p\nw", "a:pnw", #"a:"p\nw""#, #"a:"p\nw""#, "a:pnw",
            sterna: "a:p\nw"),
        Row(
            #"machine h login a password p"w"#, #"a:p"w"#, #"a:p"w"#, #"a:p"w"#, #"a:p"w"#, #"a:p"w"#, #"a:p"w"#,
            sterna: #"a:p"w"#),
        Row(
            #"machine h login a password """#, "a:", "a:", "a:", #"a:"""#, #"a:"""#, "a:", sterna: "a:"),
        Row(
            #"machine h login "" password p"#, ":p", ":p", ":p", #""":p"#, #""":p"#, ":p", sterna: ":p"),
        // Comments.
        Row("machine h login a password #p", "a:", "a:#p", "-", "a:#p", "a:#p", "a:#p", sterna: "a:#p"),
        Row("machine h login a password p # note", "a:p", "a:p", "a:p", "a:p", "a:p", "a:p", sterna: "a:p"),
        Row(
            "#machine h login x password y\nmachine h login a password p", "a:p", "a:p", "a:p", "a:p", "a:p", "-",
            sterna: "a:p"),
        // Order, several entries, default.
        Row("machine h password p login a", "a:p", "a:p", "a:p", "a:p", "a:p", "a:p", sterna: "a:p"),
        Row("machine\nh\nlogin\na\npassword\np", "a:p", "a:p", "a:p", ":", "a:p", "a:p", sterna: "a:p"),
        Row(
            "machine h login a password p\nmachine h login b password q", "a:p", "a:p", "a:p", "b:q", "a:p", "b:q",
            sterna: "a:p"),
        Row(
            "machine h login a\nmachine h login b password q", "b:q", "a:", "-", "b:q", "a:", "b:q", sterna: "b:q"),
        Row("machine h login a\ndefault login x password y", "x:y", "a:", "-", "a:", "a:", "a:", sterna: "-"),
        Row("machine h login a password p login b", "a:p", "b:p", "b:p", "a:p", "b:p", "b:p", sterna: "b:p"),
        // What is missing.
        Row("machine h login a", "a:", "a:", "-", "a:", "a:", "a:", sterna: "-"),
        Row("machine h password p", ":p", ":p", "-", ":p", "-", ":p", sterna: ":p"),
        // Macros and other words.
        Row(
            "macdef m\nmachine h login x password y\n\nmachine h login a password p", "a:p", "a:p", "a:p", "a:p", "-",
            "a:p", sterna: "a:p"),
        Row("machine h login a macdef m\ncd /\n\npassword p", "a:p", "a:", "a:p", "a:p", "a:p", "-", sterna: "a:p"),
        Row("machine h port 80 login a password p", "a:p", "a:p", "a:p", "a:p", "a:p", "-", sterna: "a:p"),
        Row("machine h login a user b password p", "a:p", "a:p", "a:p", "a:p", "a:p", "b:p", sterna: "a:p"),
        Row("MACHINE h LOGIN a PASSWORD p", "a:p", "a:p", "-", ":", "-", "-", sterna: "a:p"),
        Row("\u{FEFF}machine h login a password p", "-", "-", "-", ":", "-", "-", sterna: "a:p"),
        Row("machine h login a password p\r", "a:p", "a:p", "a:p", "a:p", "a:p", "a:p", sterna: "a:p"),
    ]

    @Test("The credentials of a file", arguments: rows)
    func read(row: Row) throws {
        let found = try Netrc(parsing: row.text + "\n").credential(for: "h")
        expectEqual(found.map { "\($0.user ?? ""):\($0.secret)" } ?? "-", row.sterna)
        // Where all others agree, so does Sterna.
        if Set(row.others).count == 1 { expectEqual(row.others.first, row.sterna) }
    }

    @Test(
        "A file of which other programs read a part at most is refused, as what it says is doubtful",
        arguments: [
            // Wget and Python take the line end into the password, wget2 and aria2 the quote, curl fails.
            "machine h login a password \"p\n",
            // curl, wget2 and Python send an empty password, Wget and aria2 nothing.
            "machine h login a password\n",
        ])
    func doubtful(text: String) {
        let error = #expect(throws: SternaError.self) { try Netrc(parsing: text) }
        expectEqual(error?.kind, .fileUnreadable)
    }
}
