import HTTPTypes
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

/// A server of others that speaks HTTP/2 over TLS, with a small document, a large one, and a place for uploads.
final class HTTP2Origin: Sendable {
    let program: HTTP2Program
    let authority: CertificateAuthority
    private let server: ServerProgram
    private let behind: Int

    var url: String { "https://localhost:\(server.ports[0])" }

    /// 20 MiB without a period, so that a piece sent twice or out of place shows.
    static let large = noise(20 << 20)

    /// Whether a piece is what the large document has at a place.
    static func holds(_ piece: Bytes, at place: Int) -> Bool {
        let end = place + piece.count
        return end <= large.count && piece == Bytes(copying: large[place..<end])
    }

    static let upload = Array(large[..<(5 << 20)])

    private init(_ program: HTTP2Program, behind: Int, extra: [String]) async throws {
        self.program = program
        self.behind = behind
        let authority = try CertificateAuthority(commonName: "Sterna interop CA")
        self.authority = authority
        server = try await ServerProgram(program.name) { folder, ports, _ in
            for name in ["www", "www/dav", "tmp", "run"] {
                try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
                chmod("\(folder)/\(name)", 0o777)
            }
            let bundle = try authority.issue(hosts: ["localhost"])
            try ServerProgram.write(bundle.certificateChainPEM, to: "\(folder)/cert.pem")
            try ServerProgram.write(bundle.privateKeyPEM, to: "\(folder)/key.pem")
            try ServerProgram.write(bundle.certificateChainPEM + bundle.privateKeyPEM, to: "\(folder)/both.pem")
            try ServerProgram.write(Self.small, to: "\(folder)/www/tern.json")
            try ServerProgram.write("echo", to: "\(folder)/www/echo")
            try Data(Self.large).write(to: URL(filePath: "\(folder)/www/large.bin"))
            chmod("\(folder)/www/large.bin", 0o644)
            // Apache reads no answer before the program has read the request to its end.
            let script = """
                #!/bin/sh
                file=$(mktemp -p \(folder)/run)
                cat >"$file"
                printf 'Content-Type: application/octet-stream\\r\\n\\r\\n'
                cat "$file"
                rm "$file"

                """
            try ChildProcess.write(script: script, to: "\(folder)/echo")
            return try program.prepare(folder, ports[0], behind: behind, generation: 1, extra: extra)
        }
    }

    static let small = #"{"bird": "tern", "eggs": [1, 2]}"#

    /// Starts one, before a test server where it only stands before another.
    static func with(
        _ program: HTTP2Program, extra: [String] = [], _ work: (HTTP2Origin) async throws -> Void
    ) async throws {
        guard program == .haproxy else {
            let origin = try await HTTP2Origin(program, behind: 0, extra: extra)
            return try await origin.serve(work)
        }
        try await TestServer.withServer { behind in
            behind.route("GET", "/tern.json") { _ in
                ServerResponse(headers: ["Content-Type": "application/json"], body: .bytes(Array(Self.small.utf8)))
            }
            behind.route("GET", "/large.bin") { _ in ServerResponse(body: .bytes(Self.large)) }
            behind.route("POST", "/echo") { request in
                ServerResponse(body: .bytes(try await request.body.collect(upTo: 64 << 20)))
            }
            let origin = try await HTTP2Origin(program, behind: behind.port, extra: extra)
            try await origin.serve(work)
        }
    }

    /// What fails is said together with what the server had to say of it.
    private func serve(_ work: (HTTP2Origin) async throws -> Void) async throws {
        do {
            try await work(self)
        } catch {
            throw ChildProcess.Failure(description: "\(error)\n\(program) wrote: \(complaints)")
        }
    }

    func session(_ engine: Engine) throws -> Session {
        try Session(baseURL: url) {
            $0.network.engine = engine
            $0.retry = .none
            $0.timeout = .seconds(60)
            $0.responseSerializer = .data
            $0.network.proxies = .none
            $0.trust.policy = .authority(pem: authority.pem)
        }
    }

    /// Sends a body, and sees whether the server has got it.
    func check(_ body: Body, is content: [UInt8], by api: Session, number: Int = 0) async throws {
        let reply: Reply
        if program == .nginx {
            let stored = try await api.put("dav/\(number).bin", body: body)
            expectEqual(stored.status, 201)
            expectEqual(stored.response.version, .http2)
            reply = try await api.get("dav/\(number).bin")
            try await expectEqual(api.delete("dav/\(number).bin").status, 204)
        } else {
            reply = try await api.post("echo", body: body)
        }
        expectEqual(reply.response.version, .http2)
        // A difference is not shown, since it may be long.
        let isSame = reply.body == Bytes(copying: content)
        #expect(isSame, "\(program): \(reply.body.count) bytes came back of \(content.count)")
    }

    /// Whether the large document arrives as it is.
    func largeIsWhole(by api: Session) async throws -> Bool {
        let reply = try await api.get("large.bin")
        expectEqual(reply.response.version, .http2)
        return reply.body.count == Self.large.count && Self.holds(reply.body, at: 0)
    }

    /// Has the server take new settings, and waits until it answers by them.
    func reload() async throws {
        let signal = try #require(program.reloadSignal)
        _ = try program.prepare(server.folder, server.ports[0], behind: behind, generation: 2, extra: [])
        let text = try String(contentsOfFile: "\(server.folder)/pid", encoding: .utf8)
        let process = try #require(pid_t(text.prefix { $0.isNumber }))
        try #require(kill(process, signal) == 0)
        for _ in 0..<1_500 {
            if try await session(Engine()).get("tern.json").fields("X-Generation") == ["2"] { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("\(program) was not reloaded: \(server.complaints())")
    }

    var complaints: String { server.complaints() }
}

extension HTTPFields {
    /// The values of a field, a line each.
    func fields(_ name: String) -> [String] { HTTPField.Name(name).map { self[values: $0] } ?? [] }
}
