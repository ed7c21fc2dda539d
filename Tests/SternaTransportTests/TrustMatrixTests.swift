import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Matrix of certificates and pins over TLS", .timeLimit(.minutes(5)))
struct TrustMatrixTests {
    /// A key that no server has.
    private static let stranger: Pin = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test("Validity", arguments: TrustCase.valid + TrustCase.times)
    func times(row: TrustCase) async throws { try await check(row) }

    @Test("Roots and the ways to them", arguments: TrustCase.roots + TrustCase.orders)
    func paths(row: TrustCase) async throws { try await check(row) }

    @Test("Names", arguments: TrustCase.names)
    func names(row: TrustCase) async throws { try await check(row) }

    @Test("Hashes and keys", arguments: TrustCase.algorithms)
    func algorithms(row: TrustCase) async throws { try await check(row) }

    @Test("Usages", arguments: TrustCase.usages)
    func usages(row: TrustCase) async throws { try await check(row) }

    @Test("Constraints", arguments: TrustCase.constraints)
    func constraints(row: TrustCase) async throws { try await check(row) }

    @Test("Path explosion", arguments: TrustCase.explosions)
    func explosions(row: TrustCase) async throws { try await check(row) }

    private struct Cell {
        let name: String
        let pins: Set<Pin>
        let verdict: TrustCase.Verdict
    }

    private func cells(_ row: TrustCase, _ setup: TrustCase.Setup) throws -> [Cell] {
        let leaf = try Pin.publicKey(of: setup.bundle.leafDER)
        let key = setup.bundle.publicKeySHA256
        // The maker's hash and the policy's are not of the same code.
        if !key.isEmpty { try expectEqual(leaf, Pin("sha256/\(Data(key).base64EncodedString())")) }
        let verdicts = row.verdicts
        var cells = [
            Cell(name: "no pin", pins: [], verdict: verdicts.noPin),
            Cell(name: "wrong pin", pins: [Self.stranger], verdict: verdicts.wrongPin),
            Cell(name: "right pin", pins: [leaf], verdict: verdicts.rightPin),
            Cell(name: "backup pin", pins: [Self.stranger, leaf], verdict: verdicts.backupPin),
        ]
        for (index, issuer) in setup.issuers.enumerated() {
            let pin = index % 2 == 0 ? try Pin.publicKey(of: issuer) : try Pin.certificate(issuer)
            cells.append(Cell(name: "right pin, issuer \(index)", pins: [pin], verdict: verdicts.rightPin))
        }
        if !setup.extras.isEmpty {
            let pins = try Set(
                setup.extras.map { try Pin.publicKey(of: $0) } + setup.extras.map { try .certificate($0) })
            cells.append(Cell(name: "pins of what is sent along", pins: pins, verdict: verdicts.wrongPin))
        }
        return cells
    }

    /// Judges every cell of a row by the policy alone; a row that the handshake refuses goes over a socket.
    private func check(_ row: TrustCase) async throws {
        let setup = try row.make()
        let cells = try cells(row, setup)
        guard !row.isForHandshake else { return try await check(row, setup, cells, over: .direct) }
        for cell in cells {
            let verdict = await policy(setup, cell).evaluate(
                chain: try setup.bundle.chainDER(), host: row.host, time: TrustCase.now.timeIntervalSince1970
            ).verdict
            let found: TrustCase.Verdict =
                if case .rejected(let failure) = verdict { .refused(failure.check) } else { .accepted }
            expectEqual(found, cell.verdict, "\(cell.name)")
        }
    }

    private func policy(_ setup: TrustCase.Setup, _ cell: Cell) -> SecurityPolicy {
        var policy = SecurityPolicy.authority(pem: setup.roots.joined())
        policy.pins = cell.pins
        policy.verificationTime = TrustCase.now
        return policy
    }

    /// A way to a server, and what is spoken there.
    struct Way: Sendable, CustomTestStringConvertible {
        var proxy: Proxy.Kind?
        var isHTTP2 = false

