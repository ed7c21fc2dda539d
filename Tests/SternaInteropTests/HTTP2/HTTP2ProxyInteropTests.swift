import NIOCore
import NIOPosix
import Sterna
import SternaPlatform
import SternaTesting
import Testing

/// Through proxies that others wrote, which are asked for tunnels over HTTP/2. Those that are not installed are left out; CI
/// installs them.
@Suite("Interop: tunnels over HTTP/2", .serialized, .timeLimit(.minutes(5)))
struct HTTP2ProxyInteropTests {
    /// What is spoken inside the tunnels.
    enum Inner: String, CaseIterable, CustomTestStringConvertible {
        case http1, http2

        var testDescription: String { rawValue }
        var version: HTTPVersion { self == .http1 ? .http11 : .http2 }
    }

    /// One event loop, and so one connection to a proxy that has room on it.
    private static func engine() -> Engine { Engine(group: MultiThreadedEventLoopGroup.singleton.next()) }

    /// Starts servers with certificates of the proxy's authority: a document of 20 MiB, and a place that gives back what it is
    /// sent.
    private func withOrigins(
        _ count: Int = 1, _ inner: Inner = .http1, behind proxy: HTTP2Proxy, _ work: ([TestServer]) async throws -> Void
    ) async throws {
        let bundle = try proxy.authority.issue(hosts: ["localhost"])
        var origins: [TestServer] = []
        func stop() async { for origin in origins { try? await origin.stop() } }
        do {
            for _ in 0..<count {
                let origin = try await TestServer.start(.init(tls: bundle, http2: inner == .http2 ? .byALPN : []))
                origins.append(origin)
                origin.route("GET", "/large.bin") { _ in ServerResponse(body: .bytes(HTTP2Origin.large)) }
                origin.route("POST", "/echo") { request in
                    ServerResponse(body: .bytes(try await request.body.collect(upTo: 64 << 20)))
                }
            }
            try await work(origins)
        } catch {
            await stop()
            throw error
        }
        await stop()
    }

    /// Sends a body, and sees whether the server has got it.
    private func echoes(_ content: [UInt8], _ api: Session, _ origin: TestServer) async throws {
        let reply = try await api.post(origin.url("/echo"), body: .bytes(content))
        // A difference is not shown, since it may be long.
        let isSame = reply.body == Bytes(copying: content)
        #expect(isSame, "\(reply.body.count) bytes came back of \(content.count)")
    }

    /// What the servers may not have seen.
    private func expectNothingOfTheProxy(_ origin: TestServer, location: SourceLocation = #_sourceLocation) {
        for name in ["Proxy-Authorization", "Proxy-Connection", "Via", "Forwarded", "X-Forwarded-Proto"] {
            let has = origin.requests().contains { $0.headers.contains(name) }
            #expect(!has, "\(name)", sourceLocation: location)
        }
    }

    @Test("A document, 20 MiB, and an upload of 5 MiB", arguments: HTTP2ProxyProgram.there, Inner.allCases)
    func whole(program: HTTP2ProxyProgram, inner: Inner) async throws {
        try await HTTP2Proxy.with(program) { proxy in
            try await withOrigins(1, inner, behind: proxy) { origins in
                let origin = origins[0]
                let engine = Self.engine()
                let api = try proxy.session(engine)
                for _ in 0..<3 {
                    let reply = try await api.get(origin.url("/get"))
                    #expect(reply.status == 200)
                    #expect(reply.response.version == inner.version)
                }
                let large = try await api.get(origin.url("/large.bin"))
                let isWhole = large.body.count == HTTP2Origin.large.count && HTTP2Origin.holds(large.body, at: 0)
                #expect(isWhole, "\(large.body.count) bytes came")
                try await echoes(HTTP2Origin.upload, api, origin)
                #expect(origin.totalConnections == 1)
                expectNothingOfTheProxy(origin)
                await engine.shutDown()
                let lines = try await proxy.log()
                #expect(lines.map(\.isHTTP2) == [true])
                #expect(lines.map(\.method) == ["CONNECT"])
                #expect(lines.map(\.target) == ["localhost:\(origin.port)"])
                #expect(lines.map(\.status) == [200])
            }
        }
    }

