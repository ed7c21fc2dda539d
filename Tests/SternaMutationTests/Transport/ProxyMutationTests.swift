import MutationKit
import NIOCore
import SternaCore
import SternaSecurity
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

@Suite("Mutations: proxies")
struct ProxyMutationTests {
    private static let address: [UInt8] = [5, 0, 0, 1, 10, 0, 0, 1, 4, 56]

    private static func handshake(hasCredentials: Bool) throws(SternaError) -> SOCKS5Handshake {
        try SOCKS5Handshake(
            host: "example.com", port: 443, username: hasCredentials ? "us:er" : nil,
            password: hasCredentials ? "p\u{E4}ss" : nil)
    }

    static let socks = MutatedReader(
        "SOCKS5",
        seeds: [
            [5, 0] + address + Array("server".utf8), [5, 2, 1, 0] + address,
            [5, 0, 5, 0, 0, 3, 3, 0x61, 0x2E, 0x62, 255, 255],
            [5, 0, 5, 0, 0, 4] + [UInt8](repeating: 0xFE, count: 18), [5, 0, 5, 5, 0, 1, 0, 0, 0, 0, 0, 0],
        ],
        tokens: [
            [5, 0], [5, 2], [1, 0], [5, 0xFF], [5, 0, 0, 1], [5, 0, 0, 3, 255], [5, 0, 0, 3, 0], [5, 0, 0, 4],
        ], acceptsSeeds: false
    ) { bytes in
        var isEstablished = false
        for size in [bytes.count, 1, 3] where size > 0 {
            guard var handshake = try? Self.handshake(hasCredentials: bytes.count & 1 == 0) else {
                return .refused
            }
            for start in stride(from: 0, to: bytes.count, by: size) {
                let step = try? handshake.receive(bytes[start..<min(start + size, bytes.count)])
                if case .established? = step { isEstablished = true }
            }
        }
        return isEstablished ? .accepted : .refused
    }

    @Test("No mutated answer of a SOCKS proxy ends the process")
    func survivesSOCKS() async {
        let report = await Self.socks.supervise {
            await #expect(processExitsWith: .success) { await ProxyMutationTests.socks.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    private static let endpoint = Result { () throws -> Endpoint in
        let url = try HTTPURL("https://example.test/")
        return Endpoint(
            origin: url.origin, host: "example.test", hostIsAddress: false, route: .direct, policy: .system,
            proxyPolicy: .system, routing: RouteConfiguration(), engine: Engine())
    }

    static let tunnels = MutatedReader(
        "Connect",
        seeds: [
            "HTTP/1.1 200 Connection established\r\n\r\nserver", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"x\"\r\n\r\n",
            "HTTP/1.1 407 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwho\r\n0\r\n\r\n",
            "HTTP/1.1 407 No\r\nContent-Length: 11\r\n\r\nwho are you",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        ],
        tokens: [
            "\r\n", "\r", "\n", ":", " ", "HTTP/1.1 200 \r\n", "HTTP/1.1 101 \r\n\r\n", "Content-Length: ",
            "Connection: close\r\n",
        ],
        acceptsSeeds: false
    ) { bytes in
        var isEstablished = false
        for size in [bytes.count, 1, 9] where size > 0 {
            var handshake = ConnectHandshake(
                through: try Proxy("http://proxy.test:8080"), to: try endpoint.get(), authorization: nil,
                limits: Limits(),
                answers: bytes.count & 1 == 0 ? .all : .digest)
            var isRefused = false
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = Bytes(bytes: bytes[start..<min(start + size, bytes.count)])
                if isRefused {
                    guard case .needsMore = handshake.drain(piece) else { break }
                    continue
                }
                do throws(SternaError) {
                    guard try handshake.receive(piece) != nil else { continue }
                    isEstablished = true
                    break
                } catch {
                    guard error.proxyResponse != nil, case .needsMore = handshake.drain() else { break }
                    isRefused = true
                }
            }
        }
        return isEstablished ? .accepted : .refused
    }

    @Test("No mutated answer to CONNECT ends the process")
    func survivesConnect() async {
        let report = await Self.tunnels.supervise {
            await #expect(processExitsWith: .success) { await ProxyMutationTests.tunnels.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    static let settings = MutatedReader(
        "ProxySettings",
        seeds: [
            "http://proxy.test:8080", "https://us%C3%A9r:p%40ss@[::1]:443/", "socks5h://10.0.0.1", "proxy:3128",
            "localhost,.example.test,10.0.0.0/8,[2001:db8::]/32,host:8080,*",
        ],
        tokens: ["://", ":", "@", "%", "/", "[", "]", ",", "*", ".", "socks5", "/33", "/129", "::", "é"],
        acceptsSeeds: false
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let exceptions = ProxyExceptions(text)
        for host in ["example.test", "10.1.2.3", "[2001:db8::1]", "localhost", text] {
            for port in [80, 8_080, .max, .min] { _ = exceptions.contains(host: host, port: port) }
        }
        guard let proxy = try? Proxy(text) else { return .refused }
        _ = ("\(proxy)", proxy.authorization, proxy.hashValue)
        return .accepted
    }

    @Test("No mutated setting of a proxy ends the process")
    func survivesSettings() async {
        let report = await Self.settings.supervise {
            await #expect(processExitsWith: .success) { await ProxyMutationTests.settings.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
