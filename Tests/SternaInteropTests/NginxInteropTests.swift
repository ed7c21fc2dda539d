import Sterna
import SternaPlatform
import Testing

@testable import SternaTestSupport

/// Against a server that others wrote. Skipped where nginx is not installed; CI installs it.
@Suite(
    "Interop: nginx", .enabled(if: Nginx.program != nil || ChildProcess.mayNotSkip, "nginx is not installed"),
    .serialized)
struct NginxInteropTests {
    private func session(_ nginx: Nginx, secure: Bool = false) throws -> Session {
        let authority = nginx.authorityFile
        return try Session(baseURL: secure ? nginx.secureURL : nginx.url) {
            $0.network.engine = Engine()
            $0.retry = .none
            if secure { $0.trust.policy = .authority(file: authority) }
        }
    }

    @Test("JSON, text and status, plain and over TLS", arguments: [false, true])
    func documents(secure: Bool) async throws {
        let nginx = try await Nginx()
        let api = try session(nginx, secure: secure)
        let tree = try await api.get("tern.json").json()
        expectEqual(tree["bird"].string, "tern")
        expectEqual(tree["eggs"][1].int, 2)
        let text = try await api.get("tern.txt") { $0.responseSerializer = .text }.text()
        expectEqual(text.utf8.count, 400 * 52)
        #expect(text.hasPrefix("the Arctic tern"))
        let error = await #expect(throws: SternaError.self) { try await api.get("teapot") }
        expectEqual(error?.status, 418)
        expectEqual(error?.message, "short and stout")
        let missing = await #expect(throws: SternaError.self) { try await api.get("nothing-here") }
        expectEqual(missing?.status, 404)
    }

    @Test("gzip is asked for and undone; a range is not coded")
    func codings() async throws {
        let nginx = try await Nginx()
        let api = try session(nginx).with { $0.responseSerializer = .data }
        let whole = try await api.get("tern.txt")
        expectEqual(whole.headers[.vary], "Accept-Encoding")
        expectEqual(whole.body.count, 400 * 52)
        let range = try await api.get("tern.txt", headers: ["Range": "bytes=4-9"])
        expectEqual(range.status, 206)
        try await expectEqual(range.text(), "Arctic")
    }

    @Test("Several ranges come as parts, one as a plain part, and none as 416", arguments: [false, true])
    func ranges(secure: Bool) async throws {
        let nginx = try await Nginx()
        let api = try session(nginx, secure: secure)
        let file = try Array(Data(contentsOf: URL(filePath: "\(nginx.folder)/www/big.bin")))
        func read(_ ranges: [Range<Int64>], of path: String = "big.bin") async throws -> [Range<Int64>?: [UInt8]] {
            var pieces: [Range<Int64>?: [UInt8]] = [:]
            for try await piece in api.ranges(ranges, of: .get(path)) {
                var bytes: [UInt8] = []
                for try await more in piece.body { bytes += more.array }
                pieces[piece.range] = bytes
                expectEqual(piece.completeLength, path == "big.bin" ? 8_000_000 : 400 * 52)
            }
            return pieces
        }
        // The long one spans many pieces of the connection.
        let asked: [Range<Int64>] = [0..<3, 1_000_000..<3_500_000, 7_999_990..<9_000_000]
        let pieces = try await read(asked)
        expectEqual(Set(pieces.keys), [0..<3, 1_000_000..<3_500_000, 7_999_990..<8_000_000])
        for case (let range?, let bytes) in pieces {
            #expect(bytes.elementsEqual(file[Int(range.lowerBound)..<Int(range.upperBound)]))
        }
        try await expectEqual(read([4..<10], of: "tern.txt"), [4..<10: Array("Arctic".utf8)])
        try await expectEqual(
            read([4..<10, 30_000..<40_000], of: "tern.txt"), [4..<10: Array("Arctic".utf8)])
        let error = await #expect(throws: SternaError.self) { try await read([30_000..<40_000], of: "tern.txt") }
        expectEqual(error?.status, 416)
        // A loop that is left gives up its connection alone.
        for try await piece in api.ranges(asked, of: .get("big.bin")) {
            expectEqual(piece.range, 0..<3)
            break
        }
        try await expectEqual(api.get("tern.json").json()["bird"].string, "tern")
    }

    @Test("A compressed page is confirmed by one request, whose tag is strong where the page's is weak")
    func confirmation() async throws {
        let nginx = try await Nginx()
        let api = try session(nginx).with {
            $0.responseSerializer = .data
            $0.cache.store = .memory()
            $0.cache.policy = .revalidate
        }
        let page = try await api.get("tern.txt")
        expectEqual(page.headers[.eTag]?.hasPrefix("W/"), true)
        for _ in 0..<3 {
            let reply = try await api.get("tern.txt")
            #expect(reply.source == .revalidated && reply.body == page.body)
            expectEqual(reply.headers["Cache-Status"]?.contains("fwd-status=304"), true)
            expectEqual(reply.headers[.eTag], page.headers[.eTag])
        }
        // Bytes that are not compressed have the strong tag, and are not joined with those that are.
        let range = try await api.get("tern.txt", headers: ["Range": "bytes=4-9"])
        #expect(range.status == 206 && range.body.text == "Arctic" && range.headers[.eTag]?.hasPrefix("\"") == true)
        try await expectEqual(api.get("tern.txt").body, page.body)
    }

