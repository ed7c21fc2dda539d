import Testing

@testable import SternaSecurity
@testable import SternaTestSupport

@Suite("Policies of hosts")
struct HostPoliciesTests {
    private static let policies: [String: SecurityPolicy] = Dictionary(
        uniqueKeysWithValues: ["a", "b", "c", "d", "e"].map { ($0, .authority(pem: $0)) })

    private static func table() -> HostPolicies {
        var table = HostPolicies()
        table["API.example.com"] = policies["a"]
        table["*.example.com"] = policies["b"]
        table["**.example.com"] = policies["c"]
        table["**.deep.example.com."] = policies["d"]
        table["[2001:DB8::1]"] = policies["e"]
        return table
    }

    @Test(
        "The most specific name decides",
        arguments: [
            ("api.example.com", "a"), ("API.EXAMPLE.COM.", "a"), ("www.example.com", "b"), ("example.com", "c"),
            ("x.y.example.com", "c"), ("deep.example.com", "b"), ("x.deep.example.com", "d"),
            ("x.y.deep.example.com", "d"), ("2001:db8::1", "e"), ("notexample.com", nil), ("com", nil), ("", nil),
            ("example.com.evil.test", nil), ("api.example.com.evil.test", nil),
        ] as [(String, String?)])
    func lookup(host: String, name: String?) {
        expectEqual(Self.table().policy(for: host), name.flatMap { Self.policies[$0] })
    }

    @Test("No address is a subdomain of a name")
    func addresses() {
        let table: HostPolicies = ["*.0.0.1": .insecure, "**.1": .insecure, "127.0.0.2": .insecure]
        expectNil(table.policy(for: "127.0.0.1"))
        expectEqual(table.policy(for: "127.0.0.2"), .insecure)
    }

    @Test("A host without a policy has the session's, or is refused if every host needs one")
    func otherwise() async {
        var table: HostPolicies = ["a.test": .insecure]
        expectEqual(table.policy(for: "a.test", otherwise: .system), .insecure)
        expectEqual(table.policy(for: "b.test", otherwise: .system), .system)
        table.everyHostNeedsOne = true
        let refused = table.policy(for: "b.test", otherwise: .insecure)
        let failure = await refused.evaluate(chain: [], host: "b.test").verdict.failure
        expectEqual(failure?.check, .policy)
        expectEqual(failure?.reason.contains("b.test"), true)
    }

    @Test("Policies are read back as they were set, and removed")
    func table() {
        var table = Self.table()
        expectEqual(table["*.EXAMPLE.com"], Self.policies["b"])
        table["*.example.com"] = nil
        expectEqual(table.policy(for: "www.example.com"), Self.policies["c"])
        #expect(HostPolicies().isEmpty)
        #expect(!table.isEmpty)
    }
}
