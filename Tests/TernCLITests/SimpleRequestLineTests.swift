import ArgumentParser
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// Command lines that are read without the parser.
@Suite("tern: simple command lines")
struct SimpleRequestLineTests {
    @Test(
        "A simple command line gives the options that the parser makes of it",
        arguments: [
            "http://a/", "a", ":8080/x", "-s http://a/", "-sS http://a/", "-v http://a/", "--verbose a", "-i a",
            "--include a",
            "--headers a", "--body a", "-sfL -o x http://a/", "--fail a", "-j a b=c", "--json a b:=1", "--form a b=c",
            "-I a", "--head a", "--ignore-stdin a", "-L a", "--location a", "-k https://a/", "--insecure a",
            "-O http://a/b",
            "--remote-name http://a/b", "-S a", "--show-error a", "-N a", "--no-buffer a", "--compressed a",
            "--silent a", "--no-progress-meter a", "POST a b=c -s d==e", "-X PUT a b=c", "--method=PUT a",
            "--request PUT a",
            "-XPUT a", "-d a=1 -d b=2 a", "-s", "--data={\"a\":1} -j a", "-d @file a", "-H X:1 -H Y:2 a",
            "--header=X:1 a",
            "-A agent a", "--user-agent agent a", "-o x -o y a", "--output=x a", "-o - a", "-u ada:secret a",
            "-a ada:secret a",
            "--auth ada:secret a", "--user=ada:secret a", "--bearer token a", "--oauth2-bearer token a", "-p hb a",
            "--print=M a", "-w %{http_code} a", "--write-out=%{json} a", "-m 3 a", "-m 0.5 a", "--max-time=1e3 a",
            "--connect-timeout 2 a", "--retry 3 a", "--url-number=4 a", "--without-progress a", "-- a",
            "-s -- POST a b=c",
            "-- a -s", "-f a", "-f a b=c", "-s -s a", "a X:1 b=c d:=2 e==f g@h",
        ])
    func same(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let parsed = try #require(try Tern.command(of: ["request"] + words) as? RequestCommand)
        let simple = try #require(RequestLine(simple: words), "The parser reads it, for no reason.")
        expectEqual(Self.values(of: simple), Self.values(of: parsed.line))
    }

    @Test("Each option that is read without the parser, by each of its names, gives what the parser makes of it")
    func every() throws {
        let flags = RequestWord.flags.map { "--\($0)" } + RequestWord.flagLetters.map { "-\($0)" }
        let options = RequestWord.names.map { "--\($0)=" } + RequestWord.letters.keys.map { "-\($0)" }
        let words = flags + options.flatMap { option in ["1", "X:1"].map { option + $0 } }
        var taken: Set<String> = []
        for word in words.sorted() {
            // As the plan of requests does, which takes letters and their values apart.
            let line = try #require(RequestWord.sorted([word, "http://a/b"])).flatMap(\.written)
            guard let simple = RequestLine(simple: line) else { continue }
            taken.insert(word)
            let parsed = try #require(try Tern.command(of: ["request"] + line) as? RequestCommand)
            expectEqual(Self.values(of: simple), Self.values(of: parsed.line), "\(word)")
        }
        #expect(
            taken.isSuperset(of: ["-s", "-O", "--fail", "--output=1", "-HX:1", "-m1", "--retry=1"]), "\(taken.sorted())"
        )
    }

    @Test("The values that are compared are those of every option") func compared() throws {
        let words = ["-s", "-H", "X:1", "a"]
        let values = Self.values(of: try #require(RequestLine(simple: words)))
        #expect(values.count > 125)
        expectEqual(values.filter { $0.contains("definition") }, [])
        expectEqual(values.filter { $0.contains("silent") || $0.contains("_header.") }.count, 2)
        #expect(values != Self.values(of: try #require(RequestLine(simple: Array(words.dropFirst())))))
    }

    @Test(
        "The parser reads what is wrong or not common",
        arguments: [
            "-m x a", "-m 0 a", "--retry -1 a", "--retry x a", "--retry=1.5 a", "-H X a", "--bearer= a",
            "-u b --bearer c a",
            "--print x a", "-i -p h a", "--headers --body a", "-j --form a", "-I -X PUT a", "-I -d b a",
            "-O -o x http://a/b",
            "--unknown a", "--no-follow a", "-C - -O http://a/b", "-x http://p/ a", "--cert c a", "-d", "--help",
            "--curl a",
            "-b c=d a", "--netrc a", "--aws-sigv4 aws:amz a", "-T f a", "-F a=b a", "-G -d b a", "--url-number=x a",
        ])
    func others(line: String) {
        #expect(RequestLine(simple: line.split(separator: " ").map(String.init)) == nil)
    }

    /// Returns each value of a command, as text after the names that lead to it.
    private static func values(of value: Any, at path: String = "") -> [String] {
        let children = Mirror(reflecting: value).children.filter { child in
            // Only the parser's help has titles and visibility.
            child.label.map { !["title", "_visibility", "_dummy"].contains($0) } ?? true
        }
        if children.isEmpty || value is any Collection { return ["\(path) = \(String(reflecting: value))"] }
        return children.flatMap { values(of: $0.value, at: "\(path)\($0.label ?? "").") }
    }
}
