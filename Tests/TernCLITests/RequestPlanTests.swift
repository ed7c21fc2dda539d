import ArgumentParser
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// How a command line becomes requests.
@Suite("tern: several requests", .timeLimit(.minutes(5)))
struct RequestPlanTests {
    private func lines(_ words: String) async throws -> [String] {
        try await RequestPlan(words.split(separator: " ").map(String.init)).commands.map { $0.joined(separator: " ") }
    }

    @Test(
        "One URL is one request, with values attached to letters taken apart",
        arguments: [
            ("http://a/", "http://a/"), ("POST http://a/ b=c -s", "POST http://a/ b=c -s"),
            ("-sofile http://a/", "-s --output=file http://a/"), ("-da=1 http://a/", "--data=a=1 http://a/"),
            ("-d -5 http://a/", "--data=-5 http://a/"), ("--unknown x http://a/", "--unknown x http://a/"),
            ("-o - http://a/", "-o - http://a/"), ("http://a/ Referer:http://b/c", "http://a/ Referer:http://b/c"),
            ("http://a/{b} c==d", "http://a/{b} c==d"), ("http://a/[1] c==d", "http://a/[1] c==d"),
            ("-d a -F b=c http://a/", "--data-order=dF -d a -F b=c http://a/"), ("--url http://a/ -s", "http://a/ -s"),
            ("-z -Sun http://a/", "--time-cond=-Sun http://a/"), ("http://a/ -d", "http://a/ -d"),
            ("-d -s http://a/", "-d -s http://a/"), ("--socks5 b:1 http://a/", "--proxy=socks5://b:1 http://a/"),
            ("--socks5-hostname=c:d@b:1 http://a/", "--proxy=socks5://c:d@b:1 http://a/"),
            ("-Ef http://a/", "--cert=f http://a/"),
            ("-m3 http://a/", "--max-time=3 http://a/"),
        ])
    func one(words: String, expected: String) async throws { try await expectEqual(lines(words), [expected]) }

    @Test(
        "Several URLs, patterns and --next are several requests",
        arguments: [
            ("http://a/ http://b/", ["-- http://a/", "-- http://b/"]),
            ("-s PUT http://a/ b.test:80/x c=d", ["-s -- PUT http://a/ c=d", "-s -- PUT b.test:80/x c=d"]),
            ("-o x http://a/ -O http://b/c", ["-o x -- http://a/", "-O -- http://b/c"]),
            ("-o x http://a/ http://b/c", ["-o x -- http://a/", "-- http://b/c"]),
            ("http://a/{b,c}[8-10]", ["b8", "b9", "b10", "c8", "c9", "c10"].map { "-- http://a/" + $0 }),
            (
                "-o #1_#2 http://a/{b,c}/[x-y]",
                [
                    "--output=b_x -- http://a/b/x", "--output=b_y -- http://a/b/y", "--output=c_x -- http://a/c/x",
                    "--output=c_y -- http://a/c/y",
                ]
            ),
            ("-s http://a/ --next -d x http://b/", ["-s http://a/", "-d x http://b/"]),
            ("http://a/ -: http://b/", ["http://a/", "http://b/"]),
            ("-g http://a/{b,c} http://d/", ["-- http://a/{b,c}", "-- http://d/"]),
            ("--remote-name-all http://a/b -o x http://a/c", ["-o x -- http://a/b", "--remote-name -- http://a/c"]),
            ("-T x http://a/ -T y http://b/ -s", ["-s -T x -- http://a/", "-s -T y -- http://b/"]),
            ("-T x http://a/{b,c}", ["-T x -- http://a/b", "-T x -- http://a/c"]),
        ])
    func several(words: String, expected: [String]) async throws {
        try await expectEqual(lines(words), expected.map { "--ignore-stdin " + $0 })
    }

    @Test("The first request of each URL stands for those of its pattern when options are checked")
    func firsts() async throws {
        let words = ["http://a/[1-3]", "http://b/", "--next", "http://c/", "--next", "http://d/{x,y}"]
        try await expectEqual(RequestPlan(words).firsts, [0, 3, 4, 5])
    }

    @Test(
        "Patterns",
        arguments: [
            ("a[1-3]b", "a1b a2b a3b"), ("[001-010:4]", "001 005 009"), ("[a-e:2]", "a c e"), ("{,x}y", "y xy"),
            ("\\{a,b\\}", "{a,b}"), ("http://[::1]/", "http://[::1]/"), ("{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}"),
            ("[3-1]", "[3-1]"), ("[a-Z]", "[a-Z]"), ("[1-2", "[1-2"), ("[]", "[]"), ("{a,b}{c,d}", "ac ad bc bd"),
            ("[1-3:0]", "[1-3:0]"), ("[-]", "[-]"),
        ])
    func patterns(text: String, expected: String) throws {
        try expectEqual(URLPattern.matches(text, atMost: 100).map(\.url).joined(separator: " "), expected)
    }

