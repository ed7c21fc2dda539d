import Foundation
import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The programs of docs/Migrating/AsyncHTTPClient.md, against a server.
@Suite("Coming from AsyncHTTPClient: programs", .timeLimit(.minutes(5)))
struct MigratingAsyncHTTPClientProgramTests {
    private struct Bird: Decodable, Sendable {
        var id: Int
    }

    private struct Sighting: Codable, Sendable {
        var bird: Int
        var count: Int
    }

    @Test("A value is read, and another one sent")
    func values() async throws {
        let journal = Journal()
        try await TestServer.withServer { server in
            server.route("GET", "/birds/7") { _ in .json(["id": 7]) }
            server.route("POST", "/sightings") { request in
                let sighting = try JSONDecoder().decode(Sighting.self, from: Data(try await request.body.collect()))
                journal.add("\(sighting.count) of \(sighting.bird)")
                return .json([:], status: 201)
            }
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let Session = SessionMaker(server)

            let api = try Session(baseURL: "https://api.example.com/v1") {
                $0.timeouts.total = .seconds(30)  // of the whole request, its body included
                $0.limits.collectedBytes = 1 << 20
            }
            let bird: Bird = try await api.get("birds/7").decode()
            let reply = try await api.post("sightings", json: Sighting(bird: bird.id, count: 3))
            print(reply.status)

            #expect(reply.status == 201)
            #expect(journal.entries == ["3 of 7"])
            let error = await #expect(throws: SternaError.self) { try await api.get("bytes/2000000") }
            #expect(error?.kind == .limitExceeded)
        }
    }