    @Test("HEAD has the length and no body")
    func head() async throws {
        let nginx = try await Nginx()
        let api = try session(nginx)
        let reply = try await api.head("big.bin", headers: ["Accept-Encoding": "identity"])
        expectEqual(reply.headers[.contentLength], "8000000")
        #expect(reply.body.isEmpty)
        try await expectEqual(api.get("tern.json").json()["bird"].string, "tern")
    }

    @Test("A large file streams whole, plain and over TLS", arguments: [false, true])
    func large(secure: Bool) async throws {
        let nginx = try await Nginx()
        let api = try session(nginx, secure: secure)
        let received = try await api.withResponse(to: .get("big.bin")) { response in
            var bytes: [UInt8] = []
            for try await chunk in response.body { bytes.append(contentsOf: chunk.array) }
            return bytes
        }
        let expected = try Data(contentsOf: URL(filePath: "\(nginx.folder)/www/big.bin"))
        expectEqual(received.count, 8_000_000)
        #expect(received.elementsEqual(expected))
    }

    @Test("A file is uploaded as it is, plain and over TLS; then removed", arguments: [false, true])
    func upload(secure: Bool) async throws {
        let nginx = try await Nginx()
        let api = try session(nginx, secure: secure).with { $0.responseSerializer = .data }
        let path = "\(nginx.folder)/www/big.bin"
        let reply = try await api.put("dav/copy.bin", body: try .file(path))
        expectEqual(reply.status, 201)
        let sent = try Data(contentsOf: URL(filePath: path))
        try expectEqual(Data(contentsOf: URL(filePath: "\(nginx.folder)/www/dav/copy.bin")), sent)
        try await expectEqual(api.delete("dav/copy.bin").status, 204)
    }

    @Test("A chunked upload of a sequence arrives whole")
    func chunkedUpload() async throws {
        let nginx = try await Nginx()
        let api = try session(nginx).with { $0.responseSerializer = .data }
        let pieces = AsyncStream<Bytes> { continuation in
            for index in 0..<100 { continuation.yield(Bytes(text: String(repeating: "\(index % 10)", count: 1_000))) }
            continuation.finish()
        }
        try await expectEqual(api.put("dav/pieces.txt", body: .stream(pieces)).status, 201)
        let stored = try String(contentsOfFile: "\(nginx.folder)/www/dav/pieces.txt", encoding: .utf8)
        #expect(stored == (0..<100).map { String(repeating: "\($0 % 10)", count: 1_000) }.joined())
    }

    @Test("Redirects: followed, kept with their body, endless, and from https to http")
    func redirects() async throws {
        let nginx = try await Nginx()
        let api = try session(nginx)
        let moved = try await api.get("moved")
        expectEqual(moved.url.path, "/tern.json")
        expectEqual(moved.response.redirects.map(\.status), [301])
        try await expectEqual(api.post("see", parameters: ["a": 1]).json()["bird"].string, "tern")
        let kept = try await api.put("kept", body: .text("kept")) { $0.responseSerializer = .data }
        expectEqual(kept.status, 201)
        let endless = await #expect(throws: SternaError.self) { try await api.get("loop") }
        expectEqual(endless?.kind, .tooManyRedirects)
        let secure = try session(nginx, secure: true)
        let refused = await #expect(throws: SternaError.self) { try await secure.get("plain") }
        expectEqual(refused?.kind, .redirectRefused)
    }

    @Test("A server that closes after each answer, a hundred times")
    func closing() async throws {
        let nginx = try await Nginx()
        let api = try session(nginx).with { $0.responseSerializer = .text }
        for _ in 0..<100 { try await expectEqual(api.get("close").text(), "bye") }
    }

    @Test("Two hundred requests at once")
    func concurrent() async throws {
        let nginx = try await Nginx()
        let api = try session(nginx)
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 { group.addTask { try await api.get("tern.json").json()["bird"].string == "tern" } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expectEqual(good, 200)
    }

    @Test("The certificate is refused without its authority, and for another name")
    func certificates() async throws {
        let nginx = try await Nginx()
        let plain = try Session { $0.network.engine = Engine() }
        let untrusted = await #expect(throws: SternaError.self) { try await plain.get("\(nginx.secureURL)/tern.json") }
        expectEqual(untrusted?.kind, .certificateRejected)
        expectEqual(untrusted?.phase, .tls)
    }
}
