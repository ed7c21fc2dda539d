import ArgumentParser
import Sterna
import SternaSigning
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

@Suite("tern: --aws-sigv4", .timeLimit(.minutes(5)))
struct AWSOptionTests {
    @Test(
        "The argument names vendor, region and service as curl's does",
        arguments: [
            ("aws", ["aws", "aws", nil, nil]), ("aws:amz", ["aws", "amz", nil, nil]),
            ("aws:amz:eu-central-1", ["aws", "amz", "eu-central-1", nil]),
            ("osc::r:s", ["osc", "osc", "r", "s"]), ("aws:amz::s3", ["aws", "amz", nil, "s3"]),
        ] as [(String, [String?])])
    func reads(text: String, parts: [String?]) throws {
        let argument = try AWSSignatureArgument(text)
        expectEqual([argument.vendor, argument.fieldName, argument.region, argument.service], parts)
    }

    @Test(
        "Other arguments are refused", arguments: ["", ":amz", "a:b:c:d:e", "aws:am z", "aws:amz:r/s", "aws:amz:r:é"])
    func refuses(text: String) {
        #expect(throws: ValidationError.self) { try AWSSignatureArgument(text) }
        #expect(throws: UsageError.self) { try Tern.command(of: ["request", "http://a/", "--aws-sigv4", text]) }
    }

    @Test("Service and region come from the host if the argument leaves them out")
    func host() throws {
        let keys = AWSCredentials(accessKey: "A", secretKey: "S")
        let argument = try AWSSignatureArgument("aws:amz")
        let signing = try argument.signing(keys, for: try HTTPURL("https://sqs.eu-central-1.amazonaws.com/q"))
        expectEqual(signing.service, "sqs")
        expectEqual(signing.region, "eu-central-1")
        for url in ["http://localhost/", "http://127.0.0.1/", "http://a.b/"] {
            #expect(throws: ValidationError.self) { try argument.signing(keys, for: try HTTPURL(url)) }
        }
    }

