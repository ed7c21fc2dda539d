import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Autobahn's cases by kosoku: groups 1 to 7 and 10, or all with `STERNA_LONG_TESTS=1`, as `scripts/autobahn` runs them.
///
/// kosoku fails a case whose answer or close takes too many of its seconds, so `.ci/run` runs this suite after the others, alone.
/// `STERNA_AUTOBAHN_CASES=13.3.*,13.5.15` runs only those.
@Suite(
    "Interop: Autobahn's cases",
    .enabled(if: QuietTests.areOn, "kosoku's time limits need a quiet machine: STERNA_QUIET_TESTS=1"),
    .enabled(if: Autobahn.isThere, "kosoku is not there: .ci/interop-servers installs it"),
    .serialized, .timeLimit(.minutes(60)))
struct AutobahnTests {
    @Test("The client passes") func client() async throws {
        let autobahn = try await Autobahn.Server(without: Autobahn.left)
        let session = try Session {
            $0.network.engine = Engine()
            $0.retry = .none
        }
        let report = try await autobahn.run("sterna", at: autobahn.url, by: session)
        try report.check(as: "client", count: LongTests.choose(247, inFull: 517))
    }

    @Test(
        "The client passes over HTTP/2, behind haproxy",
        .enabled(if: Haproxy.program.mayRun, "haproxy is not installed"))
    func http2() async throws {
        // Groups 9, 12 and 13 measure, and would measure haproxy.
        let autobahn = try await Autobahn.Server(without: Autobahn.left + ["9.*", "12.*", "13.*"])
        let authority = try CertificateAuthority(commonName: "Sterna interop CA")
        let front = try await Self.startHaproxy(before: autobahn.port, authority)
        var options = EngineOptions()
        // On a busy machine haproxy may wait for a processor longer than a PING for its answer, which would end all sockets at once.
        options.http2.pingInterval = .seconds(3_600)
        let session = try Session { [options] in
            $0.network.engine = Engine(options: options)
            $0.retry = .none
            $0.trust.policy = .authority(pem: authority.pem)
        }
        let url = "https://localhost:\(front.ports[0])"
        try await session.withWebSocket("\(url)/getCaseCount") { socket in
            expectEqual(socket.response.version, .http2)
        }
        let report = try await autobahn.run("sterna", at: url, by: session)
        try report.check(as: "client-http2", count: 247)
        withExtendedLifetime(front) {}
    }

    @Test("The test server passes") func server() async throws {
        try await TestServer.withServer { server in
            let report = try await Autobahn.drive(server.url("/ws/echo"), without: Autobahn.left)
            try report.check(as: "server", count: LongTests.choose(247, inFull: 517))
        }
    }

    /// Starts an haproxy that speaks HTTP/2 with its clients and HTTP/1 with a port of 127.0.0.1.
    private static func startHaproxy(before port: Int, _ authority: CertificateAuthority) async throws -> ServerProgram
    {
        try await ServerProgram(Haproxy.program) { folder, ports, _ in
            let bundle = try authority.issue(hosts: ["localhost"])
            try ServerProgram.write(bundle.certificateChainPEM + bundle.privateKeyPEM, to: "\(folder)/both.pem")
            let configuration = """
                global
                    maxconn 256
                defaults
                    mode http
                    timeout connect 10s
                    timeout client 600s
                    timeout server 600s
                    timeout tunnel 600s
                listen autobahn
                    bind 127.0.0.1:\(ports[0]) ssl crt \(folder)/both.pem alpn h2
                    server one 127.0.0.1:\(port)

                """
            try ServerProgram.write(configuration, to: "\(folder)/haproxy.cfg")
            return ["-db", "-f", "\(folder)/haproxy.cfg"]
        }
    }
}

/// Runs kosoku, and reads its reports.
enum Autobahn {
    private static let program = "\(ChildProcess.package)/.build/interop/venv/bin/kosoku"

    /// Whether it is there, or has to be because this is CI.
    static var isThere: Bool { ChildProcess.mayNotSkip || access(program, X_OK) == 0 }

    /// The groups that are left out: the long ones unless tests run in full.
    static var left: [String] { LongTests.choose(["9.*", "12.*", "13.*"], inFull: []) }

    /// The cases to run; nil for all.
    private static let wanted = getenv("STERNA_AUTOBAHN_CASES").map {
        String(cString: $0).split(separator: ",").map(String.init)
    }

    static var isPartial: Bool { wanted != nil }

    private static func selection(without groups: [String]) -> [String] {
        wanted?.flatMap { ["-i", $0] } ?? groups.flatMap { ["-x", $0] }
    }

    /// Runs the cases against a server.
    static func drive(_ url: String, without groups: [String]) async throws -> Report {
        let folder = try Folder()
        let target = url.hasPrefix("http") ? "ws" + url.dropFirst("http".count) : url
        do {
            _ = try await ChildProcess.run(
                [program, "-m", "fuzzingclient", target, "-p", "4", "-o", folder.path] + selection(without: groups),
                input: [])
        } catch let failure as ChildProcess.Failure {
            // It fails after a failed case, too, which the report names.
            guard let report = try? Report(folder) else { throw failure }
            return report
        }
        return try Report(folder)
    }

    /// A server that plays the cases to clients. It writes its report and ends when the client asks for that.
    final class Server: Sendable {
        let port: Int
        private let folder: Folder
        private let process: ServerProgram

