import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Connections through the network interface that a URL names", .timeLimit(.minutes(5)))
struct AddressZoneSessionTests {
    /// A link-local address of this machine, and its interface.
    static let linkLocal: (address: IPAddress, zone: String)? = {
        let table = (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8)) ?? ""
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 6, words[0].hasPrefix("fe80"), words[0].utf8.count == 32 else { continue }
            let halves = (UInt64(words[0].prefix(16), radix: 16), UInt64(words[0].suffix(16), radix: 16))
            guard let high = halves.0, let low = halves.1 else { continue }
            return (IPAddress(v6: high, low), String(words[5]))
        }
        return nil
    }()

    /// The interface of ::1: `lo`, or `lo0` on other systems.
    private static let loopback = if_nametoindex("lo") != 0 ? "lo" : "lo0"

    @Test(
        "The connection goes through it, and the server does not receive it",
        .enabled("needs ::1") { await HappyEyeballsTests.hasIPv6() }, arguments: ["%25", "%"])
    func loopback(mark: String) async throws {
        try await TestServer.withServer(.init(host: "::1")) { server in
            for zone in [Self.loopback, "\(if_nametoindex(Self.loopback))"] {
                let url = "http://[::1\(mark)\(zone)]:\(server.port)/"
                let api = try DialScene.session(url)
                try await expectEqual(api.get("get").status, 200)
                expectEqual(server.requests().last?.headers["Host"], "[::1]:\(server.port)")
            }
        }
    }

    @Test(
        "A link-local address is reached through its interface",
        .enabled("needs a link-local address") { linkLocal != nil })
    func linkLocalAddress() async throws {
        let (address, zone) = try #require(Self.linkLocal)
        try await TestServer.withServer(.init(host: "::")) { server in
            let api = try DialScene.session("http://[\(address)%25\(zone)]:\(server.port)/")
            try await expectEqual(api.get("get").status, 200)
            expectEqual(server.requests().last?.headers["Host"], "[\(address)]:\(server.port)")
        }
    }

    @Test("The error names a missing interface")
    func unknown() async throws {
        let api = try DialScene.session("http://[fe80::1%25nosuch0]/")
        let error = await Wire.failure(.connectionFailed, .connect) { try await api.get("get") }
        expectEqual(error?.detail.contains("no network interface “nosuch0”"), true)
        expectEqual(error?.requestSent, false)
    }
}
