import SternaCore
import SternaPlatform
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("HSTS: stores")
struct HSTSStoreTests {
    /// A clock that a test sets, in milliseconds.
    private final class Clock: Sendable {
        private let now = Atomic<Int64>(1_000_000)

        func read() -> Int64 { now.load(ordering: .relaxed) }

        func advance(_ milliseconds: Int64) { now.add(milliseconds, ordering: .relaxed) }
    }

    private func store(_ path: String? = nil, _ clock: Clock) -> HSTSStore {
        HSTSStore(limit: 100, file: path.map { PrivateFile(path: $0) }, clock: { clock.read() })
    }

    @Test("Hosts are added, listed, forgotten and expire") func memory() {
        let clock = Clock()
        let hosts = store(nil, clock)
        #expect(hosts.isUnused && hosts.path == nil)
        #expect(hosts.add("B.example."))
        #expect(hosts.add("a.example", maxAge: 10, includesSubdomains: true))
        for host in ["127.0.0.1", "::1", "localhost", "", "a b"] { #expect(!hosts.add(host), "\(host)") }
        #expect(!hosts.add("a.example", maxAge: 0))
        expectEqual(hosts.hosts.map(\.name), ["a.example", "b.example"])
        expectEqual(hosts.hosts.first?.expires, Date(timeIntervalSince1970: 1_010))
        #expect(hosts.requiresTLS("x.a.example") && hosts.requiresTLS("b.example") && !hosts.requiresTLS("127.0.0.1"))
        clock.advance(10_000)
        #expect(!hosts.requiresTLS("x.a.example"))
        expectEqual(hosts.hosts.map(\.name), ["b.example"])
        hosts.remove("B.EXAMPLE")
        #expect(hosts.hosts.isEmpty && !hosts.requiresTLS("b.example"))
        #expect(!hosts.isUnused)
    }

    @Test("Earlier hosts are restored, and others removed", arguments: [false, true])
    func restoring(isSaved: Bool) async throws {
        try await CredentialFolder.with { folder in
            let clock = Clock()
            let hosts = store(isSaved ? folder + "/h" : nil, clock)
            hosts.add("a.example")
            hosts.add("b.example", maxAge: 10)
            let earlier = hosts.hosts
            hosts.removeAll()
            hosts.add("c.example")
            expectEqual(hosts.hosts.map(\.name), ["c.example"])
            hosts.restore(earlier)
            expectEqual(hosts.hosts.map(\.name), ["a.example", "b.example"])
            clock.advance(10_000)
            hosts.restore(earlier)
            expectEqual(hosts.hosts.map(\.name), ["a.example"])
            try await hosts.save()
        }
    }

    @Test("Hosts of a preload list stay, whatever responses say") func preload() async throws {
        try await CredentialFolder.with { folder in
            let hosts = store(nil, Clock())
            try CredentialFolder.write(".example.com\nexample.org\n", to: folder + "/list", mode: 0o644)
            try hosts.preload(file: folder + "/list")
            #expect(!hosts.isUnused)
            #expect(hosts.requiresTLS("www.example.com") && !hosts.requiresTLS("www.example.org"))
            #expect(hosts.hosts.isEmpty)
            hosts.remove("example.com")
            hosts.removeAll()
            #expect(hosts.requiresTLS("example.com"))
            try CredentialFolder.write("two words\n", to: folder + "/list")
            for path in [folder + "/list", folder + "/none", folder] {
                let error = #expect(throws: SternaError.self) { try hosts.preload(file: path) }
                #expect(error?.kind == .fileUnreadable && error?.detail.contains(path) == true)
            }
            #expect(hosts.requiresTLS("example.com"))
        }
    }

    // MARK: Files

    @Test("Hosts are saved for their owner only, and read by the next store") func file() async throws {
        try await CredentialFolder.with { folder in
            let path = folder + "/hsts.json"
            let clock = Clock()
            let first = store(path, clock)
            #expect(first.path == path && !first.isUnused)
            first.add("a.example", includesSubdomains: true)
            try await first.save()
            expectEqual(CredentialFolder.mode(path), 0o600)
            let second = store(path, clock)
            #expect(second.requiresTLS("x.a.example"))
            try await second.load()
            expectEqual(second.hosts, first.hosts)
        }
    }

    @Test("Stores that share a file merge, and no older change undoes a later one") func sharing() async throws {
        try await CredentialFolder.with { folder in
            let clock = Clock()
            let (one, other) = (store(folder + "/h", clock), store(folder + "/h", clock))
            one.add("a.example")
            other.add("b.example")
            try await one.save()
            try await other.save()
            try await one.save()
            expectEqual(one.hosts.map(\.name), ["a.example", "b.example"])
            expectEqual(other.hosts.map(\.name), ["a.example", "b.example"])
            clock.advance(1)
            one.remove("b.example")
            try await one.save()
            // The other store still has the host that was removed, but an older one.
            clock.advance(1)
            other.add("c.example")
            try await other.save()
            expectEqual(other.hosts.map(\.name), ["a.example", "c.example"])
            let third = store(folder + "/h", clock)
            expectEqual(third.hosts.map(\.name), ["a.example", "c.example"])
            third.removeAll()
            try await third.save()
            try await other.save()
            #expect(other.hosts.isEmpty)
        }
    }

    @Test("An unusable file is left unchanged") func unusable() async throws {
        try await CredentialFolder.with { folder in
            let path = folder + "/h"
            try CredentialFolder.write("{}", to: path)
            let hosts = store(path, Clock())
            let loaded = await #expect(throws: SternaError.self) { try await hosts.load() }
            #expect(loaded?.kind == .fileUnreadable && loaded?.detail.contains(path) == true)
            hosts.add("a.example")
            #expect(hosts.requiresTLS("a.example"))
            let saved = await #expect(throws: SternaError.self) { try await hosts.save() }
            expectEqual(saved?.kind, .fileUnreadable)
            expectEqual(CredentialFolder.text(path), "{}")
            // Unsaved changes are saved once the unusable file is gone.
            unlink(path)
            try await hosts.save()
            expectEqual(CredentialFolder.text(path)?.contains("a.example"), true)
        }
    }

    @Test("Concurrent stores with one file lose no host") func concurrency() async throws {
        try await CredentialFolder.with { folder in
            let clock = Clock()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    let hosts = store(folder + "/h", clock)
                    group.addTask {
                        for index in 0..<5 {
                            hosts.add("h\(index).n\(number).example")
                            try await hosts.save()
                        }
                    }
                }
                try await group.waitForAll()
            }
            expectEqual(store(folder + "/h", clock).hosts.count, 20)
        }
    }

    @Test("A mirror shows no hosts") func mirror() {
        let hosts = store(nil, Clock())
        hosts.add("visited.example")
        #expect(!dumped(hosts).contains("visited"))
    }
}