    /// Both let six tunnels in on one connection.
    @Test("Six servers at once share a connection", arguments: HTTP2ProxyProgram.there, Inner.allCases)
    func parallel(program: HTTP2ProxyProgram, inner: Inner) async throws {
        try await HTTP2Proxy.with(program) { proxy in
            try await withOrigins(6, inner, behind: proxy) { origins in
                let engine = Self.engine()
                let api = try proxy.session(engine)
                try await engine.onEventLoop {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for (number, origin) in zip(1..., origins) {
                            group.addTask {
                                for turn in 1...4 {
                                    let start = number * 1_000 + turn
                                    let end = start + turn * number * 50_000
                                    try await echoes(Array(HTTP2Origin.large[start..<end]), api, origin)
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                #expect(origins.map(\.totalConnections) == [Int](repeating: 1, count: 6))
                await engine.shutDown()
                let lines = try await proxy.log(6)
                #expect(Set(lines.map(\.target)) == Set(origins.map { "localhost:\($0.port)" }))
                #expect(lines.allSatisfy { $0.isHTTP2 && $0.status == 200 })
                #expect(Set(lines.map(\.connection)).count == 1)
            }
        }
    }

    /// Apache refuses more than six, which it says only after the first tunnels have been asked for.
    @Test("More servers at once than a connection has room for", arguments: HTTP2ProxyProgram.there)
    func crowded(program: HTTP2ProxyProgram) async throws {
        try await HTTP2Proxy.with(program) { proxy in
            try await withOrigins(14, behind: proxy) { origins in
                let engine = Self.engine()
                let api = try proxy.session(engine)
                try await engine.onEventLoop {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for origin in origins {
                            group.addTask {
                                for _ in 0..<2 { try await echoes(Array(HTTP2Origin.large[..<70_000]), api, origin) }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                #expect(origins.map(\.requestCount) == [Int](repeating: 2, count: 14))
                await engine.shutDown()
                let lines = try await proxy.log(14) { $0.status == 200 }
                #expect(lines.count == 14)
                #expect(lines.allSatisfy { $0.isHTTP2 })
                let connections = Dictionary(grouping: lines, by: \.connection).mapValues(\.count)
                if program == .apache {
                    #expect(connections.count >= 3)
                    #expect(connections.values.allSatisfy { $0 <= 6 })
                } else {
                    #expect(connections.count == 1)
                }
            }
        }
    }

    /// Both leave tunnels without an answer then: to one server nghttpx those from the ninth on, Apache from the seventh on.
    @Test("Thirty requests at once to a server are served by fewer tunnels", arguments: HTTP2ProxyProgram.there)
    func heldBack(program: HTTP2ProxyProgram) async throws {
        try await HTTP2Proxy.with(program, .usual) { proxy in
            try await withOrigins(behind: proxy) { origins in
                let origin = origins[0]
                let api = try proxy.session(Self.engine())
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 1...30 {
                        group.addTask {
                            try await echoes(Array(HTTP2Origin.large[number..<(number * 4_001)]), api, origin)
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(origin.requestCount == 30)
            }
        }
    }

    /// Apache says nothing to the seventh on a connection while the six before it are there.
    @Test(
        "A tunnel without an answer is given up, and the next one is asked for elsewhere",
        .enabled(if: HTTP2ProxyProgram.apache.mayRun, "apache2 is not installed"))
    func silent() async throws {
        try await HTTP2Proxy.with(.apache, .usual) { proxy in
            try await withOrigins(12, behind: proxy) { origins in
                let engine = Self.engine()
                let api = try proxy.session(engine) { $0.timeouts.proxy = .seconds(2) }
                try await engine.onEventLoop { () async throws in
                    for origin in origins {
                        do {
                            #expect(try await api.get(origin.url("/get")).status == 200)
                        } catch let error as SternaError {
                            #expect(error.kind == .timedOut)
                            #expect(error.phase == .proxy)
                            #expect(!error.requestSent)
                        }
                    }
                    for origin in origins { #expect(try await api.get(origin.url("/get")).status == 200) }
                }
            }
        }
    }

    @Test("No request passes without the right credentials", arguments: HTTP2ProxyProgram.there)
    func refused(program: HTTP2ProxyProgram) async throws {
        try await HTTP2Proxy.with(program) { proxy in
            try await withOrigins(behind: proxy) { origins in
                let origin = origins[0]
                let engine = Self.engine()
                for (username, password) in [(nil, nil), ("ada", "hidden"), ("eve", "pw1x")] {
                    let api = try proxy.session(engine, username: username, password: password)
                    let error = await #expect(throws: SternaError.self) { try await api.get(origin.url("/get")) }
                    #expect(error?.kind == .proxyFailed)
                    #expect(error?.phase == .proxy)
                    #expect(error?.requestSent == false)
                    #expect(error?.response == nil)
                    #expect(error?.proxyResponse?.status.code == 407)
                    #expect(error?.proxyResponse?.headers.fields("Proxy-Authenticate") == [#"Basic realm="terns""#])
                    let shown = error.map { "\($0) \(String(reflecting: $0))" } ?? ""
                    #expect(shown.contains("(407)"))
                    #expect(shown.contains("it does not accept the user name and password.") == (username != nil))
                    for secret in ["hidden", "pw1x"] { #expect(!shown.contains(secret)) }
                }
                #expect(origin.totalConnections == 0)
                #expect(try await proxy.session(engine).get(origin.url("/get")).status == 200)
                await engine.shutDown()
                let lines = try await proxy.log(4)
                #expect(lines.map(\.status).sorted() == [200, 407, 407, 407])
                #expect(lines.allSatisfy { $0.isHTTP2 })
                #expect(Set(lines.map(\.connection)).count == 4, "who has other credentials has other connections")
            }
        }
    }

    @Test("A server whose port is closed, and the same connection afterwards", arguments: HTTP2ProxyProgram.there)
    func unreachable(program: HTTP2ProxyProgram) async throws {
        let closed = try ClosedPort()
        try await HTTP2Proxy.with(program) { proxy in
            try await withOrigins(behind: proxy) { origins in
                let url = origins[0].url("/get")
                let engine = Self.engine()
                let api = try proxy.session(engine)
                try await engine.onEventLoop { () async throws in
                    for _ in 0..<3 {
                        let error = await #expect(throws: SternaError.self) {
                            try await api.get("https://127.0.0.1:\(closed.port)/")
                        }
                        #expect(error?.kind == .proxyFailed)
                        #expect(error?.phase == .proxy)
                        #expect((500...504).contains(error?.proxyResponse?.status.code ?? 0))
                        #expect(error?.requestSent == false)
                    }
                    #expect(try await api.get(url).status == 200)
                }
                await engine.shutDown()
                let lines = try await proxy.log(4)
                #expect(lines.count { $0.target == "127.0.0.1:\(closed.port)" && $0.status >= 500 } == 3)
                #expect(lines.allSatisfy { $0.isHTTP2 })
                #expect(Set(lines.map(\.connection)).count == 1)
            }
        }
        withExtendedLifetime(closed) {}
    }

    @Test("Downloads that are given up end their tunnels alone", arguments: HTTP2ProxyProgram.there)
    func givenUp(program: HTTP2ProxyProgram) async throws {
        try await HTTP2Proxy.with(program) { proxy in
            try await withOrigins(2, behind: proxy) { origins in
                let engine = Self.engine()
                let api = try proxy.session(engine)
                try await engine.onEventLoop {
                    for _ in 0..<5 {
                        try await api.withResponse(to: .get(origins[0].url("/large.bin"))) { response in
                            for try await _ in response.body { break }
                        }
                        try await echoes(Array(HTTP2Origin.large[..<300_000]), api, origins[1])
                    }
                }
                #expect(origins[1].totalConnections == 1)
                // The proxy has told the servers of it.
                try await origins[0].waitForOpenConnections(0)
                await engine.shutDown()
                let lines = try await proxy.log(6)
                #expect(lines.count == 6)
                #expect(lines.allSatisfy { $0.isHTTP2 && $0.status == 200 })
                #expect(Set(lines.map(\.connection)).count == 1)
            }
        }
    }

    @Test("The proxy is gone: the error says so", arguments: HTTP2ProxyProgram.there)
    func stopped(program: HTTP2ProxyProgram) async throws {
        var proxy: HTTP2Proxy? = try await HTTP2Proxy(program)
        let running = try #require(proxy)
        let (api, port) = (try running.session(Self.engine()), running.port)
        // Held nowhere else when it is let go of below.
        let bundle = try running.authority.issue(hosts: ["localhost"])
        _ = consume running
        try await TestServer.withServer(.init(tls: bundle)) { origin async throws in
            #expect(try await api.get(origin.url("/get")).status == 200)
            proxy = nil
            let error = await #expect(throws: SternaError.self) { try await api.get(origin.url("/get")) }
            #expect(error?.kind == .connectionFailed || error?.kind == .proxyFailed)
            #expect(error?.phase == .connect || error?.phase == .proxy)
            #expect(error?.response == nil)
            let shown = error?.description ?? ""
            #expect(shown.contains("proxy"))
            #expect(shown.contains("\(port)"))
            #expect(origin.requestCount == 1)
        }
        #expect(proxy == nil)
    }

    /// It says GOAWAY, lets the tunnel go on, and takes new connections by new settings.
    @Test("A reload lets a download end; the next tunnel is on another connection", arguments: HTTP2ProxyProgram.there)
    func reload(program: HTTP2ProxyProgram) async throws {
        try await HTTP2Proxy.with(program) { proxy in
            try await withOrigins(2, behind: proxy) { origins in
                let engine = Self.engine()
                let api = try proxy.session(engine)
                try await TestServer.withServer { plain in
                    let url = plain.url("/get")
                    try await engine.onEventLoop {
                        try await api.withResponse(to: .get(origins[0].url("/large.bin"))) { response in
                            var place = 0
                            for try await piece in response.body {
                                // Until this goes on the server cannot have sent all of it.
                                if place == 0 { try await proxy.reload(asking: url) }
                                try #require(HTTP2Origin.holds(piece, at: place))
                                place += piece.count
                            }
                            #expect(place == HTTP2Origin.large.count)
                        }
                        #expect(try await api.get(origins[1].url("/get")).status == 200)
                    }
                }
                await engine.shutDown()
                let lines = try await proxy.log(2) { $0.method == "CONNECT" }
                #expect(lines.allSatisfy { $0.isHTTP2 && $0.status == 200 })
                #expect(Set(lines.map(\.target)) == Set(origins.map { "localhost:\($0.port)" }))
                #expect(Set(lines.map(\.connection)).count == 2)
            }
        }
    }

    @Test("HTTP/1.1 is spoken where there is no tunnel, or no HTTP/2", arguments: HTTP2ProxyProgram.there)
    func notHTTP2(program: HTTP2ProxyProgram) async throws {
        try await HTTP2Proxy.with(program) { proxy in
            try await withOrigins(behind: proxy) { origins in
                try await TestServer.withServer { plain in
                    let engine = Self.engine()
                    let forwarded = try await proxy.session(engine).get(plain.url("/bytes/300000?seed=1"))
                    #expect(forwarded.body.count == 300_000)
                    let api = try proxy.session(engine) { $0.network.http2 = .off }
                    #expect(try await api.get(origins[0].url("/bytes/300000?seed=1")).body.count == 300_000)
                    await engine.shutDown()
                    let lines = try await proxy.log(2)
                    #expect(Set(lines.map(\.method)) == ["GET", "CONNECT"])
                    #expect(lines.allSatisfy { !$0.isHTTP2 && $0.status == 200 })
                }
            }
        }
    }
}