        var url: String { "http://127.0.0.1:\(port)" }

        init(without groups: [String]) async throws {
            let folder = try Folder()
            self.folder = folder
            process = try await ServerProgram(.init(description: "env")) { _, ports, _ in
                [Autobahn.program, "-m", "fuzzingserver", "127.0.0.1:\(ports[0])", "-o", folder.path]
                    + Autobahn.selection(without: groups)
            }
            port = process.ports[0]
        }

        /// Plays all cases, in which the client echoes what it receives; returns the server's report.
        func run(_ agent: String, at url: String, by session: Session) async throws -> Report {
            let count = try await session.withWebSocket("\(url)/getCaseCount") { socket in
                for try await message in socket {
                    if case .text(let text) = message { return Int(text) ?? 0 }
                }
                return 0
            }
            #expect(count > 0, "\(process.complaints())")
            // Some cases pause for seconds.
            let workers = 4
            await withTaskGroup(of: Void.self) { group in
                for worker in 1...workers {
                    group.addTask {
                        for number in stride(from: worker, through: count, by: workers) {
                            await Self.echo("\(url)/runCase?case=\(number)&agent=\(agent)", by: session)
                        }
                    }
                }
            }
            // The server ends without a close frame.
            try? await session.withWebSocket("\(url)/updateReports?agent=\(agent)") { socket in
                for try await _ in socket {}
            }
            let folder = folder
            _ = await eventually { (try? Report(folder)) != nil }
            return try Report(folder)
        }

        /// Sends back what it receives. Most cases violate the protocol, so the errors are for the server to judge.
        private static func echo(_ url: String, by session: Session) async {
            // The largest message has 16 MiB.
            let limit = 32 << 20
            try? await session.withWebSocket(url, { ($0.messageBytes, $0.frameBytes) = (limit, limit) }) { socket in
                for try await message in socket {
                    switch message {
                    case .text(let text): try await socket.send(text)
                    case .binary(let bytes): try await socket.send(bytes)
                    }
                }
            }
        }
    }

    /// A folder for reports, removed at the end.
    final class Folder: Sendable {
        let path: String

        init() throws {
            path =
                FileManager.default.temporaryDirectory.appending(path: "sterna-\(UInt64.random(in: 0 ... .max))").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    /// The outcome of all cases.
    struct Report {
        /// Of each case what it judged of the messages and of the close: `OK`, `NON-STRICT`, `INFORMATIONAL`, `UNIMPLEMENTED`, `FAILED`
        /// and others.
        let cases: [Case]

        /// What kosoku says about a case is in its `result`.
        typealias Case = (name: String, behaviour: String, close: String, result: String)

        /// kosoku 0.1.0 gives up a case of groups 12 and 13 at the first echo that is not compressed, with this error of its own: it has such
        /// a message as text, and computes a digest of it. Sterna, as RFC 7692 (section 6) allows, compresses neither messages below 64 bytes
        /// nor those that would become no shorter.
        private static let ownError = "Strings must be encoded before hashing"

        init(_ folder: Folder) throws {
            let text = try Data(contentsOf: URL(filePath: "\(folder.path)/index.json"))
            let agents = try JSON(parsing: text).object ?? [:]
            cases = agents.keys.flatMap { agent in
                let outcomes = agents[agent]?.object ?? [:]
                return outcomes.keys.map { name -> Case in
                    let outcome = outcomes[name]
                    let detail = try? Data(
                        contentsOf: URL(filePath: "\(folder.path)/\(outcome?["reportfile"].string ?? "")"))
                    let result = detail.flatMap { try? JSON(parsing: $0)["result"].string } ?? ""
                    return (name, outcome?["behavior"].string ?? "", outcome?["behaviorClose"].string ?? "", result)
                }
            }.sorted { Self.numbers($0.name).lexicographicallyPrecedes(Self.numbers($1.name)) }
        }

        private static func numbers(_ name: String) -> [Int] { name.split(separator: ".").compactMap { Int($0) } }

        /// Records an issue for failed cases and for another number of cases, and prints which are not strict.
        ///
        /// - Parameter count: the number of all cases, which counts unless only some are chosen.
        func check(as part: String, count: Int) throws {
            let good: Set = ["OK", "NON-STRICT", "INFORMATIONAL"]
            let compared = cases.filter { $0.name.hasPrefix("12.") || $0.name.hasPrefix("13.") }
            let ownErrors = Set(compared.filter { $0.behaviour == "ERROR" && $0.result == Self.ownError }.map(\.name))
            let failed = cases.filter { !good.contains($0.behaviour) || !good.contains($0.close) }
                .filter { !ownErrors.contains($0.name) }
            #expect(failed.isEmpty, "\(failed)")
            if Autobahn.isPartial {
                #expect(!cases.isEmpty, "no case has a name of STERNA_AUTOBAHN_CASES")
            } else {
                expectEqual(cases.count, count)
            }
            let loose = cases.filter { $0.behaviour == "NON-STRICT" }.map(\.name)
            let ended = cases.map(\.name).filter(ownErrors.contains)
            print(
                """
                Autobahn, \(part): \(cases.count) cases, \(failed.count) failed, NON-STRICT: \(loose.joined(separator: " "))\
                \(ended.isEmpty ? "" : ", \(ended.count) ended by an error of kosoku's own: \(ended.joined(separator: " "))")
                """)
        }
    }
}
