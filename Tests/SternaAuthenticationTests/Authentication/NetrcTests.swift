import Sterna
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite(".netrc: the grammar")
struct NetrcTests {
    static func shown(_ credential: Credential?) -> String {
        credential.map { "\($0.user ?? "-")/\($0.secret)" } ?? "none"
    }

    static let table: [(text: String, host: String, found: String)] = [
        ("machine a.test login ada password pw", "a.test", "ada/pw"),
        ("machine a.test\n\tlogin ada\n\tpassword pw\n", "a.test", "ada/pw"),
        ("machine a.test\r\nlogin ada\r\npassword pw\r\n", "a.test", "ada/pw"),
        ("machine a.test password pw login ada", "a.test", "ada/pw"),
        ("MACHINE a.test LOGIN ada Password pw", "a.test", "ada/pw"),
        ("machine a.test login ada account x password pw", "a.test", "ada/pw"),
        ("machine a.test login \"a b\" password \"p \\\"q\\\\ \\n\\t\\r\\x\"", "a.test", "a b/p \"q\\ \n\t\rx"),
        ("machine a.test login ada password p\\w\"x", "a.test", "ada/p\\w\"x"),
        ("machine a.test login ada password a,b", "a.test", "ada/a,b"),
        ("machine a.test login ada password \"\"", "a.test", "ada/"),
        ("machine a.test login ada password #x", "a.test", "ada/#x"),
        ("# machine a.test login no password no\nmachine a.test login ada password pw # end", "a.test", "ada/pw"),
        ("machine a.test login machine password login", "a.test", "machine/login"),
        ("machine a.test login pässwört password 🔑", "a.test", "pässwört/🔑"),
        ("\u{FEFF}machine a.test login ada password pw", "a.test", "ada/pw"),
        ("machine a.test password pw", "a.test", "/pw"),
        ("machine a.test login ada", "a.test", "none"),
        ("machine a.test login ada\ndefault login x password y", "a.test", "none"),
        ("machine a.test login ada\nmachine a.test login bob password pb", "a.test", "bob/pb"),
        ("machine a.test login ada\ndefault login x password y\nmachine a.test password pw", "a.test", "/pw"),
        ("default login x\nmachine a.test login ada password pw", "a.test", "none"),
        ("machine b.test login x password y machine a.test login ada password pw", "a.test", "ada/pw"),
        ("machine a.test login ada password pw machine a.test login x password y", "a.test", "ada/pw"),
        ("machine a.test login ada password pw\ndefault login any password all", "b.test", "any/all"),
        ("default login any password all\nmachine a.test login ada password pw", "a.test", "any/all"),
        ("machine a.test login ada password pw\nmacdef init\nmachine b.test login x password y\n\n", "b.test", "none"),
        (
            "machine a.test login ada macdef m\ncd /\nquit\n\npassword pw", "a.test", "ada/pw"
        ),
        ("macdef m\r\nmachine a.test\r\n\r\nmachine a.test login ada password pw", "a.test", "ada/pw"),
        ("login x password y machine a.test login ada password pw", "a.test", "ada/pw"),
        ("nonsense words machine a.test login ada password pw", "a.test", "ada/pw"),
        ("machine [::1] login ada password pw", "[::1]", "ada/pw"),
        ("machine ::1 login ada password pw", "[::1]", "ada/pw"),
        ("machine 127.0.0.1 login ada password pw", "127.0.0.1", "ada/pw"),
        ("machine bücher.test login ada password pw", "xn--bcher-kva.test", "ada/pw"),
        ("", "a.test", "none"), ("machine a.test", "a.test", "none"),
    ]

    @Test("Words, quotes, comments, macros, hosts", arguments: table)
    func grammar(text: String, host: String, found: String) throws {
        let netrc = try Netrc(parsing: text)
        expectEqual(Self.shown(netrc.credential(for: host)), found)
        #expect(Self.shown(netrc.credential(for: "nowhere.test")) == "none" || text.contains("default"))
    }

    @Test(
        "What is refused",
        arguments: [
            "machine", "machine a.test login", "machine a.test password", "machine a.test login \"ada", "macdef",
            "machine a.test login \"a\nb\" password pw", "machine a.test account", "machine a.test login \"a\\",
            String(repeating: "x", count: 4_097), String(repeating: "x ", count: 65_537),
        ])
    func refused(text: String) {
        let error = #expect(throws: SternaError.self) { try Netrc(parsing: text) }
        expectEqual(error?.kind, .fileUnreadable)
        expectEqual(error?.detail.contains("line"), true)
    }

    @Test(
        "A host's own entries, without default",
        arguments: [
            ("default login x password y\nmachine a.test login ada password pw", "ada/pw"),
            ("machine a.test login ada\nmachine a.test login bob password pb\ndefault login x password y", "bob/pb"),
            ("machine a.test login ada\ndefault login x password y", "none"), ("default login x password y", "none"),
            ("machine b.test login ada password pw", "none"),
        ])
    func own(text: String, found: String) throws {
        try expectEqual(Self.shown(Netrc(parsing: text).ownCredential(for: "a.test")), found)
    }

    @Test("Entries of a user alone") func user() throws {
        let netrc = try Netrc(
            parsing: "machine a.test login ada password 1 machine a.test login bob password 2 default password 3")
        expectEqual(Self.shown(netrc.credential(for: "a.test", user: "bob")), "bob/2")
        expectEqual(Self.shown(netrc.credential(for: "a.test", user: "eve")), "eve/3")
        expectEqual(Self.shown(netrc.ownCredential(for: "a.test", user: "bob")), "bob/2")
        expectEqual(Self.shown(netrc.ownCredential(for: "a.test", user: "eve")), "none")
        expectEqual(Self.shown(netrc.credential(for: "a.test")), "ada/1")
    }

    @Test(
        "Host confusion: trailing dot, userinfo, case, port, suffix, another form",
        arguments: [
            ("example.com", "example.com", true), ("EXAMPLE.com", "example.com", true),
            ("example.com", "EXAMPLE.COM", true), ("example.com.", "example.com", false),
            ("example.com", "example.com.", false), ("example.com:443", "example.com", false),
            ("user@example.com", "example.com", false), ("example.com@evil.test", "evil.test", false),
            ("example.com", "example.com.evil.test", false), ("example.com", "evil-example.com", false),
            ("example.com", "www.example.com", false), ("com", "example.com", false),
            ("https://example.com", "example.com", false), ("example.com/", "example.com", false),
            ("example.com%00.evil.test", "example.com", false), ("0x7f.1", "127.0.0.1", true),
            ("example.com#", "example.com", false), ("", "example.com", false),
        ])
    func hosts(machine: String, host: String, isFound: Bool) throws {
        let netrc = try Netrc(parsing: "machine \"\(machine)\" login ada password pw")
        expectEqual((netrc.credential(for: host) != nil), isFound)
    }

    @Test("Descriptions and errors of a .netrc file show no password") func shown() throws {
        let netrc = try Netrc(parsing: "machine a.test login ada password s3cret")
        let credential = try #require(netrc.credential(for: "a.test"))
        for value in [netrc as Any, credential, Credential.bearer("s3cret")] {
            #expect(!("\(value)" + String(reflecting: value) + dumped(value)).contains("s3cret"))
        }
        let error = #expect(throws: SternaError.self) {
            try Netrc(parsing: "machine a.test login ada password \"s3cret")
        }
        expectEqual(error.map { "\($0)" + dumped($0) }?.contains("s3cret"), false)
    }
}
