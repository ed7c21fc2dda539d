import ArgumentParser
import Sterna
import SternaPlatform
import SternaSigning
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `tern upload --resumable s3`, and `tern transfers` on its uploads.
@Suite("tern upload --resumable s3", .timeLimit(.minutes(5)))
struct S3UploadCommandTests {
    /// Three parts of the smallest size.
    private static let content = Data(noise(11 << 20))

    private static let region = ["--aws-sigv4", "aws:amz:eu-central-1:s3"]
    private static let keys = ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "hidden"]
    private static let noKeys = ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""]

    private func process(
        _ folder: TemporaryFolder, _ arguments: [String], _ environment: [String: String] = noKeys
    ) throws -> TernProcess {
        try TernProcess(arguments + ["--store", folder.path("store")], environment: environment)
    }

    /// The upload of the file in three parts.
    private func upload(
        _ folder: TemporaryFolder, _ server: TestServer, _ arguments: [String],
        _ environment: [String: String] = noKeys
    ) throws -> TernProcess {
        let path = folder.path("film.mov")
        try Self.content.write(to: URL(filePath: path))
        return try process(
            folder,
            ["upload", path, server.url("/bucket/film.mov"), "--resumable", "s3", "--max-request-bytes", "5242880"]
                + arguments, environment)
    }

    private func stored(_ folder: TemporaryFolder) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path("store"))) ?? []
    }

    @Test("Parts arrive signed, and are joined; nothing stays in the store") func uploads() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            let s3 = S3Fake()
            s3.serve(on: server)
            let outcome = try await upload(
                folder, server, Self.region + ["--auth", "AKID:hidden", "--parts", "2"]
            ).outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            #expect(outcome.text.hasPrefix("Uploaded film.mov, 12 MB"), "\(outcome.text)")
            expectEqual(s3.objects["film.mov"].map { Data($0) }, Self.content)
            expectEqual(s3.log.sorted(), ["complete", "create", "part 1", "part 2", "part 3"], "\(s3.log)")
            #expect(s3.uploadCount == 0 && stored(folder).isEmpty)
            #expect(!(outcome.text + outcome.errors).contains("hidden"))
        }
    }

    @Test("After a kill, resume sends the missing parts; without an access key it leaves the upload as it is")
    func resumes() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            let s3 = S3Fake(held: ["part 2"])
            s3.serve(on: server)
            let first = try upload(folder, server, Self.region, Self.keys)
            while !["part 1", "part 2", "part 3"].allSatisfy(s3.log.contains) {
                try await Task.sleep(for: .milliseconds(5))
            }
            first.signal(SIGKILL)
            _ = try await first.outcome()
            s3.release()
            let without = try await process(folder, ["transfers", "resume"] + Self.region).outcome()
            #expect(without.errors.contains("AWS_ACCESS_KEY_ID is not set"), "\(without.errors)")
            let nowhere = try await process(folder, ["transfers", "resume"], Self.keys).outcome()
            #expect(nowhere.errors.contains("--aws-sigv4 needs region and service"), "\(nowhere.errors)")
            #expect(s3.log.count == 4 && s3.uploadCount == 1 && stored(folder).count == 1)
            let second = try await process(folder, ["transfers", "resume"] + Self.region, Self.keys).outcome()
            expectEqual(second.status, 0, "\(second.errors)")
            expectEqual(s3.objects["film.mov"].map { Data($0) }, Self.content)
            // The server may not have stored the others before the kill.
            #expect(s3.log[4] == "list" && s3.log.filter { $0 == "create" }.count == 1, "\(s3.log)")
            expectEqual(s3.log.filter { $0 == "part 2" }.count, 2, "\(s3.log)")
        }
    }

    @Test("A cancelled upload is aborted at the server, with the access key that is given") func cancels() async throws
    {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            let s3 = S3Fake(held: ["part 1"])
            s3.serve(on: server)
            for hasKey in [true, false] {
                let known = s3.log.count
                let first = try upload(folder, server, Self.region, Self.keys)
                while !s3.log.dropFirst(known).contains("part 1") { try await Task.sleep(for: .milliseconds(5)) }
                first.signal(SIGKILL)
                _ = try await first.outcome()
                let id = try #require(stored(folder).first)
                let key = hasKey ? Self.region + ["--auth", "AKID:hidden"] : []
                let cancelled = try await process(folder, ["transfers", "cancel", id] + key).outcome()
                expectEqual(cancelled.status, 0, "\(cancelled.errors)")
                expectEqual(cancelled.errors.contains("Warning: the server keeps its part of film.mov"), !hasKey)
                #expect(s3.log.contains("abort") && s3.uploadCount == (hasKey ? 0 : 1), "\(s3.log)")
                _ = try await process(folder, ["transfers", "remove"]).outcome()
                #expect(stored(folder).isEmpty)
            }
        }
    }

    @Test("Nothing is added without an access key") func keyless() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            let outcome = try await upload(folder, server, Self.region).outcome()
            #expect(outcome.status != 0, "\(outcome.status)")
            #expect(outcome.errors.contains("AWS_ACCESS_KEY_ID"), "\(outcome.errors)")
            #expect(server.requests().isEmpty)
        }
    }

    @Test("An access key goes to one host only") func oneHost() throws {
        let options = try TransfersResumeCommand.parse(["--auth", "AKID:hidden"]).options
        let urls = [try HTTPURL("https://s3.eu-central-1.amazonaws.com/a/b"), try HTTPURL("https://example.com/c")]
        #expect(throws: UsageError.self) { try TransferSessions(options, for: urls, hasS3: true) }
    }

    @Test(
        "Region and service come from the host, also after a bucket's name",
        arguments: [
            ("s3.eu-central-1.amazonaws.com", "eu-central-1"), ("photos.s3.eu-west-1.amazonaws.com", "eu-west-1"),
            ("a.s3.b.s3.dualstack.eu-west-1.amazonaws.com", "eu-west-1"),
            ("s3.cn-north-1.amazonaws.com.cn", "cn-north-1"),
        ])
    func hosts(host: String, region: String) throws {
        let options = try AWSOptions.parse([])
        let url = try HTTPURL("https://\(host)/key")
        let signing = try options.signing(isAsked: true, auth: "A:S", for: url, service: "s3")
        #expect(signing?.region == region && signing?.service == "s3")
    }

    @Test(
        "--bearer and impossible numbers of parts are refused",
        arguments: [["--bearer", "t"], ["--parts", "65"], ["--parts", "1"]])
    func refused(options: [String]) {
        let command = ["upload", "f", "http://127.0.0.1/b/k", "--resumable", "s3"]
        #expect(throws: UsageError.self) { try Tern.command(of: command + options) }
    }
}
