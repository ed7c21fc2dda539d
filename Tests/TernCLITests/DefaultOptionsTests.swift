import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// The options of ~/.config/tern/config.
@Suite("tern: configuration file", .timeLimit(.minutes(5)))
struct DefaultOptionsTests {
    /// A folder with a configuration file.
    private struct Configuration {
        let folder: TemporaryFolder
        var path: String { folder.path("tern/config") }
        var environment: [String: String] { ["XDG_CONFIG_HOME": folder.path] }

        init(_ text: String) throws {
            folder = try TemporaryFolder()
            #expect(mkdir(folder.path("tern"), 0o700) == 0)
            try folder.write(text, to: "tern/config")
            // Whatever the umask is.
            #expect(chmod(path, 0o600) == 0)
        }
    }

    private func lines(_ text: String, _ words: String) async throws -> [String] {
        let configuration = try Configuration(text)
        defer { withExtendedLifetime(configuration) {} }
        let words = words.split(separator: " ").map(String.init)
        return try await RequestPlan(words, configuration: configuration.path).commands.map {
            $0.joined(separator: " ")
        }
    }

    @Test(
        "Its options come before those of the command line, which replace them",
        arguments: [
            ("timeout = 9\n# no\nsilent\n", "POST http://a/ b=c", "--timeout=9 --silent POST http://a/ b=c"),
            ("timeout = 9\n-s", "--timeout 5 http://a/", "-s --timeout 5 http://a/"),
            ("max-redirs = 3", "--max-redirects 5 http://a/", "--max-redirects 5 http://a/"),
            ("user = a:b\nauth-type = digest", "--bearer t http://a/", "--bearer t http://a/"),
            ("user = a:b\nauth-type = digest", "-u c:d http://a/", "--auth-type=digest -u c:d http://a/"),
            ("user = a:b", "--auth-type digest http://a/", "--user=a:b --auth-type digest http://a/"),
            ("header = Authorization: x", "-u c:d http://a/", "-u c:d http://a/"),
            ("bearer = t", "http://a/ Authorization:x", "http://a/ Authorization:x"),
            ("header = X-A: 1\nheader = X-B: 2", "http://a/ x-a:3", "--header=X-B: 2 http://a/ x-a:3"),
            (
                "header = X-A: 1\nuser-agent = x", "-H X-A: -H User-Agent:y http://a/",
                "-H X-A: -H User-Agent:y http://a/"
            ),
            ("no-follow", "-L http://a/", "-L http://a/"), ("-L", "--no-follow http://a/", "--no-follow http://a/"),
            ("no-follow", "--location-trusted http://a/", "--location-trusted http://a/"),
            ("user = a:b\nauth-type = digest", "--basic http://a/", "--user=a:b --basic http://a/"),
            ("user = a:b\nanyauth", "--oauth2-bearer t http://a/", "--oauth2-bearer t http://a/"),
            ("url-query = a=1", "--url-query b=2 http://a/", "--url-query=a=1 --url-query b=2 http://a/"),
            ("max-redirects = 3", "--no-follow http://a/", "--no-follow http://a/"),
            ("proxy-digest", "--proxy-anyauth http://a/", "--proxy-anyauth http://a/"),
            ("proxy-user = a:b\nproxy = http://p/", "-x http://q/ http://a/", "-x http://q/ http://a/"),
            ("print = h", "-i http://a/", "-i http://a/"),
            ("fail", "--check-status http://a/", "--check-status http://a/"),
            ("http2", "--http1.1 http://a/", "--http1.1 http://a/"), ("-4", "--ipv6 http://a/", "--ipv6 http://a/"),
            ("insecure", "--cacert f http://a/", "--cacert f http://a/"),
            ("cookie-jar = j", "--session s http://a/", "--session s http://a/"),
            ("remote-name\n-J", "-o f http://a/", "-o f http://a/"), ("-o f", "-O http://a/", "-O http://a/"),
            ("form", "http://a/ b=c", "--form --format-by-default http://a/ b=c"),
            ("form", "--json http://a/ b=c", "--json http://a/ b=c"),
            ("resolve = a:1:::1", "--resolve b:1:::1 http://a/", "--resolve=a:1:::1 --resolve b:1:::1 http://a/"),
            ("silent", "-q http://a/", "http://a/"), ("silent", "-qi http://a/", "-i http://a/"),
            ("silent", "--no-config http://a/", "http://a/"), ("silent", "http://a/ -i --no-config", "http://a/ -i"),
            ("silent", "--disable http://a/", "http://a/"),
        ])
    func replaces(text: String, words: String, expected: String) async throws {
        try await expectEqual(lines(text, words), [expected], "\(text)")
    }