    @Test("A client of one's own, and its end")
    func ownEngine() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        try await TestServer.withServer { server in
            try await TestProxy.withProxy(.init(username: "ada", password: "secret")) { relay in
                let address = relay.urlWithCredentials
                server.route("GET", "/report") { _ in .text("report") }
                // swift-format-ignore: AlwaysUseLowerCamelCase
                let Session = SessionMaker(server)

                var options = EngineOptions()
                options.idleTimeout = .seconds(30)
                options.maximumConnectionsPerOrigin = 4
                let engine = Engine(options: options, group: group)  // without a group on SwiftNIO's singleton
                let proxy = try Proxy(address)  // "http://ada:secret@proxy.example:3128"
                let api = try Session(baseURL: "https://api.example.com") {
                    $0.network.engine = engine
                    $0.timeouts.connect = .seconds(5)
                    $0.timeouts.firstByte = .seconds(30)
                    $0.timeouts.betweenBytes = .seconds(30)
                    $0.redirects.limit = 3
                    $0.limits.decompression.ratio = 25
                    $0.network.http2 = .off
                    $0.network.proxies = .proxy(proxy)
                }
                print(try await api.get("report").text())
                await engine.shutDown(within: .seconds(5))  // lets running requests end; without it nothing leaks

                #expect(relay.requests().last?.credentials != nil)
                #expect(server.requests().map(\.target) == ["/report"])
                let error = await #expect(throws: SternaError.self) { try await api.get("report") }
                #expect(error?.kind == .shutDown)
            }
        }
    }

    @Test("A body that is read while it arrives")
    func streams() async throws {
        let counter = Counter()
        func handle(_ buffer: ByteBuffer) { counter.add(buffer.readableBytes) }
        try await TestServer.withServer { server in
            server.route("GET", "/film") { _ in ServerResponse(body: .bytes(Array(repeating: 7, count: 300_000))) }
            let api = try Session(baseURL: server.url)

            try await api.withResponse(to: .get("film")) { response in
                for try await buffer in response.body { handle(buffer) }  // reading slowly slows the server down
            }

            #expect(counter.value == 300_000)
        }
    }

    @Test("A body that is sent while it is made, and a file")
    func uploads() async throws {
        let photo = try TemporaryPhoto()
        let film = photo.path
        let pieces = AsyncStream<ByteBuffer> { continuation in
            continuation.yield(ByteBuffer(string: "film"))
            continuation.yield(ByteBuffer(string: "film"))
            continuation.finish()
        }
        try await TestServer.withServer { server in
            server.route("PUT", "/films/{id}") { request in
                .text("\(try await request.body.collect().count)", mediaType: "application/json")
            }
            let api = try Session(baseURL: server.url)

            try await api.put("films/7", body: .stream(pieces, length: 8))
            try await api.upload(file: film, to: "films/8", method: .put, progress: { print($0) })  // 37% of 1.2 GB

            #expect(server.requests().map(\.bodySize) == [8, 5])
            #expect(server.requests().map { $0.headers["Content-Length"] } == ["8", "5"])
        }
    }

    @Test("A download to a file")
    func downloads() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                server.route("GET", "/films/7") { _ in ServerResponse(body: .bytes(Array("film".utf8))) }
                let path = folder + "/film.mov"
                let api = try Session(baseURL: server.url)

                let download = api.download("films/7", to: .file(path))
                for await step in download.progress { print(step) }  // 37% of 1.2 GB, 48 MB/s, 16 s left
                print(try await download.value.path)

                #expect(try Downloading.bytes(path) == Array("film".utf8))
                let missing = api.download("status/404", to: .file(folder + "/none"))
                let error = await #expect(throws: SternaError.self) { try await missing.value }
                #expect(error?.status == 404)
                #expect(try Downloading.names(in: folder) == ["film.mov"])
                try await withProgress(api, to: folder + "/again.mov")
            }
        }
    }

    private func withProgress(_ api: Session, to path: String) async throws {
        let film = api.download("films/7", to: .file(path), progress: { print($0) })
        #expect(try await film.value.length == 4)
    }

    @Test("Futures, in a program of event loops")
    func futures() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        try await TestServer.withServer { server in
            server.route("GET", "/birds/7") { _ in .text("tern") }
            let api = try Session(baseURL: server.url)

            let future = eventLoop.makeFutureWithTask { try await api.get("birds/7").text() }

            #expect(try await future.get() == "tern")
        }
    }

    @Test("TLS: a private authority, a client certificate, pins")
    func trust() async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["localhost"])
        let client = try authority.issue(hosts: ["client.example"])
        try await TestServer.withServer(TestServer.Options(tls: bundle, http2: .byALPN)) { server in
            try await Downloading.withFolder { folder in
                try Data(authority.pem.utf8).write(to: URL(filePath: folder + "/company-ca.pem"))
                try bundle.writeChainPEM(toPath: folder + "/server.pem")
                let (certificate, key) = (folder + "/client.pem", folder + "/client.key")
                try client.writeChainPEM(toPath: certificate)
                try client.writePrivateKeyPEM(toPath: key)
                server.route("GET", "/report") { _ in .text("report") }
                // swift-format-ignore: AlwaysUseLowerCamelCase
                let Session = SessionMaker(server)

                var policy = SecurityPolicy.authority(file: folder + "/company-ca.pem")
                policy.identity = try ClientIdentity(certificateFile: certificate, keyFile: key)
                policy.pins = try Pin.publicKeys(at: folder + "/server.pem")  // an AsyncHTTPClient pins nothing
                policy.tls.minimumVersion = .tls13
                let api = try Session(baseURL: "https://api.example.com") { $0.trust.policy = policy }
                print(try await api.get("report").response.version)  // HTTP/2 where the server speaks it

                #expect(server.requests().map(\.version) == [.http2])
            }
        }
    }

    @Test("A login, and the cookie that comes with it")
    func cookies() async throws {
        let password = "secret"
        try await TestServer.withServer { server in
            server.route("POST", "/login") { request in
                let form = String(decoding: try await request.body.collect(), as: UTF8.self)
                guard form.contains("user=ada"), form.contains("password=secret") else {
                    return .message("No", status: 403)
                }
                return .json([:], headers: ["Set-Cookie": "sid=31d4; Path=/"])
            }
            server.route("GET", "/me") { request in .text(request.headers["Cookie"] ?? "") }
            let api = try Session(baseURL: server.url)

            try await api.post("login", form: ["user": "ada", "password": password])
            print(try await api.get("me").text())  // the session's jar has sent the cookie back

            #expect(server.requests().last?.headers["Cookie"] == "sid=31d4")
        }
    }

    @Test("Errors, and requests that are sent again")
    func retries() async throws {
        let attempts = Counter()
        try await TestServer.withServer { server in
            server.route("GET", "/report") { _ in
                attempts.add(1) < 3 ? .message("Busy", status: 503) : .text("report")
            }
            let api = try Session(baseURL: server.url)

            let patient = api.with {
                $0.retry = .transient  // back-off, Retry-After, a budget; never a POST without an Idempotency-Key
                $0.retry.backoff = RetryBackoff(base: .milliseconds(100), factor: 2)
            }
            do {
                print(try await patient.get("report").text())
            } catch let error as SternaError where error.kind == .timedOut {
                print(error.phase)  // connect, wait, read …
            }

            #expect(attempts.value == 3)
            let error = await #expect(throws: SternaError.self) {
                try await api.get("fault/never") { $0.deadline = .now }
            }
            #expect(error?.kind == .timedOut)
        }
    }

    @Test("Tests without a network")
    func mocks() async throws {
        let mock = MockTransport { request in .json(["path": .string(request.url.path)]) }
        let api = try Session(baseURL: "https://api.example.com") { $0.network.transport = mock }

        #expect(try await api.get("birds").json()["path"].string == "/birds")

        #expect(mock.requests.count == 1)
    }
}
