import FoundationEssentials
import Sterna
import SternaTesting
import Testing

@Suite("Matrix of certificates and pins over TLS", .timeLimit(.minutes(2)))
struct TrustMatrixTests {
    /// A key that no server has.
    private static let stranger: Pin = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test("Valid and not", arguments: TrustCase.valid + TrustCase.times)
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
        if !key.isEmpty { #expect(try leaf == Pin("sha256/\(Data(key).base64EncodedString())")) }
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

    /// The ways to a server: what holds on one holds on all.
    private func check(_ row: TrustCase) async throws {
        let setup = try row.make()
        let cells = try cells(row, setup)
        let authority = try CertificateAuthority()
        let kinds: [(String, Proxy.Kind, TestProxy.Kind?)] = [
            ("directly", .http, nil), ("by CONNECT", .http, .http), ("by SOCKS", .socks5, .socks5),
            ("by CONNECT in TLS", .https, .https(try authority.issue(hosts: ["proxy.test"]))),
        ]
        for (way, spoken, kind) in kinds {
            try await check(row, setup, cells, authority, way: way, spoken, kind, [])
            try await check(row, setup, cells, authority, way: way + ", over HTTP/2", spoken, kind, .byALPN)
        }
    }

    private func check(
        _ row: TrustCase, _ setup: TrustCase.Setup, _ cells: [Cell], _ authority: CertificateAuthority, way: String,
        _ spoken: Proxy.Kind, _ kind: TestProxy.Kind?, _ http2: ServerHTTP2
    ) async throws {
        try await TestServer.withServer(.init(tls: setup.bundle, http2: http2)) { server in
            let address = "\(row.host):\(server.port)"
            guard let kind else { return try await check(row, setup, cells, server, 0, way) { _ in } }
            try await TestProxy.withProxy(.init(kind, routes: [address: server.port])) { proxy in
                let settings = ProxySettings.proxy(try Proxy(spoken, host: "proxy.test", port: proxy.port))
                let policy = SecurityPolicy.authority(pem: authority.pem)
                try await check(row, setup, cells, server, proxy.port, way) {
                    $0.proxies = settings
                    $0.hostPolicies = ["proxy.test": policy]
                }
                #expect(proxy.totalConnections >= cells.count, "\(way)")
            }
        }
    }

    private func check(
        _ row: TrustCase, _ setup: TrustCase.Setup, _ cells: [Cell], _ server: TestServer, _ proxyPort: Int,
        _ way: String,
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
                $0.securityPolicy = .authority(pem: setup.roots.joined())
                $0.securityPolicy.pins = cell.pins
                $0.securityPolicy.verificationTime = TrustCase.now
                change(&$0)
            }
            let found = await verdict(api, version: way.hasSuffix("HTTP/2") ? .http2 : .http11)
            #expect(found == cell.verdict, "\(cell.name), \(way)")
            if found == .accepted { accepted += 1 }
            // Whom it does not trust it tells nothing.
            #expect(server.requestCount == accepted, "\(cell.name), \(way)")
        }
        engine.closeIdleConnections()
    }

    private func verdict(_ api: Session, version: HTTPVersion) async -> TrustCase.Verdict? {
        do {
            let reply = try await api.get("get")
            #expect(reply.status == 200)
            #expect(reply.response.version == version)
            return .accepted
        } catch let error as SternaError {
            #expect(error.phase == .tls, "\(error)")
            #expect(!error.requestSent)
            if error.kind == .certificateRejected, let failure = error.underlying as? TrustFailure {
                return .refused(failure.check)
            }
            #expect(error.kind == .tlsFailed, "\(error)")
            return .noHandshake
        } catch {
            Issue.record(error)
            return nil
        }
    }
}