    @Test("They hold for all URLs, and for all parts") func several() async throws {
        try await expectEqual(
            lines("timeout = 9", "http://a/ http://b/ --next --timeout 5 http://c/"),
            [
                "--ignore-stdin --timeout=9 -- http://a/", "--ignore-stdin --timeout=9 -- http://b/",
                "--ignore-stdin --timeout 5 http://c/",
            ])
    }

    @Test(
        "A wrong line is named by its number, and its value is not shown",
        arguments: [
            ("silent\n\nbogus = s3cret", 3), ("s3cret", 1), ("-s s3cret", 1), ("silent = s3cret", 1), ("-Qs3cret", 1),
            ("timeout = s3cret", 1), ("silent\nuser = \"s3cret", 2), ("silent\ntimeout = -5", 2), ("print = s3cret", 1),
            ("user = a:s3cret\nsilent\nbearer = s3cret", 3), ("silent\njobs = s3cret", 2), ("data = s3cret", 1),
            ("url = http://s3cret/", 1), ("-X s3cret", 1), ("config = s3cret", 1), ("silent\nnext", 2), ("help", 1),
            ("silent\nwrite-out = @-", 2), ("pretty = s3cret", 1), ("header = s3cret", 1), ("-uses3cret\n-4\n-6", 3),
        ])
    func wrong(text: String, line: Int) async throws {
        let configuration = try Configuration(text)
        defer { withExtendedLifetime(configuration) {} }
        for words in [["http://a/"], ["-s", "http://a/", "http://b/"]] {
            let error = await #expect(throws: UsageError.self) {
                let plan = try await RequestPlan(words, configuration: configuration.path)
                for index in plan.firsts { _ = try plan.wantsInput(plan.commands[index]) }
            }
            let message = error?.message ?? ""
            #expect(message.contains("ine \(line) of the "), "\(message)")
            #expect(message.contains(configuration.path), "\(message)")
            #expect(!message.contains("3cret"), "\(message)")
        }
    }

    @Test("A wrong file ends requests with one line, and not the help") func status() async throws {
        let configuration = try Configuration("silent\ntimeout = s3cret\n")
        defer { withExtendedLifetime(configuration) {} }
        let environment = configuration.environment
        let outcome = try await TernProcess.run("http://127.0.0.1:1/", environment: environment)
        expectEqual(outcome.status, 2)
        expectEqual(outcome.errors.split(separator: "\n").count, 1)
        #expect(outcome.errors.hasPrefix("tern: Line 2 of the configuration file"), "\(outcome.errors)")
        try await expectEqual(TernProcess.run("--help", environment: environment).status, 0)
    }

    @Test("A message about a line says what is wrong if it shows no value") func says() async throws {
        for (text, part) in [
            ("no-proxy = x", "write --proxy none"), ("timeout = -5", "--timeout is a number of seconds above 0"),
            ("bearer = t0ken\nuser = ada:pw", "--auth and --bearer exclude each other"),
        ] {
            let configuration = try Configuration(text)
            defer { withExtendedLifetime(configuration) {} }
            let outcome = try await TernProcess.run("http://127.0.0.1:1/", environment: configuration.environment)
            #expect(outcome.errors.contains(part), "\(outcome.errors)")
        }
    }

    @Test("Errors of the command line are its own, and a line that does not go with it is named") func conflicts()
        async throws
    {
        let configuration = try Configuration("silent\ninterface = s3cret\n")
        defer { withExtendedLifetime(configuration) {} }
        let own = try await TernProcess.run("--timeout", "x", "http://a/", environment: configuration.environment)
        expectEqual(own.status, 2)
        #expect(!own.errors.contains("configuration file"), "\(own.errors)")
        let both = try await TernProcess.run(
            "--download", "http://127.0.0.1:1/a", environment: configuration.environment)
        expectEqual(both.status, 2)
        #expect(both.errors.contains("Line 2 of the configuration file"), "\(both.errors)")
        #expect(both.errors.contains("--no-config"), "\(both.errors)")
        #expect(!both.errors.contains("s3cret"), "\(both.errors)")
    }

    @Test(
        "A file that other users can change is refused",
        arguments: [("tern/config", 0o620), ("tern/config", 0o602), ("tern", 0o777)])
    func permissions(name: String, mode: Int) async throws {
        let configuration = try Configuration("fail\n")
        defer { withExtendedLifetime(configuration) {} }
        #expect(chmod(configuration.folder.path(name), mode_t(mode)) == 0)
        try await TestServer.withServer { server in
            let url = server.url("/status/404")
            let refused = try await TernProcess.run(url, environment: configuration.environment)
            expectEqual(refused.status, 2)
            #expect(refused.errors.contains("chmod go-w '\(configuration.folder.path(name))'"), "\(refused.errors)")
            expectEqual(server.requests().count, 0)
            try await expectEqual(TernProcess.run("-q", url, environment: configuration.environment).status, 0)
            #expect(chmod(configuration.folder.path(name), 0o700) == 0)
            try await expectEqual(TernProcess.run(url, environment: configuration.environment).status, 22)
        }
    }

    @Test("It is in ~/.config without XDG_CONFIG_HOME, and only requests read it") func places() async throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder.path(".config"), 0o700) == 0)
        #expect(mkdir(folder.path(".config/tern"), 0o700) == 0)
        try folder.write("header = X-A: from the file\n", to: ".config/tern/config")
        #expect(chmod(folder.path(".config/tern/config"), 0o600) == 0)
        let environment = ["HOME": folder.path, "XDG_CONFIG_HOME": ""]
        try await TestServer.withServer { server in
            let request = try await TernProcess.run(server.url("/get"), environment: environment)
            expectEqual(request.status, 0, "\(request.errors)")
            expectEqual(server.requests().last?.headers["X-A"], "from the file")
            let download = try await TernProcess.run(
                "download", "-o", folder.path("f"), server.url("/1k"), environment: environment)
            expectEqual(download.status, 0, "\(download.errors)")
            #expect(server.requests().last?.headers["X-A"] == nil)
        }
    }

    @Test(
        "A loop that reads URLs keeps its list, whatever format of fields the file chooses",
        arguments: ["json", "form", "-j"])
    func loop(text: String) async throws {
        let configuration = try Configuration(text)
        defer { withExtendedLifetime(configuration) {} }
        try await TestServer.withServer { server in
            let list = ["/anything/1", "/anything/2", "/anything/3"].map { server.url($0) + "\n" }.joined()
            let outcome = try await TernProcess(
                ["-c", #"while read -r u; do "$0" "$u" || exit; done"#, TernProcess.path],
                input: .bytes(Array(list.utf8)), environment: configuration.environment, program: "/bin/sh"
            ).outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(server.requests().map(\.target), ["/anything/1", "/anything/2", "/anything/3"])
            expectEqual(Set(server.requests().map(\.method)), ["GET"])
        }
    }
}
