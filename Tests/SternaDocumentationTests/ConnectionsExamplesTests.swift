import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/Connections.md, so that they compile and do what it says.
@Suite("Examples: connections, proxies and time")
struct ConnectionsExamplesTests {
    @Test("Time limits")
    func limits() async throws {
        let mock = MockTransport { _ in .json([:]) }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") {
            $0.timeout = .seconds(10)  // of each step: connecting, TLS, the first byte, each pause between bytes
            $0.timeouts.total = .seconds(30)  // of the whole request; seven days by default
            $0.timeouts.minimumThroughput = .init(bytesPerSecond: 1_000)
        }
        let deadline = Deadline.now + .seconds(20)  // one end for several requests
        try await api.get("users/1") { $0.deadline = deadline }
        try await api.get("users/2") { $0.deadline = deadline }

        #expect(mock.requests.allSatisfy { $0.timeouts.tls == .seconds(10) && $0.call?.deadline == deadline })
        let error = await #expect(throws: SternaError.self) { try await api.get("late") { $0.deadline = .now } }
        #expect(error?.kind == .timedOut)
        #expect(mock.requests.count == 2)
    }

    @Test("Proxies, and URLs that strangers give")
    func proxies() async throws {
        let (api, mock) = try mocked()

        let proxy = try Proxy("http://user:password@proxy.example:3128")  // also https and socks5
        let proxied = api.with { $0.network.proxies = .proxy(proxy, except: ["intranet.example", "10.0.0.0/8"]) }

        try await proxied.get("users/1")
        #expect(mock.requests.count == 1)

        let fetcher = try Session {  // no private, loopback or metadata addresses
            $0.network.dialPolicy = .publicOnly
            $0.network.proxies = .none  // a proxy would resolve names where no policy sees it
        }

        try await TestServer.withServer { server in
            let error = await #expect(throws: SternaError.self) { try await fetcher.get(server.url("/get")) }
            #expect(error?.kind == .addressRefused)
        }
    }

    @Test("An engine of one's own")
    func engine() async throws {
        try await TestServer.withServer { server in
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let Session = SessionMaker(server)

            var options = EngineOptions()
            options.maximumConnectionsPerOrigin = 8  // also a resolver, idle times, HTTP/2's windows
            let engine = Engine(options: options)
            let modest = try Session(baseURL: "https://api.example.com") { $0.network.engine = engine }
            try await modest.warmUp(connections: 4)
            await engine.shutDown(within: .seconds(5))  // the shared engine needs none

            // The system completes connections before the server accepts them.
            #expect(await eventually { server.totalConnections == 4 })
        }
    }

    @Test("What happens on the network")
    func observed() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/report") { _ in .json([:]) }
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }

            let measured = api.with {
                $0.events.collectsMetrics = true
                $0.events.observe(.network) { print($0) }  // connected, responseBegan …
            }
            let reply = try await measured.get("report") {
                $0.priority = .high  // ahead of other requests that wait for a connection
                $0.onInformational = { print($0.status) }  // 103 Early Hints, say
            }
            if let tls = reply.response.metrics?.attempts.first?.tls { print(tls.duration) }

            #expect(reply.response.metrics?.attempts.count == 1)
        }
    }
}
