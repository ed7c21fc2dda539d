import SternaCore
import SternaPlatform
import Testing
import X509

@testable import SternaSecurity
@testable import SternaTestSupport

/// Policies with mistakes are refused, never made laxer.
@Suite("Misconfigured policies")
struct MisconfigurationTests {
    @Test("Pinning without a pin is refused, before a session is made and by the verdict")
    func noPins() async throws {
        let root = try Forge.root()
        let policy = SecurityPolicy.pinned([], roots: .pem(try root.pem))
        let leaf = try root.issueLeaf().der
        await expectEqual(
            policy.evaluate(chain: [leaf], host: Forge.host, time: Forge.now).verdict.failure?.check, .pin)
        #expect(throws: SternaError.self) { try policy.check(scheme: .https) }
    }

    @Test(
        "A name that is not a host's is an error rather than a policy that never applies",
        arguments: [
            "https://api.example.com", "api.example.com:443", "api.example.com/", "*", "**", "*.", "a.*.test",
            "*x.test", "",
            "*.test", "**.test", "*.192.0.2.1", "*.*.example.com", "fe80::1%eth0", "[fe80::1%25eth0]",
        ])
    func hosts(name: String) {
        var table: HostPolicies = [name: .system]
        #expect(throws: SternaError.self) { try table.check() }
        #expect(!table.isEmpty)
        table[name] = nil
        #expect(throws: Never.self) { try table.check() }
    }

    @Test(
        "Names of hosts are normalized as in URLs",
        arguments: [
            ("2001:DB8:0::7", "2001:db8::7"), ("[2001:db8:0:0::7]", "2001:db8::7"), ("0x7f.1", "127.0.0.1"),
            ("WWW.Example.COM.", "www.example.com"),
        ])
    func canonical(name: String, host: String) {
        expectEqual(([name: .insecure] as HostPolicies).policy(for: host), .insecure)
    }

    @Test(
        "No verification time traps, and only a valid one leads to trust",
        arguments: [1.7e12, -1e13, .infinity, -.infinity, .nan, 1e300])
    func times(time: Double) async throws {
        let root = try Forge.root()
        let leaf = try root.issueLeaf()
        for trusted in [try root.pem, try leaf.pem] {
            let der = try leaf.der
            let verdict = await SecurityPolicy.authority(pem: trusted).evaluate(
                chain: [der], host: Forge.host, time: time
            ).verdict
            #expect(!verdict.isAccepted)
        }
    }

    @Test("Every key's pin can be read again, in both notations")
    func everyPin() throws {
        for first in UInt8.min...UInt8.max {
            let pin = Pin(keyHash: [first] + [UInt8](repeating: 0xFF, count: 31))
            try expectEqual(Pin(pin.description), pin)
            #expect(try Pin("sha256//" + pin.description.dropFirst(7)) == pin)
        }
    }

    @Test("A challenge handler may refuse a host before the handshake")
    func refusedIdentity() async {
        var policy = SecurityPolicy()
        policy.challengeHandler = ChallengeHandler { challenge in
            if case .clientIdentity = challenge.subject { .reject(reason: "not there") } else { .useDefault }
        }
        let error = await #expect(throws: SternaError.self) { try await policy.decideIdentity(host: "x", port: 443) }
        expectEqual(error?.detail.contains("not there"), true)
    }

    @Test("A certificate with thousands of names, and constraints times names, cost next to nothing")
    func manyNames() async throws {
        let root = try Forge.root()
        let leaf = try root.issueLeaf((0..<5_000).map { .dnsName("a\($0)") })
        let policy = SecurityPolicy.authority(pem: try root.pem)
        let der = try leaf.der
        let failure = await policy.evaluate(chain: [der], host: Forge.host, time: Forge.now).verdict.failure
        expectEqual(failure?.check, .complexity)
        expectEqual(failure?.presented.first?.names.isEmpty, true)
        let constraints = NameConstraints(excludedSubtrees: (0..<180).map { .dnsName("x\($0).invalid") })
        let upper = try root.issue(
            "Upper", Forge.authorityExtensions() + [try .init(constraints, critical: true)])
        let names = SubjectAlternativeNames((0..<900).map { .dnsName("b\($0)") })
        let lower = try upper.issue("Lower", Forge.authorityExtensions() + [try .init(names, critical: false)])
        let chain = [try lower.issueLeaf().der, try lower.der, try upper.der]
        await expectEqual(
            policy.evaluate(chain: chain, host: Forge.host, time: Forge.now).verdict.failure?.check, .complexity)
    }

    @Test("Files that are too large, devices and pipes are not read")
    func files() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "sterna-large-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        expectEqual(truncate(path, 65 << 20), 0)
        for name in [path, "/dev/zero"] {
            #expect(throws: SternaError.self) { try CertificateFiles.read(name, what: "The certificates") }
        }
    }
}
