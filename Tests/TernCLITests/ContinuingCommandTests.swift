import ArgumentParser
import Sterna
import SternaPlatform
import Testing

@testable import SternaTestSupport
@testable import TernCLI

@Suite("tern download: the command that continues")
struct ContinuingCommandTests {
    private func continuing(_ arguments: [String], items: [Item] = []) throws -> ContinuingCommand {
        let command = try #require(try Tern.command(of: ["download"] + arguments) as? DownloadCommand)
        return ContinuingCommand(
            urls: try command.urls.map { try HTTPURL($0) }, saving: command.saving, sender: command.sender,
            aws: command.aws, items: items,
            connection: command.connection, trust: command.trust, routing: command.routing)
    }

    @Test(
        "It has the options of the interrupted command, and no secret",
        arguments: [
            (["http://a/b"], "http://a/b"), (["--continue", "-C", "-", "http://a/b"], "http://a/b"),
            (["-o", "my file", "http://a/b"], "--output 'my file' http://a/b"),
            (["--output=-x", "http://a/b"], "'--output=-x' http://a/b"),
            (["-O", "-J", "--jobs", "9", "--segments", "3", "http://a/b"], "-O -J --segments 3 --jobs 9 http://a/b"),
            (["-a", "ada:s3cret", "http://a/b"], "--auth 'ada:***' http://a/b"),
            (["-a", "ada", "http://a/b"], "--auth ada http://a/b"),
            (
                ["-u", "ada:s3cret", "--anyauth", "--netrc-optional", "http://a/b"],
                "--auth 'ada:***' --anyauth --netrc-optional http://a/b"
            ),
            (["-u", "ada", "--basic", "http://a/b"], "--auth ada --basic http://a/b"),
            (["-u", "ada", "--digest", "http://a/b"], "--auth ada --digest http://a/b"),
            (
                ["-u", "ada:s3cret", "--auth-type", "digest", "-n", "http://a/b"],
                "--auth 'ada:***' --auth-type digest --netrc http://a/b"
            ),
            (
                ["-u", "s3cret", "--auth-type", "bearer", "http://a/b"], "--auth '***' --auth-type bearer http://a/b"
            ),
            (
                ["--netrc-file", "my file", "-U", "ada:s3cret", "http://a/b"],
                "--netrc-file 'my file' --proxy-user 'ada:***' http://a/b"
            ),
            (["--bearer", "s3cret", "http://a/b"], "--bearer '***' http://a/b"),
            (
                [
                    "--auth", "KEY:s3cret", "--auth-type", "aws-sigv4", "--aws-sigv4", "aws:amz:eu-central-1:s3",
                    "http://a/b",
                ],
                "--aws-sigv4 aws:amz:eu-central-1:s3 --auth 'KEY:***' --auth-type aws-sigv4 http://a/b"
            ),
            (
                ["-H", "X-Api-Key: s3cret", "-H", "X-A: b", "-H", "Accept:", "http://a/b"],
                "--header 'X-Api-Key: ***' --header 'X-A: b' --header Accept: http://a/b"
            ),
            (["-b", "id=s3cret", "http://a/b"], "--cookie 'id=***' http://a/b"),
            (
                ["-b", "my jar", "--cookie-jar", "jar.json", "http://a/b"],
                "--cookie 'my jar' --cookie-jar jar.json http://a/b"
            ),
            (["--session-read-only", "./a", "http://a/b"], "--session-read-only ./a http://a/b"),
            (["-x", "http://u:s3cret@p:1", "http://a/b"], "--proxy 'http://***@p:1' http://a/b"),
            (["-x", "u:s3cret@p:1", "http://a/b"], "--proxy '***@p:1' http://a/b"),
            (["http://u:s3cret@a/b?token=s3cret&c=d"], "'http://***@a/b?token=***&c=d'"),
            (
                ["--max-redirs", "-1", "--location-trusted", "--post302", "http://a/b"],
                "'--max-redirects=-1' --location-trusted --post302 http://a/b"
            ),
            (
                ["--limit-rate", "2M", "-k", "-4", "http://a/b", "http://a/c"],
                "--limit-rate 2M --insecure --ipv4 http://a/b http://a/c"
            ),
        ] as [([String], String)])
    func text(arguments: [String], expected: String) throws {
        let command = try continuing(arguments)
        expectEqual(command.text, "tern download --continue \(expected)")
        expectEqual(command.hidesSecrets, expected.contains("***"))
    }

    @Test("Fields of a request become options") func fields() throws {
        let command = try continuing(
            ["http://a/b"], items: [.header(name: "X-A", value: "b"), .query(name: "q", value: "1")])
        #expect(command.text == "tern download --continue --header 'X-A: b' http://a/b")
    }

    @Test("It has every option that the help lists") func complete() throws {
        let values = [
            "--cache": "f", "--hsts": "f", "--into": "f", "--segments": "2", "--jobs": "2",
            "--sha256": String(repeating: "a", count: 64),
            "--auth": "a:b", "--auth-type": "aws-sigv4", "--aws-sigv4": "aws:amz:r:s3", "--netrc-file": "/none",
            "--proxy-user": "a:b",
            "--header": "X-A: b", "--user-agent": "x", "--cookie": "a=b", "--session": "a", "--timeout": "9",
            "--connect-timeout": "9", "--max-time": "99", "--limit-rate": "2M", "--max-redirects": "5", "--retry": "3",
            "--retry-delay": "2",
            "--retry-max-time": "9", "--noproxy": "*", "--proxy": "none",
            "--tls-min": "1.2",
            "--tls-max": "1.3", "--resolve": "a:80:127.0.0.1", "--cacert": "/etc/hostname", "--cert": "/none",
            "--key": "/none", "--pin": "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "--unix-socket": "/none",
        ]
        // Those that exclude others are in the table above, or mean the same as another.
        let others: Set = [
            "--bearer", "--cookie-jar", "--session-read-only", "--user", "--http1.1", "--http1", "--http2", "--ipv4",
            "--insecure", "--no-follow", "--follow", "--basic", "--digest", "--anyauth", "--oauth2-bearer",
            "--pinnedpubkey", "--proxy-basic", "--proxy-anyauth",
            "--location",
            "--version",
            "--help", "--max-redirs", "--output", "--remote-name", "--remote-header-name", "--continue",
        ]
        var listed: Set<String> = []
        for line in DownloadCommand.helpMessage(columns: 80).split(separator: "\n") where line.hasPrefix("  -") {
            let names = line.split { " ,/".contains($0) }.prefix { $0.hasPrefix("-") || $0.hasPrefix("<") }
            listed.formUnion(names.filter { $0.hasPrefix("--") }.map(String.init))
        }
        listed.subtract(others)
        #expect(listed.isSuperset(of: values.keys))
        let words = listed.sorted().flatMap { option in [option] + (values[option].map { [$0] } ?? []) }
        let text = try continuing(words + ["https://a/b"]).text
        for option in listed { #expect(text.contains(" \(option)"), "\(option)") }
    }
}
