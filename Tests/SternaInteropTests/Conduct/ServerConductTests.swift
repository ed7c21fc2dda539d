import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Rows of docs/Servers.md: what real servers do that clients do not expect, seen byte by byte, and what Sterna makes of it.
@Suite(
    "Interop: conduct of servers",
    .enabled(if: ConductServer.isThere, "the servers are not there: .ci/interop-servers installs them"),
    .serialized, .timeLimit(.minutes(5)))
struct ServerConductTests {
    @Test("The body that a server sends to HEAD is no response", arguments: [ConductServer.Kind.aiohttp, .waitress])
    func head(kind: ConductServer.Kind) async throws {
        let server = try await ConductServer(kind)
        let seen = try await ConductServer.bytes(
            server.port, "HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(seen.hasSuffix("\r\n\r\n\(ConductServer.text)"), "\(seen)")
        let api = try server.session()
        for _ in 0..<3 {
            let head = try await api.head("")
            #expect(head.status == 200 && head.body.isEmpty && head.fields("Content-Length") == ["33"])
            try await expectEqual(api.get("").text(), ConductServer.text)
        }
    }

    @Test(
        "A 100 counts by its status, whatever its reason phrase",
        arguments: [(ConductServer.Kind.tornado, "HTTP/1.1 100 (Continue)\r\n"), (.hypercorn, "HTTP/1.1 100 \r\n")])
    func interim(kind: ConductServer.Kind, line: String) async throws {
        let server = try await ConductServer(kind)
        let seen = try await ConductServer.bytes(
            server.port,
            "PUT / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n01234"
        )
        #expect(seen.hasPrefix(line) && seen.hasSuffix("\r\n\r\n5 bytes\n"), "\(seen)")
        let api = try server.session()
        for _ in 0..<3 {
            try await expectEqual(api.put("", body: .bytes(ServerProgram.noise)).text(), "3000000 bytes\n")
        }
    }

    @Test("An error in HTTP/1.0 of a server that speaks 1.1 leaves later requests as they are")
    func version() async throws {
        let server = try await ConductServer(.aiohttp)
        let long = String(repeating: "x", count: 9_000)
        let seen = try await ConductServer.bytes(
            server.port, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: \(long)\r\n\r\n")
        #expect(seen.hasPrefix("HTTP/1.0 400 "), "\(seen)")
        let api = try server.session()
        for _ in 0..<2 {
            let error = await #expect(throws: SternaError.self) { try await api.get("", headers: ["X-Long": long]) }
            expectEqual(error?.status, 400)
            expectEqual(error?.response?.version, .http10)
            let reply = try await api.get("")
            expectEqual(reply.response.version, .http11)
            try await expectEqual(reply.text(), ConductServer.text)
        }
    }

    @Test("aiohttp refuses several ranges, and says how long the file is")
    func severalRanges() async throws {
        let server = try await ConductServer(.aiohttp)
        let api = try server.session()
        try await expectEqual(api.get("file", headers: ["Range": "bytes=4-7"]).text(), "tern")
        let error = await #expect(throws: SternaError.self) { try await pieces(api, [4..<8, 20..<22], of: "file") }
        expectEqual(error?.status, 416)
        expectEqual(error?.response?.headers.fields("Content-Range"), ["bytes */33"])
    }

    @Test("A request after gunicorn's two idle seconds has a fresh connection, also a PUT")
    func idle() async throws {
        let server = try await ConductServer(.gunicorn)
        let seen = try await ConductServer.bytes(server.port, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(seen.contains("\r\nConnection: keep-alive\r\n") && seen.hasSuffix(ConductServer.text), "\(seen)")
        let engine = Engine()
        let api = try server.session(engine)
        for dials in 1...2 {
            try await expectEqual(api.put("", body: .text("tern")).text(), "4 bytes\n")
            #expect(await eventually { await engine.statistics().openConnections == 0 })
            await expectEqual(engine.statistics().dials, dials)
        }
    }

    @Test("Apache says nothing of the length in 416", .enabled("apache2 is not installed") { Apache.program.mayRun })
    func apacheRange() async throws {
        let apache = try await Apache()
        let api = try ConductServer.session(apache.server.ports[0])
        let error = await #expect(throws: SternaError.self) {
            try await pieces(api, [9_000_000..<9_000_010], of: "big.bin")
        }
        expectEqual(error?.status, 416)
        expectEqual(error?.response?.headers.fields("Content-Range"), [])
    }

    @Test(
        "Apache's ETag of compressed text is another than that of the text",
        .enabled("apache2 is not installed") { Apache.program.mayRun })
    func apacheTag() async throws {
        let apache = try await Apache()
        let api = try ConductServer.session(apache.server.ports[0])
        let coded = try await api.get("tern.txt")
        expectEqual(coded.fields("ETag").first?.hasSuffix("-gzip\""), true)
        let plain = try await api.get("tern.txt", headers: ["Accept-Encoding": "identity"])
        expectEqual(plain.fields("ETag").first?.hasSuffix("-gzip\""), false)
        try await expectEqual(coded.text(), plain.text())
    }

    @Test(
        "lighttpd says nothing of the length in 416, and answers ranges that are near each other by one",
        .enabled("lighttpd is not installed") { Lighttpd.program.mayRun })
    func lighttpdRanges() async throws {
        let lighttpd = try await Lighttpd()
        let api = try ConductServer.session(lighttpd.server.ports[0])
        let file = Array(ServerProgram.noise.prefix(10_000))
        let merged = try await api.get("noise.bin", headers: ["Range": "bytes=0-1,5-6"])
        expectEqual(merged.status, 206)
        expectEqual(merged.fields("Content-Range"), ["bytes 0-6/10000"])
        expectEqual(merged.body.array, Array(file[0..<7]))
        let error = await #expect(throws: SternaError.self) {
            try await pieces(api, [20_000..<20_010], of: "noise.bin")
        }
        expectEqual(error?.status, 416)
        expectEqual(error?.response?.headers.fields("Content-Range"), [])
    }

    @Test(
        "lighttpd answers a request that waits for 100 finally, and closes",
        .enabled("lighttpd is not installed") { Lighttpd.program.mayRun })
    func finalWithoutInterim() async throws {
        let lighttpd = try await Lighttpd()
        let port = lighttpd.server.ports[0]
        let seen = try await ConductServer.bytes(
            port,
            "PUT /noise.bin HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3000000\r\nExpect: 100-continue\r\n\r\n")
        #expect(seen.hasPrefix("HTTP/1.1 501 ") && seen.contains("\r\nConnection: close\r\n"), "\(seen)")
        let api = try ConductServer.session(port)
        for _ in 0..<3 {
            let error = await #expect(throws: SternaError.self) {
                try await api.put("noise.bin", body: .bytes(ServerProgram.noise))
            }
            expectEqual(error?.status, 501)
            try await expectEqual(api.get("noise.bin").body.count, 10_000)
        }
    }

    @Test(
        "haproxy passes a 103 on before the response", .enabled("haproxy is not installed") { Haproxy.program.mayRun })
    func earlyHints() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"),
            .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\ntern\n"), .close,
        ]
        try await ScriptedServer.withServer(connections: [script]) { origin in
            let front = try await Haproxy(before: origin.port)
            let port = try #require(URL(string: front.url)?.port)
            let seen = try await ConductServer.bytes(
                port, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(seen.hasPrefix("HTTP/1.1 103 ") && seen.hasSuffix("\r\n\r\ntern\n"), "\(seen)")
            let api = try ConductServer.session(port)
            for _ in 0..<3 { try await expectEqual(api.get("").text(), "tern\n") }
            withExtendedLifetime(front) {}
        }
    }

    /// The pieces of a file, in the order in which they came.
    private func pieces(_ api: Session, _ ranges: [Range<Int64>], of path: String) async throws -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        for try await piece in api.ranges(ranges, of: .get(path)) {
            var bytes: [UInt8] = []
            for try await more in piece.body { bytes += more.array }
            pieces.append(bytes)
        }
        return pieces
    }
}
