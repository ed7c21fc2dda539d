import MutationKit
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Mutations: .netrc")
struct NetrcMutationTests {
    static let reader = MutatedReader(
        "Netrc",
        seeds: [
            "machine a.test login ada password \"p \\\"w\"\ndefault login x password y",
            "# one\nmachine a.test\n\tlogin ada\n\taccount z\n\tpassword pw\nmacdef init\ncd /\n\nmachine [::1] password p",
        ],
        tokens: [
            "machine ", "default ", "login ", "password ", "account ", "macdef ", "\"", "\\", "\n", "\n\n", "\r", "#",
            "\t",
            "\u{0}", "é", "a.test", "a.test.", "xn--", "%00",
        ]
    ) { bytes in
        guard let netrc = try? Netrc(parsing: bytes, name: "It") else { return .refused }
        var size = 0
        for entry in netrc.entries {
            size += (entry.login?.utf8.count ?? 0) + (entry.password?.utf8.count ?? 0)
            guard case .host(let host) = entry.machine else { continue }
            guard NetrcParser.host(host) == host else {
                throw MutationFailure("The host \(host) has another form when it is parsed again.")
            }
        }
        _ = ("\(netrc)", netrc.credential(for: "a.test"), netrc.credential(for: "[::1]", user: "ada"))
        guard size <= bytes.count else { throw MutationFailure("\(size) bytes come out of \(bytes.count).") }
        return .accepted
    }

    @Test("No mutated file ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await NetrcMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