        static let direct = Way()
        static let all = [nil, Proxy.Kind.http, .socks5, .https].flatMap {
            [Way(proxy: $0), Way(proxy: $0, isHTTP2: true)]
        }

        var testDescription: String { "\(proxy.map { "by \($0)" } ?? "directly")\(isHTTP2 ? ", over HTTP/2" : "")" }
    }

    @Test("A trusted and an untrusted row over every route to a server", arguments: Way.all)
    func ways(way: Way) async throws {
        let trusted = try #require(TrustCase.valid.first { $0.verdicts.noPin == .accepted })
        let refused = try #require(TrustCase.names.first { $0.verdicts.noPin != .accepted })
        for row in [trusted, refused] {
            let setup = try row.make()
            try await check(row, setup, try cells(row, setup), over: way)
        }
    }

    private func check(_ row: TrustCase, _ setup: TrustCase.Setup, _ cells: [Cell], over way: Way) async throws {
        let authority = try CertificateAuthority()
        let http2: ServerHTTP2 = way.isHTTP2 ? .byALPN : []
        try await TestServer.withServer(.init(tls: setup.bundle, http2: http2)) { server in
            guard let kind = way.proxy else {
                return try await check(row, setup, cells, server, 0, way) { _ in }
            }
            let played: TestProxy.Kind =
                switch kind {
                case .socks5: .socks5
                case .https: .https(try authority.issue(hosts: ["proxy.test"]))
                default: .http
                }
            let routes = ["\(row.host):\(server.port)": server.port]
            try await TestProxy.withProxy(.init(played, routes: routes)) { proxy in
                let settings = ProxySettings.proxy(try Proxy(kind, host: "proxy.test", port: proxy.port))
                let policy = SecurityPolicy.authority(pem: authority.pem)
                try await check(row, setup, cells, server, proxy.port, way) {
                    $0.network.proxies = settings
                    $0.trust.hosts = ["proxy.test": policy]
                }
                #expect(proxy.totalConnections >= cells.count, "\(way.testDescription)")
            }
        }
    }

    private func check(
        _ row: TrustCase, _ setup: TrustCase.Setup, _ cells: [Cell], _ server: TestServer, _ proxyPort: Int,
        _ way: Way,
        _ change: (inout SessionSettings) -> Void
    ) async throws {
        var options = Wire.options
        options.hostOverrides = [
            "\(row.host):\(server.port)": ["127.0.0.1"], "proxy.test:\(proxyPort)": ["127.0.0.1"],
        ]
        let engine = Engine(options: options)
        let url = "https://\(row.host):\(server.port)"
        var accepted = 0
        for cell in cells {
            let api = try Wire.session(url, engine: engine) {
                $0.responseSerializer = .data
                $0.trust.policy = policy(setup, cell)
                change(&$0)
            }
            let found = await verdict(api, version: way.isHTTP2 ? .http2 : .http11)
            expectEqual(found, cell.verdict, "\(cell.name), \(way.testDescription)")
            if found == .accepted { accepted += 1 }
            // A server that is not trusted receives no request.
            expectEqual(server.requestCount, accepted, "\(cell.name), \(way.testDescription)")
        }
        engine.closeIdleConnections()
    }

    private func verdict(_ api: Session, version: HTTPVersion) async -> TrustCase.Verdict? {
        do {
            let reply = try await api.get("get")
            expectEqual(reply.status, 200)
            expectEqual(reply.response.version, version)
            return .accepted
        } catch let error as SternaError {
            expectEqual(error.phase, .tls, "\(error)")
            #expect(!error.requestSent)
            if error.kind == .certificateRejected, let failure = error.underlying as? TrustFailure {
                return .refused(failure.check)
            }
            expectEqual(error.kind, .tlsFailed, "\(error)")
            return .noHandshake
        } catch {
            Issue.record(error)
            return nil
        }
    }
}