    @Test("The request has a signature, and the output no secret key")
    func signs() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run(
                "-v", "--aws-sigv4", "aws:amz:eu-central-1:execute-api", "--auth", "AKID:s3cret",
                server.url("/anything"),
                "a=1")
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            let request = try #require(server.requests().last)
            let field = try #require(request.headers["Authorization"])
            #expect(field.hasPrefix("AWS4-HMAC-SHA256 Credential=AKID/"))
            #expect(field.contains("/eu-central-1/execute-api/aws4_request, SignedHeaders="))
            #expect(!(outcome.text + outcome.errors).contains("s3cret"))
        }
    }

    @Test(
        "--auth-type aws-sigv4 signs with the keys of --auth, for the region and service of the host or of --aws-sigv4")
    func authType() async throws {
        let options = try CredentialOptions.parse(["--auth-type", "aws-sigv4", "--auth", "AKID:s3cret"])
        expectEqual(options.authType, .awsSigv4)
        #expect(throws: (any Error).self) { try CredentialOptions.parse(["--auth-type", "aws-sigv4"]) }
        try await TestServer.withServer { server in
            let named = "http://sqs.eu-central-1.localhost:\(server.port)/anything"
            for (arguments, scope) in [
                ([named], "/eu-central-1/sqs/"),
                (["--aws-sigv4", "aws:amz:r:s", server.url("/anything")], "/r/s/"),
            ] {
                let outcome = try await TernProcess.run(
                    ["-v", "--auth-type", "aws-sigv4", "--auth", "AKID:s3cret"] + arguments)
                expectEqual(outcome.status, 0, "\(outcome.errors)")
                let field = try #require(server.requests().last?.headers["Authorization"])
                #expect(field.hasPrefix("AWS4-HMAC-SHA256 Credential=AKID/"))
                #expect(field.contains("\(scope)aws4_request, SignedHeaders="))
                #expect(!(outcome.text + outcome.errors).contains("s3cret"))
            }
        }
    }

    @Test("S3 is recognized by its name after a bucket's")
    func bucket() throws {
        let signer = try #require(try AWSOptions.parse([]).signer(isAsked: true, auth: "AKID:s3cret"))
        for url in [
            "https://photos.s3.eu-central-1.amazonaws.com/a", "https://s3.eu-central-1.amazonaws.com/photos/a",
            "https://a.photos.s3.dualstack.eu-central-1.amazonaws.com/a",
        ] {
            let signing = try signer.signing(for: try HTTPURL(url))
            expectEqual([signing.service, signing.region], ["s3", "eu-central-1"], "\(url)")
        }
        let queue = try signer.signing(for: try HTTPURL("https://sqs.eu-central-1.amazonaws.com/s3"))
        expectEqual(queue.service, "sqs")
    }

    @Test(
        "Downloads are signed, the rest of one included",
        arguments: [
            (["download"], "127.0.0.1", ["--aws-sigv4", "aws:amz:eu-central-1:s3"]),
            (["download"], "photos.s3.eu-central-1.example.localhost", ["--auth-type", "aws-sigv4"]),
            (["-C", "-", "-O"], "127.0.0.1", ["--aws-sigv4", "aws:amz:eu-central-1:s3"]),
        ])
    func downloads(command: [String], host: String, options: [String]) async throws {
        let content = [UInt8](repeating: 0x61, count: 1_000)
        try await TestServer.withServer { server in
            server.route("GET", "/bucket/file") { request in
                let range = request.headers["Range"]
                return ServerResponse(
                    status: range == nil ? 200 : 206,
                    headers: range == nil
                        ? ["ETag": "\"1\""] : ["ETag": "\"1\"", "Content-Range": "bytes 400-999/1000"],
                    body: .stream(length: range == nil ? 1_000 : 600) { writer in
                        try await writer.write(Array(content.prefix(range == nil ? 400 : 600)))
                    })
            }
            let folder = try TemporaryFolder()
            let words = command + (command == ["download"] ? ["--continue"] : [])
            let url = "http://\(host):\(server.port)/bucket/file"
            var outcome = TernProcess.Outcome(status: 0, output: [], errors: "")
            for status in [Int32(18), 0] {
                outcome = try await TernProcess(
                    words + options + ["--auth", "AKID:s3cret", url], folder: folder.path
                ).outcome()
                expectEqual(outcome.status, status, "\(outcome.errors)")
                #expect(!(outcome.text + outcome.errors).contains("s3cret"))
            }
            expectEqual(folder.content("file"), content)
            expectEqual(server.requests().map { $0.headers["Range"] }, [nil, "bytes=400-"])
            for request in server.requests() {
                let field = request.headers["Authorization"] ?? ""
                #expect(field.hasPrefix("AWS4-HMAC-SHA256 Credential=AKID/"), "\(field)")
                #expect(field.contains("/eu-central-1/s3/aws4_request, SignedHeaders="), "\(field)")
            }
        }
    }

    @Test(
        "Credentials that a signature would replace are refused",
        arguments: [
            ["http://a/b"], ["download", "http://a/b"], ["upload", "/f", "http://a/b"],
            ["transfers", "add", "http://a/b"], ["transfers", "resume"], ["transfers", "cancel", "--all"],
        ])
    func others(command: [String]) {
        for credentials in [["--bearer", "t"], ["--auth", "a:b", "--auth-type", "digest"]] {
            #expect(throws: UsageError.self) {
                try Tern.command(of: Tern.routed(command) + ["--aws-sigv4", "aws:amz:r:s"] + credentials)
            }
            #expect(throws: Never.self) { try Tern.command(of: Tern.routed(command) + credentials) }
        }
    }

    @Test("Header fields have the name of another vendor")
    func vendor() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run(
                "--aws-sigv4", "osc:osc:eu-west-2:api", "--auth", "AKID:s3cret", server.url("/anything"))
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            let request = try #require(server.requests().last)
            expectEqual(request.headers["Authorization"]?.hasPrefix("OSC4-HMAC-SHA256 Credential=AKID/"), true)
            expectEqual(request.headers["X-Osc-Date"]?.hasSuffix("Z"), true)
        }
    }

    @Test("A host that names no region is an error of the command line")
    func noRegion() async throws {
        let outcome = try await TernProcess.run("--aws-sigv4", "aws:amz", "--auth", "A:B", "http://127.0.0.1:1/")
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("needs region and service"))
    }
}
