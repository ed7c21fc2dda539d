import Sterna
import SternaPlatform
import SternaTesting
import Synchronization

@testable import TernCLI

/// The servers and files that a command of the table finds, where `h` is the host of the examples.
struct JobStage {
    /// A certificate for the servers with TLS, and its authority in PEM.
    struct Trust: Sendable {
        var certificate: CertificateBundle
        var authority: [UInt8]

        init() throws {
            let authority = try CertificateAuthority()
            let folder = try TemporaryFolder()
            try authority.writePEM(toPath: folder.path("ca.pem"))
            self.certificate = try authority.issue()
            self.authority = folder.content("ca.pem") ?? []
        }
    }

    /// What a command left behind.
    struct Outcome: Sendable {
        var status: Int32
        var output: [UInt8]
        var errors: String
        /// Each file of the folder with its bytes.
        var files: [String: [UInt8]]
        /// The requests that the servers and the proxy received.
        var received: [String]
    }

    private let trust: Trust
    private let plain: TestServer
    private let secure: TestServer?
    private let proxy: TestProxy?
    private let log: JobServer

    /// Runs a command in a folder of its own, beside servers of its own.
    static func outcome(
        of command: JobTable.Command, in job: JobTable.Job, trust: Trust, searchPath: String
    ) async throws -> Outcome {
        let log = JobServer()
        let plain = try await TestServer.start(.init(http2: .byPriorKnowledge))
        var secure: TestServer?
        if command.line.contains("https://h") {
            secure = try await TestServer.start(.init(tls: trust.certificate, http2: .byALPN))
        }
        var proxy: TestProxy?
        if command.line.contains("@proxy:3128") {
            proxy = try await TestProxy.start(
                .init(username: "ada", password: "pw", routes: ["h.test:\(plain.port)": plain.port]))
        } else if command.line.contains("proxy:3128") {
            proxy = try await TestProxy.start(.init(routes: ["h.test:\(plain.port)": plain.port]))
        }
        let stage = JobStage(trust: trust, plain: plain, secure: secure, proxy: proxy, log: log)
        log.add(to: plain)
        if let secure { log.add(to: secure) }
        let result = await Result { () async throws -> Outcome in
            var outcome = try await stage.run(command, in: job, searchPath: searchPath)
            outcome.received = stage.received(withVersions: job.mentions("--http"))
            // Requests at the same time arrive in any order.
            if job.mentions("-Z") { outcome.received.sort() }
            return outcome
        }
        try await plain.stop()
        try await secure?.stop()
        try await proxy?.stop()
        return try result.get()
    }

    // MARK: The command

    private func run(
        _ command: JobTable.Command, in job: JobTable.Job, searchPath: String
    ) async throws -> Outcome {
        let folder = try TemporaryFolder()
        let home = try TemporaryFolder()
        try prepare(folder)
        // HTTPie sends the credentials of this file in all jobs.
        if job.name.contains("~/.netrc") { try Self.writeNetrc(to: home, ".netrc") }
        // HTTPie takes standard input for the body unless it is a terminal.
        let options = command.line.contains("<") || command.line.contains("| http") ? "" : #""--ignore-stdin""#
        try home.write(
            #"{"default_options": [\#(options)], "disable_update_warnings": true}"#, to: "config.json")
        let environment = [
            "PATH": searchPath, "HOME": home.path, "HTTPIE_CONFIG_DIR": home.path, "LC_ALL": "C.UTF-8", "TZ": "UTC",
        ]
        let ended = try await TernProcess(
            ["-c", placed(command.line)], environment: environment, folder: folder.path, program: "/bin/sh"
        ).outcome()
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            guard let content = folder.content(name) else { continue }
            files[name] = plainBytes(content)
            if job.mentions("-R"), name == "copy.csv" {
                files["the time of \(name)"] = try Array(time(of: folder.path(name)).utf8)
            }
        }
        return Outcome(
            status: ended.status, output: plainBytes(ended.output), errors: ended.errors, files: files, received: [])
    }

    private static func writeNetrc(to folder: TemporaryFolder, _ name: String) throws {
        try folder.write("machine 127.0.0.1 login ada password pw\n", to: name)
        _ = chmod(folder.path(name), 0o600)
    }

    private func prepare(_ folder: TemporaryFolder) throws {
        try Self.writeNetrc(to: folder, "netrc")
        try folder.write("# for curl -K and tern -K\nheader = \"X-Trace: 7\"\n-d a=1\n", to: "options")
        try folder.write("one, a=1&b=2\r\ntwo ü\n", to: "notes.txt")
        try folder.write("{\"name\": \"Ada\", \"age\": 36}", to: "data.json")
        try folder.write("\"v1\"\n", to: "tag")
        try folder.write(["/page", "/report.csv"].map { plain.url($0) + "\n" }.joined(), to: "urls.txt")
        try Data(JobServer.photo).write(to: URL(filePath: folder.path("photo.png")))
        try Data(trust.authority).write(to: URL(filePath: folder.path("ca.pem")))
        // As old as the server's.
        try folder.write(JobServer.report, to: "report.csv")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_704_103_200)], ofItemAtPath: folder.path("report.csv"))
    }

    private func time(of path: String) throws -> String {
        let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        return date.map { "\(Int($0.timeIntervalSince1970))" } ?? "none"
    }

    /// Replaces the hosts of the examples.
    private func placed(_ line: String) -> String {
        var line = line
        if line.contains("h:80:") {
            // A name that needs --resolve or --connect-to.
            line = line.replacing("h:80:127.0.0.1:80", with: "h.test:\(plain.port):127.0.0.1:\(plain.port)")
                .replacing("h:80:", with: "h.test:\(plain.port):")
                .replacing("http://h/", with: "http://h.test:\(plain.port)/")
        }
        line = line.replacing("http://h/", with: plain.url("/")).replacing("@h/", with: "@127.0.0.1:\(plain.port)/")
        if let secure { line = line.replacing("https://h/", with: secure.url("/")) }
        if let proxy { line = line.replacing("proxy:3128", with: "127.0.0.1:\(proxy.port)") }
        return line
    }

    /// Replaces the ports of the servers, and the dates of their responses.
    private func plainBytes(_ bytes: [UInt8]) -> [UInt8] {
        guard let text = String(validating: bytes, as: UTF8.self) else { return bytes }
        return Array(plainText(text).utf8)
    }

    private func plainText(_ text: String) -> String {
        var text = text
        for port in [plain.port, secure?.port, proxy?.port].compactMap({ $0 }) {
            for host in ["127.0.0.1", "localhost", "h.test"] { text = text.replacing("\(host):\(port)", with: "h") }
        }
        return text.replacing(#/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/#) { found in
            found.output.hasSuffix("2024 10:00:00 GMT") ? String(found.output) : "DATE"
        }
    }

    // MARK: What arrived

    private func received(withVersions: Bool) -> [String] {
        let requests = log.received.map { request in
            let version = withVersions ? " \(request.version)" : ""
            return plainText("\(request.method) \(request.target)\(version)\n")
                + request.fields.map { plainText("\($0)\n") }.joined() + "\n" + request.body
        }
        let proxied = proxy?.requests().map { request in
            plainText("proxy: \(request.method) \(request.target) \(request.headers["Proxy-Authorization"] ?? "none")")
        }
        return requests + (proxied ?? [])
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = try await .success(body()) } catch { self = .failure(error) }
    }
}
