import SternaCore
import SternaPlatform
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("The system's resolver", .timeLimit(.minutes(5)))
struct SystemResolverTests {
    /// A resolver that fails the test where it asks the system.
    private static let unasked = SystemResolver(threads: LookupThreads(limit: 1)) { host, _ in
        Issue.record("The system was asked for \(host).")
        return []
    }

    @Test(
        "localhost and the names below it are this machine, by RFC 6761",
        arguments: ["localhost", "localhost.", "LocalHost", "a.localhost", "a.b.LOCALHOST."],
        [
            (AddressFamilies.any, ["127.0.0.1", "::1"]), (.ipv4, ["127.0.0.1"]), (.ipv6, ["::1"]),
        ])
    func localhost(host: String, families: (AddressFamilies, [String])) async throws {
        let answer = try await Self.unasked.resolve(host, families.0)
        expectEqual(answer.addresses.map(\.description), families.1)
        expectEqual(answer.timeToLive, .zero)
    }

    @Test(
        "Names that only look like localhost are looked up",
        arguments: ["localhost.example", "notlocalhost", "localhost..", ".localhost.a", "localhos"])
    func notLocalhost(host: String) async throws {
        let answer = IPAddress(v4: 0xC000_0201)
        let resolver = SystemResolver(threads: LookupThreads(limit: 1)) { asked, _ in asked == host ? [answer] : [] }
        try await expectEqual(resolver.resolve(host, .any), ResolvedHost([answer]))
    }

    @Test(
        "Addresses resolve to themselves",
        arguments: [
            ("192.0.2.1", AddressFamilies.any, true), ("192.0.2.1", .ipv4, true), ("192.0.2.1", .ipv6, false),
            ("2001:db8::1", .any, true), ("2001:db8::1", .ipv6, true), ("2001:db8::1", .ipv4, false),
        ])
    func literals(text: String, families: AddressFamilies, isKnown: Bool) async throws {
        guard isKnown else {
            let error = await #expect(throws: SternaError.self) { try await Self.unasked.resolve(text, families) }
            expectEqual(error?.kind, .hostNotFound)
            expectEqual(error?.detail.hasPrefix("\(text) is an IPv"), true)
            return
        }
        try await expectEqual(Self.unasked.resolve(text, families).addresses.map(\.description), [text])
    }

    @Test(
        "Impossible names are not looked up",
        arguments: ["", "a\0b", "\0", "127.0.0.1\0.example", String(repeating: "a", count: 256)])
    func refused(host: String) async {
        let error = await #expect(throws: SternaError.self) { try await Self.unasked.resolve(host, .any) }
        expectEqual(error?.kind, .hostNotFound)
        expectEqual(error?.phase, .resolve)
        expectEqual(error?.detail.contains("is not a host name"), true)
        expectEqual(error?.detail.utf8.contains(0), false)
    }

    @Test("A name of 255 bytes is looked up")
    func longest() async throws {
        let resolver = SystemResolver(threads: LookupThreads(limit: 1)) { _, _ in [IPAddress(v6: 0, 1)] }
        try await expectEqual(resolver.resolve(String(repeating: "a", count: 255), .any).addresses.count, 1)
    }

    @Test("Names below .invalid have no address (RFC 6761, 6.4)", arguments: AddressFamilies.allCases)
    func invalid(families: AddressFamilies) async {
        let host = "no-such-host.sterna.invalid"
        let error = await #expect(throws: SternaError.self) { try await SystemResolver.system.resolve(host, families) }
        expectEqual(error?.kind, .hostNotFound)
        expectEqual(error?.phase, .resolve)
        expectEqual(error?.detail.contains("“\(host)”"), true)
    }

    @Test(
        "The system's addresses are read byte by byte",
        arguments: [
            ("192.0.2.254", AddressFamilies.ipv4), ("2001:db8:1:2:3:4:5:fe", .ipv6), ("127.0.0.1", .any),
            ("::1", .ipv6),
        ])
    func system(text: String, families: AddressFamilies) throws {
        try expectEqual(SystemLookup.addresses(text, families).map(\.description), [text])
    }

    @Test("A socket address that is too short, or of another family, is ignored")
    func socketAddresses() {
        var whole = sockaddr_in()
        whole.sin_addr.s_addr = UInt32(0xC000_0201).bigEndian
        // The bytes outlive every use of the pointer, which the closure does not let out.
        let seen = withUnsafeMutablePointer(to: &whole) { start in
            start.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var entry = addrinfo()
                entry.ai_addr = address
                entry.ai_family = AF_INET
                return [MemoryLayout<sockaddr_in>.size, 7, 0].map { length in
                    entry.ai_addrlen = socklen_t(length)
                    return SystemLookup.address(of: entry)
                }
                    + [AF_INET6, AF_UNIX].map { family in
                        entry.ai_family = family
                        entry.ai_addrlen = socklen_t(MemoryLayout<sockaddr_in>.size)
                        return SystemLookup.address(of: entry)
                    }
            }
        }
        expectEqual(seen, [IPAddress(v4: 0xC000_0201), nil, nil, nil, nil])
        expectNil(SystemLookup.address(of: addrinfo()))
    }

    @Test(
        "Errors say what happened",
        arguments: [
            (EAI_NONAME, AddressFamilies.any, "The host “a.example” has no address: "),
            (EAI_NONAME, .ipv6, "The host “a.example” has no IPv6 address: "),
            (EAI_AGAIN, .any, "The host “a.example” has not been found, as the name service does not answer: "),
            (EAI_SYSTEM, .any, "The host “a.example” cannot be looked up: \(String(cString: strerror(EMFILE)))."),
            (EAI_FAIL, .any, "The host “a.example” cannot be looked up: \(String(cString: gai_strerror(EAI_FAIL)))."),
        ])
    func failures(code: Int32, families: AddressFamilies, expected: String) {
        let error = SystemLookup.failure(code, errno: EMFILE, "a.example", families)
        expectEqual(error.kind, .hostNotFound)
        expectEqual(error.phase, .resolve)
        #expect(error.detail.hasPrefix(expected))
    }

    @Test("The system's failure is thrown")
    func thrown() async {
        let resolver = SystemResolver(threads: LookupThreads(limit: 1)) { host, families throws(SternaError) in
            throw SystemLookup.failure(EAI_AGAIN, errno: 0, host, families)
        }
        let error = await #expect(throws: SternaError.self) { try await resolver.resolve("a.example", .any) }
        expectEqual(error?.detail.contains("does not answer"), true)
    }
}
