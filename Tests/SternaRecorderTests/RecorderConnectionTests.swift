import NIOCore
import SternaCore
import SternaPlatform
import SternaSecurity
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaRecorder
@testable import SternaTestSupport

/// The connection, the stream and the certificates of an attempt.
@Suite("Recorder: connections", .timeLimit(.minutes(5)))
struct RecorderConnectionTests {
    @Test("Over HTTP/2: one connection, streams, ALPN, certificates, and the pin that matches; also from a folder")
    func secure() async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issueIntermediate().issue()
        let pin = try Pin.publicKey(of: bundle.leafDER)
        try await Downloading.withFolder { parent in
            try await TestServer.withServer(.init(tls: bundle, http2: .byALPN)) { server in
                let recorder = try Recorder(folder: parent + "/recording")
                let api = try RecorderScene(recorder).session(server.url) {
                    $0.trust.policy = .authority(pem: authority.pem)
                    $0.trust.policy.pins = [pin, "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]
                }
                for _ in 0..<2 { try await api.get("get") }
                let attempts = await recorder.exchanges().flatMap(\.attempts)
                expectEqual(attempts.count, 2)
                #expect(attempts.first?.metrics.connectionNumber != nil)
                expectEqual(attempts.first?.metrics.connectionNumber, attempts.last?.metrics.connectionNumber)
                expectEqual(attempts.map(\.metrics.streamNumber), [1, 3])
                let tls = try #require(attempts.last?.tls)
                expectEqual(tls.applicationProtocol, "h2")
                expectEqual(tls.pins, [pin.description])
                expectEqual(tls.certificates.count, 2)
                expectEqual(
                    tls.certificates.map(\.fingerprint),
                    try bundle.chainDER().compactMap { CertificateSummary(der: $0)?.fingerprint })
                expectEqual(tls.certificates.first?.issuer, tls.certificates.last?.subject)
                let har = await recorder.har()
                let entry = try #require(har.entries.last)
                expectEqual(entry.connection, attempts.last?.metrics.connectionNumber.map { "\($0)" })
                expectEqual(entry.json["_stream"].int, 3)
                expectEqual(entry.json["_tls"]["matched"].array?.compactMap(\.string), [pin.description])
                let shown = entry.json["_tls"]["certificates"].array ?? []
                expectEqual(shown.compactMap { $0["sha256"].string }, tls.certificates.map(\.fingerprint))
                #expect(shown.allSatisfy { $0["notAfter"].string != nil && $0["subject"].string != nil })
                try await recorder.flush()
                let file = try #require(try PrivateFile(path: parent + "/recording/exchanges-1").read(upTo: 1 << 20))
                let read = RecorderFolder.exchanges(file, limits: Recorder.Limits()).map(\.0)
                expectEqual(read.last?.attempts.last?.tls?.certificates.count, 2)
                var room = HARWriter.usualRoom
                expectEqual(
                    read.flatMap { $0.entries(showsSecrets: false, room: &room) }.map(\.json), har.entries.map(\.json))
            }
        }
    }

    @Test("Over HTTP/1 without TLS there is neither a stream nor a certificate; each connection has its number")
    func plain() async throws {
        let scene = RecorderScene()
        try await TestServer.withServer { one in
            try await TestServer.withServer { other in
                let api = try scene.session(one.url)
                for url in [one.url("/get"), one.url("/get"), other.url("/get")] {
                    try await scene.session(url).get(url)
                    try await api.get("get")
                }
                let attempts = await scene.recorder.exchanges().flatMap(\.attempts)
                #expect(attempts.allSatisfy { $0.metrics.streamNumber == nil && $0.tls == nil })
                // The shared session reuses one; each of the others has its own.
                expectEqual(Set(attempts.compactMap(\.metrics.connectionNumber)).count, 4)
                #expect(await scene.recorder.har().entries.allSatisfy { $0.json["_tls"].object == nil })
            }
        }
    }

    @Test("Without a recorder no certificates are kept")
    func off() async throws {
        let authority = try CertificateAuthority()
        try await TestServer.withServer(.init(tls: try authority.issue())) { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.trust.policy = .authority(pem: authority.pem)
                $0.events.collectsMetrics = true
            }
            let task = api.dataTask(.get("get"))
            task.resume()
            _ = try await task.value
            expectEqual(task.metrics?.attempts.count, 1)
            #expect(task.metrics?.attempts.first?.connectionNumber != nil)
            expectNil(task.metrics?.attempts.first?.tlsDetails)
        }
    }
}