    @Test("Too many URLs are an error", arguments: ["[1-999999999]", "[1-50][1-50][1-50]", "[0-999999999999999999]"])
    func tooMany(text: String) {
        #expect(throws: UsageError.self) { try URLPattern.matches(text, atMost: 100_000) }
    }

    @Test(
        "Standard input is for only one request",
        arguments: ["-d @-", "-T -", "--data-urlencode a@-", "-F a=@-", "-F a=<-;type=b/c", "-w @-"])
    func input(words: String) async {
        await #expect(throws: UsageError.self) { try await lines("\(words) http://a/ http://b/") }
    }

    @Test(
        "Standard input is read once",
        arguments: ["-d @- -w @-", "-F a=@- -F b=<-", "-d @- --data-urlencode b@-", "http://b/ @- -w @-"])
    func inputTwice(words: String) async {
        let error = await #expect(throws: UsageError.self) { try await lines("\(words) http://a/") }
        expectEqual(error?.message.contains("2 options name it"), true, "\(error?.message ?? "")")
    }

    @Test("An entity tag is that of one URL", arguments: ["--etag-save", "--etag-compare"])
    func tags(option: String) async throws {
        await #expect(throws: UsageError.self) { try await lines("\(option) x http://a/ http://b/") }
        await #expect(throws: UsageError.self) { try await lines("\(option) x http://a/{b,c}") }
        try await expectEqual(lines("\(option) x http://a/ --next http://b/").count, 2)
    }

    @Test(
        "Values that only resemble standard input go to several requests",
        arguments: ["--data-urlencode a=b@-", "-F a=b=@-", "-F a=@-b"])
    func noInput(words: String) async throws {
        try await expectEqual(lines("\(words) http://a/ http://b/").count, 2)
    }

    @Test("--write-out knows the place of the request") func numbers() async throws {
        try await expectEqual(
            lines("-w x http://a/ http://b/"),
            (0...1).map { "--ignore-stdin --url-number=\($0) -w x -- http://\($0 == 0 ? "a" : "b")/" })
    }

    @Test(
        "A file that would be left out is an error",
        arguments: [
            "-o x -o y http://a/", "-O -o x http://a/", "-o x -o y -o z http://a/ http://b/", "-T x -T y http://a/",
            "-T x http://a/ http://b/", "-T x -T y -T z http://a/ http://b/",
        ])
    func leftOut(words: String) async {
        let error = await #expect(throws: UsageError.self) { try await lines(words) }
        expectEqual(error?.message.contains("-T") == true || error?.message.contains("-o and -O") == true, true)
    }

    @Test(
        "A file that one response would replace with another is an error",
        arguments: [
            "-o x http://a/{b,c}", "-o #2 http://a/{b,c}/[1-2]", "-o x -o x http://a/ http://b/",
            "-O -O http://a/x http://b/x?y", "--remote-name-all http://a/{b,c}/x",
            "-Z -o x http://a/[1-3]", "-J -o x http://a/{b,c}",
        ])
    func replaced(words: String) async {
        let error = await #expect(throws: UsageError.self) { try await lines(words) }
        expectEqual(error?.message.contains("“x”") == true || error?.message.contains("“1”") == true, true)
        expectEqual(error?.message.contains("--no-clobber"), true)
    }

    @Test(
        "Devices, standard output and files with numbers take several responses",
        arguments: [
            "-o /dev/null http://a/{b,c}", "-o - http://a/{b,c}", "--no-clobber -o x http://a/{b,c}",
            "-o x#1 http://a/{b,c}", "-O -O -J http://a/x http://b/x", "--curl -o x http://a/{b,c}",
            "-o y/x -O http://a/ http://b/x --output-dir z", "-o x http://a/ http://b/",
        ])
    func shared(words: String) async throws { try await expectEqual(lines(words).count, 2) }

    @Test("-Z and --jobs say how many requests run at once") func jobs() async throws {
        for (words, jobs) in [
            ("-Z http://a/", 50), ("--jobs 3 http://a/", 3), ("-Z --parallel-max 7 http://a/", 7), ("http://a/", 1),
        ] {
            try await expectEqual(RequestPlan(words.split(separator: " ").map(String.init)).jobs, jobs, "\(words)")
        }
        await #expect(throws: UsageError.self) { try await lines("--jobs 0 http://a/") }
    }

