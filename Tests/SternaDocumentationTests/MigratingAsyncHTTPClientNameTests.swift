import Foundation
import Logging
import NIOCore
import Sterna
import SternaTesting
import SternaTracing
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/AsyncHTTPClient.md that no other page has.
@Suite("Coming from AsyncHTTPClient: names", .timeLimit(.minutes(5)))
struct MigratingAsyncHTTPClientNameTests {
    private struct Shuffling: HostResolver {
        func resolve(_ host: String, _ families: AddressFamilies) async throws -> ResolvedHost {
            var found = try await SystemResolver().resolve(host, families)
            found.addresses.shuffle()
            return found
        }
    }

    @Test("Time limits, redirects, contents and what is observed")
    func settings() async throws {
        let logger = Logger(label: "com.example.api")
        let (api, mock) = try mocked {
            $0.timeouts.connect = .seconds(5)
            $0.timeouts.firstByte = .seconds(30)
            $0.timeouts.betweenBytes = .seconds(30)
            $0.timeouts.write = .seconds(30)
            $0.redirects.limit = 3
            $0.redirects.methods = .fetch.keepingPost(on: [301, 302])
            $0.decodesContent = false
            $0.limits.decompression.ratio = 25
            $0.limits.decompression.bytes = 1 << 30
            $0.network.http2 = .negotiated
            $0.events.trace()
            $0.events.log(to: logger)
        }
        try await api.get("users/1") { $0.deadline = .now + .seconds(5) }
        _ = try await api.onEventLoop { try await api.get("users/1") }
        #expect(mock.requests.count == 2)
        let sent = try #require(mock.requests.first)
        #expect(sent.timeouts.connect == .seconds(5))
        #expect(sent.timeouts.write == .seconds(30))

        let (moved, _) = try mocked(by: MockTransport { _ in .redirect(to: "/again") }) { $0.redirects.limit = 3 }
        let error = await #expect(throws: SternaError.self) { try await moved.get("users") }
        #expect(error?.kind == .tooManyRedirects)
        #expect(error?.redirects.count == 3)
    }

    @Test("Proxies and sockets")
    func routes() throws {
        func plain() throws -> Proxy {
            let proxy = try Proxy(.http, host: "proxy.example", port: 3128)
            return proxy
        }
        func named() throws -> Proxy {
            let proxy = try Proxy("http://ada:secret@proxy.example:3128")
            return proxy
        }
        func socks() throws -> Proxy {
            let proxy = try Proxy("socks5://proxy.example:1080")
            return proxy
        }
        #expect(try !plain().hasCredentials)
        #expect(try named().hasCredentials)
        #expect(try socks().port == 1_080)
        let (api, _) = try mocked { $0.network.unixSocket = "/run/api.sock" }
        #expect(api.baseURL?.host == "api.example.com")
    }

    @Test("An engine")
    func engines() async throws {
        try await TestServer.withServer { server in
            var options = EngineOptions()
            options.maximumUses = 1_000
            options.resolver = Shuffling()
            options.hostOverrides = ["api.example.com:443": ["192.0.2.1"]]
            let engine = Engine(options: options)
            let api = try Session(baseURL: "http://localhost:\(server.port)") {
                $0.network.engine = engine
                $0.network.proxies = .none
            }
            try await api.warmUp(connections: 4)
            #expect(await eventually { server.totalConnections == 4 })
            #expect(try await api.get("get").status == 200)
        }
        var options = EngineOptions()
        options.sourceAddress = IPAddress("192.0.2.7")
        #expect(options.sourceAddress != nil)
    }

    @Test("Bodies")
    func bodies() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Bytes.self)
        continuation.yield(Bytes(text: "row"))
        continuation.yield(Bytes(text: "row"))
        continuation.finish()
        try await TestServer.withServer { server in
            server.route("PUT", "/films/7") { request in
                .text("\(try await request.body.collect().count)", mediaType: "application/json")
            }
            server.route("GET", "/film") { _ in ServerResponse(body: .bytes(Array(repeating: 7, count: 1_000))) }
            let api = try Downloading.session(server)
            func known(_ pieces: AsyncStream<Bytes>) async throws {
                try await api.put("films/7", body: .stream(pieces, length: 8))
            }
            func unknown(_ pieces: AsyncStream<Bytes>) async throws {
                try await api.put("films/7", body: .stream(pieces))
            }
            try await unknown(stream)
            #expect(server.requests().first?.bodySize == 6)
            #expect(server.requests().first?.headers["Transfer-Encoding"] == "chunked")
            let (short, end) = AsyncStream.makeStream(of: Bytes.self)
            end.yield(Bytes(text: "row"))
            end.finish()
            let error = try #require(await #expect(throws: SternaError.self) { try await known(short) })
            let fault = error.underlying as? BodyFault
            #expect(fault == .tooShort(delivered: 3, declared: 8))

            let sent = Counter()
            try await api.put("films/7", body: .text("film")) { $0.uploadProgress = { print($0) } }
            try await api.put("films/7", body: .text("film")) { $0.uploadProgress = { _ in sent.add(1) } }
            #expect(sent.value > 0)

            let trailers = try await api.withResponse(to: .get("film")) { response in
                let body = try await response.body.collect(upTo: 1 << 20)
                #expect(body.readableBytes == 1_000)
                return response.body.trailers
            }
            #expect(trailers?.isEmpty != false)
        }
    }

    @Test("What was sent is an event")
    func events() async throws {
        let journal = Journal()
        let observer = EventObserver(.network) { event in
            switch event.kind {
            case .requestSent(let bytes): print(bytes)
            default: break
            }
            if case .requestSent = event.kind { journal.addOnce("sent") }
        }
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) { $0.events.observers = [observer] }
            try await api.get("get")
            await journal.wait(for: "sent")
        }
    }

    @Test("Trust")
    func trust() {
        var policy = SecurityPolicy.system
        policy.roots = .system + .folder("/etc/acme/roots")
        policy.tls.cipherSuites = [.ecdheECDSAWithAES256GCM]
        policy.tls.keyLogFile = "/tmp/keys"
        policy.tls.offersApplicationProtocols = false
        #expect(policy != .system)
    }

    @Test("Errors of requests and of proxies")
    func errors() async throws {
        let (api, _) = try mocked(
            by: MockTransport { _ in throw SternaError(.proxyFailed, phase: .proxy, "The proxy refuses.") }
        ) { $0.retry = .none }
        var error = await #expect(throws: SternaError.self) { try await api.get("users") }
        #expect(error.map { error in error.kind == .proxyFailed } == true)
        error = await #expect(throws: SternaError.self) { try await api.get("users", headers: ["a b": "c"]) }
        #expect(error.map { error in error.kind == .invalidHeader } == true)
    }
}
