import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("HSTS: known hosts")
struct HSTSStateTests {
    private func name(_ host: String) throws -> HSTSName { try #require(HSTSName(host: host)) }

    private func field(_ maxAge: Int, _ includesSubdomains: Bool = false) -> StrictTransportSecurity {
        StrictTransportSecurity(maxAge: maxAge, includesSubdomains: includesSubdomains)
    }

    /// Takes the results of mutating functions, which `#expect` does not.
    private func expect(_ value: Bool, _ comment: Comment? = nil, at place: SourceLocation = #_sourceLocation) {
        #expect(value, comment, sourceLocation: place)
    }

    // MARK: Names

    @Test(
        "All ways to write a host are the same host",
        arguments: ["example.com", "EXAMPLE.com", "example.com.", "example.com..", "eXample%2ecom", "ｅxample．com"])
    func sameHost(host: String) throws {
        try expectEqual(name(host).text, "example.com")
        var state = HSTSState()
        try expect(state.note(field(10), from: name("example.com"), at: 0))
        #expect(state.requiresTLS(try name(host), at: 0))
        let url = try HTTPURL("http://\(host)/")
        #expect(state.requiresTLS(try #require(HSTSName(url)), at: 0))
    }

    @Test("A host outside ASCII is the same as its ASCII form") func unicode() throws {
        try expectEqual(name("Bücher.example"), name("xn--bcher-kva.example."))
    }

    @Test(
        "Addresses are not names of hosts",
        arguments: [
            "127.0.0.1", "127.1", "0x7f.0.0.1", "2130706433", "127.0.0.1.", "127.0.0.1..", "a.127.0.0.1...", "[::1]",
            "::1", "[::ffff:127.0.0.1]",
        ])
    func addresses(host: String) throws {
        expectNil(HSTSName(host: host))
        let url = try HTTPURL("https://\(host.contains(":") && host.first != "[" ? "[\(host)]" : host)/")
        expectNil(HSTSName(url))
    }

    @Test("Invalid names", arguments: ["", ".", "..", "a b", "a/b", "a@b", "a?b", "a:80"]) func invalid(host: String) {
        expectNil(HSTSName(host: host))
    }

    @Test("Names of this machine, and names that the DNS cannot have, are never added")
    func unlearnable() throws {
        let label = String(repeating: "a", count: 60)
        let long = (0..<5).map { _ in label }.joined(separator: ".")
        for host in ["localhost", "LOCALHOST.", "a.localhost", "a..example.com", ".example.com", long] {
            var state = HSTSState()
            try expect(!state.note(field(10, true), from: name(host), at: 0), "\(host)")
            #expect(state.entries.isEmpty)
        }
        var state = HSTSState()
        try expect(state.note(field(10), from: name("mylocalhost"), at: 0))
    }

    // MARK: Matching

    @Test("Only includeSubDomains covers the hosts below, and no others") func subdomains() throws {
        var state = HSTSState()
        try expect(state.note(field(10), from: name("example.com"), at: 0))
        #expect(try !state.requiresTLS(name("www.example.com"), at: 0))
        try expect(state.note(field(10, true), from: name("example.com"), at: 0))
        for host in ["example.com", "www.example.com", "a.b.c.example.com", "WWW.Example.COM.", "a..example.com"] {
            #expect(try state.requiresTLS(name(host), at: 0), "\(host)")
        }
        for host in ["badexample.com", "example.com.evil.test", "com", "example", "xexample.com", "example.comx"] {
            #expect(try !state.requiresTLS(name(host), at: 0), "\(host)")
        }
    }

    @Test("A host's own entry does not exempt it from its parent's") func ownEntry() throws {
        var state = HSTSState()
        try expect(state.note(field(100, true), from: name("example.com"), at: 0))
        try expect(state.note(field(1), from: name("www.example.com"), at: 0))
        #expect(try state.requiresTLS(name("www.example.com"), at: 5_000))
        try expect(state.note(field(0), from: name("www.example.com"), at: 5_000))
        #expect(try state.requiresTLS(name("www.example.com"), at: 5_000))
        #expect(try state.requiresTLS(name("a.www.example.com"), at: 5_000))
    }

    @Test("A very long host is covered, and its look-up takes no longer") func longHost() throws {
        var state = HSTSState()
        try expect(state.note(field(10, true), from: name("example.com"), at: 0))
        let host = String(repeating: "a.", count: 30_000) + "example.com"
        #expect(try state.requiresTLS(name(host), at: 0))
    }

    @Test("An entry expires") func expiry() throws {
        var state = HSTSState()
        let host = try name("example.com")
        expect(state.note(field(10), from: host, at: 5_000))
        #expect(state.requiresTLS(host, at: 14_999))
        #expect(!state.requiresTLS(host, at: 15_000))
        state.prune(at: 15_000)
        #expect(state.entries.isEmpty)
    }

    @Test("Moments at the ends of the numbers do not trap", arguments: [Int64.min, -1, 0, .max])
    func extremes(now: Int64) throws {
        for keepsRemovals in [false, true] {
            var state = HSTSState(keepsRemovals: keepsRemovals)
            _ = state.note(field(.max, true), from: try name("example.com"), at: now)
            _ = state.note(field(0), from: try name("example.com"), at: now)
            _ = state.remove(try name("example.org"), at: now)
            let entry = HSTSState.Entry(expires: .max, includesSubdomains: true, updated: .max)
            _ = state.merge(["example.net": entry], at: now)
            _ = state.note(field(1), from: try name("example.net"), at: now)
            state.removeAll(at: now)
            state.replaceAll(by: ["example.net": entry], at: now)
        }
    }

    // MARK: Changes

    @Test("A field changes an entry by its lifetime and by includeSubDomains") func changes() throws {
        var state = HSTSState()
        let host = try name("example.com")
        expect(state.note(field(1_000), from: host, at: 0))
        // The same field again causes no write, until it moves the expiry by a hundredth of the lifetime.
        expect(!state.note(field(1_000), from: host, at: 9_000))
        expect(state.note(field(1_000), from: host, at: 11_000))
        #expect(state.requiresTLS(host, at: 1_010_999))
        expect(state.note(field(10), from: host, at: 12_000))
        #expect(!state.requiresTLS(host, at: 22_000))
        expect(state.note(field(10, true), from: host, at: 12_000))
        expect(state.note(field(10, false), from: host, at: 12_000))
        expect(state.note(field(0), from: host, at: 12_000))
        expect(!state.note(field(0), from: host, at: 12_000))
        #expect(state.entries.isEmpty)
    }

    // MARK: Merging

    @Test("A removal replaces an older entry of a file, and a newer entry replaces a removal") func removals() throws {
        let host = try name("example.com")
        var old = HSTSState(keepsRemovals: true)
        expect(old.note(field(100_000), from: host, at: 1_000))
        var one = old
        expect(one.remove(host, at: 2_000))
        var other = old
        _ = other.merge(one.entries, at: 3_000)
        #expect(!other.requiresTLS(host, at: 3_000))
        let isChanged = one.merge(old.entries, at: 3_000)
        #expect(!isChanged && !one.requiresTLS(host, at: 3_000))
        // A host can be added again later.
        expect(one.note(field(100_000), from: host, at: 3_000))
        _ = other.merge(one.entries, at: 3_000)
        #expect(other.requiresTLS(host, at: 3_000))
    }

    @Test("A removal also removes the entry of another process") func unknownRemoval() throws {
        let host = try name("example.com")
        var one = HSTSState(keepsRemovals: true)
        expect(one.note(field(100_000), from: host, at: 1_000))
        var other = HSTSState(keepsRemovals: true)
        expect(other.note(field(0), from: host, at: 2_000))
        _ = other.merge(one.entries, at: 2_000)
        #expect(!other.requiresTLS(host, at: 2_000))
    }

    @Test("A clock far ahead does not win for years") func wrongClock() throws {
        let host = try name("example.com")
        let year: Int64 = 365 * 86_400_000
        var state = HSTSState(keepsRemovals: true)
        let entry = HSTSState.Entry(expires: 20 * year, includesSubdomains: false, updated: 10 * year)
        _ = state.merge([host.text: entry], at: year)
        #expect(state.requiresTLS(host, at: year))
        expect(state.remove(host, at: year + 1))
        _ = state.merge([host.text: entry], at: year + 2)
        #expect(!state.requiresTLS(host, at: year + 2))
    }

    @Test("Merging does not depend on the order or the number of merges") func mergeLaws() throws {
        var random = SystemRandomNumberGenerator()
        func made() throws -> HSTSState {
            var state = HSTSState(keepsRemovals: true)
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                let host = try name("h\(Int.random(in: 0...3, using: &random)).test")
                let now = Int64.random(in: 0...5, using: &random)
                let said = field(Int.random(in: 0...3, using: &random), Bool.random(using: &random))
                _ = state.note(said, from: host, at: now)
            }
            return state
        }
        func merged(_ one: HSTSState, _ other: HSTSState) -> HSTSState {
            var one = one
            _ = one.merge(other.entries, at: 0)
            return one
        }
        for _ in 0..<500 {
            let (a, b, c) = (try made(), try made(), try made())
            expectEqual(merged(a, b), merged(b, a))
            expectEqual(merged(a, a), a)
            expectEqual(merged(merged(a, b), c), merged(a, merged(b, c)))
        }
    }

    // MARK: Limits

    @Test("A site with very many names evicts its own entries") func eviction() throws {
        var state = HSTSState(limit: 160)
        for index in 0..<50 {
            _ = state.note(field(1_000_000), from: try name("good\(index).test"), at: Int64(index))
        }
        for index in 0..<1_000 {
            _ = state.note(field(1_000_000), from: try name("x\(index).evil.test"), at: Int64(100 + index))
            #expect(state.entries.count <= 160)
        }
        for index in 0..<50 { #expect(try state.requiresTLS(name("good\(index).test"), at: 2_000)) }
        #expect(try state.requiresTLS(name("x999.evil.test"), at: 2_000))
    }

    @Test("Expired entries and removals are evicted first, then the oldest") func evictionOrder() throws {
        var state = HSTSState(limit: 16, keepsRemovals: true)
        for index in 0..<8 { _ = state.note(field(1), from: try name("short\(index).test"), at: 0) }
        for index in 0..<8 { _ = state.note(field(1_000), from: try name("long\(index).test"), at: Int64(index)) }
        _ = state.note(field(1_000), from: try name("new.test"), at: 5_000)
        expectEqual(state.entries.count, 9)
        for index in 0..<7 { _ = state.remove(try name("gone\(index).test"), at: 6_000) }
        expectEqual(state.entries.count, 16)
        _ = state.note(field(1_000), from: try name("newer.test"), at: 7_000)
        expectEqual(state.entries.count, 15)
        for host in ["long0.test", "new.test", "newer.test"] { #expect(try state.requiresTLS(name(host), at: 8_000)) }
        for index in 0..<20 { _ = state.note(field(1_000), from: try name("more\(index).test"), at: 9_000) }
        #expect(try !state.requiresTLS(name("long0.test"), at: 9_000))
        #expect(try state.requiresTLS(name("more19.test"), at: 9_000))
    }

    @Test("A limit below one is one") func smallest() throws {
        var state = HSTSState(limit: 0)
        expectEqual(state.limit, 1)
        for index in 0..<3 { _ = state.note(field(10), from: try name("h\(index).test"), at: Int64(index)) }
        expectEqual(Array(state.entries.keys), ["h2.test"])
    }
}