    @Test("The plan knows every option of the help") func known() {
        var unknown: [String] = []
        for line in RequestCommand.helpMessage(columns: 200).split(separator: "\n") where line.hasPrefix("  -") {
            let words = line.split { " ,".contains($0) }
            let names = words.prefix { $0.hasPrefix("-") || $0.hasPrefix("/") }.flatMap { $0.split(separator: "/") }
            let hasValue = words.dropFirst(names.count).first?.hasPrefix("<") == true
            for name in names {
                let isKnown: Bool
                if name.hasPrefix("--") {
                    isKnown = (hasValue ? RequestWord.names : RequestWord.flags).contains(String(name.dropFirst(2)))
                } else {
                    let letter = name.last ?? " "
                    isKnown = hasValue ? RequestWord.letters[letter] != nil : RequestWord.flagLetters.contains(letter)
                }
                if !isKnown { unknown.append(String(name)) }
            }
        }
        expectEqual(unknown, [], "RequestWord must list them.")
    }

    @Test("A file of options") func config() throws {
        let text = """
            # a comment
            url = "http://a/"
            header = "X-A: \\"b\\" c"
            --data a=1
            -o x
            -L
            user: ada:pw
            silent
            """
        let words = try ConfigFile.words(of: text, "f")
        expectEqual(
            words,
            ["--url=http://a/", "--header=X-A: \"b\" c", "--data=a=1", "-o", "x", "-L", "--user=ada:pw", "--silent"])
        let error = #expect(throws: UsageError.self) { try ConfigFile.words(of: "\nuser = \"s3cret", "f") }
        expectEqual(error?.message.contains("Line 2"), true)
        expectEqual(error?.message.contains("s3cret"), false)
    }

    @Test(
        "A wrong line of a file of options is named, without its value",
        arguments: [
            ("usre = s3cret", "no option --usre"), ("silent = s3cret", "--silent takes no value"),
            ("bearer", "needs a value"),
            ("-ys3cret", "no such option"), ("userada:s3cret", "no option --userada"),
            ("bearers3cret", "no such option"),
            ("speed-limit: s3cret", "--timeout"),
        ])
    func wrongLine(line: String, expected: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write("-s\n\n\(line)\n", to: "f")
        let error = await #expect(throws: UsageError.self) {
            try await RequestPlan(["-K", folder.path("f"), "http://a/"])
        }
        let message = error?.message ?? ""
        #expect(message.contains("Line 3 of the file of options “\(folder.path("f"))”"), "\(message)")
        #expect(message.contains(expected), "\(message)")
        #expect(!message.contains("s3cret"), "\(message)")
    }

    @Test("In a file of options flags stand together, and a value may begin with a dash") func configLetters() throws {
        let text = """
            -sS
            -sLo file
            -d "-x"
            -sd -y
            -XPUT
            -o -
            """
        expectEqual(
            try ConfigFile.words(of: text, "f"),
            ["-sS", "-sLo", "file", "--data=-x", "-s", "--data=-y", "-X", "PUT", "--output=-"])
    }

    @Test(
        "-K may follow other letters", arguments: [["-sK", "F"], ["-sKF"], ["-s", "-KF"], ["-s", "--config", "F"]])
    func configAfterFlags(words: [String]) async throws {
        let folder = try TemporaryFolder()
        try folder.write("url = http://a/\n", to: "f")
        let words = words.map { $0.replacing("F", with: folder.path("f")) }
        try await expectEqual(RequestPlan(words).commands, [["-s", "http://a/"]])
    }

    @Test("A file of options that names itself is an error") func endless() async throws {
        let folder = try TemporaryFolder()
        try folder.write("config = \(folder.path("f"))\n", to: "f")
        await #expect(throws: UsageError.self) { try await RequestPlan(["-K", folder.path("f")]) }
    }

    @Test("All URLs are requested, and the first failure is the exit status") func failures() async throws {
        let closed = try ClosedPort()
        try await TestServer.withServer { server in
            let dead = "http://127.0.0.1:\(closed.port)/"
            for options in [[], ["-Z"], ["--jobs", "2"]] {
                let before = server.requests().count
                let outcome = try await TernProcess(
                    options + ["--fail", dead, server.url("/status/404"), server.url("/get")]
                ).outcome()
                expectEqual(outcome.status, 7, "\(outcome.errors)")
                expectEqual(server.requests().count, before + 2)
                expectEqual(outcome.errors.split(separator: "\n").count, 2, "\(outcome.errors)")
                #expect(outcome.text.contains("/get"))
            }
            let wrong = try await TernProcess([server.url("/get"), "--next", "--timeout", "x", dead]).outcome()
            expectEqual(wrong.status, 2)
            #expect(wrong.output.isEmpty)
        }
        withExtendedLifetime(closed) {}
    }
}
