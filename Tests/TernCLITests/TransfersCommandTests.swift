import ArgumentParser
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `tern transfers`.
@Suite("tern transfers", .timeLimit(.minutes(5)))
struct TransfersCommandTests {
    private func run(_ folder: TemporaryFolder, _ arguments: String...) async throws -> TernProcess.Outcome {
        let command = ["transfers"] + arguments.prefix(1) + ["--store", folder.path("store")] + arguments.dropFirst()
        return try await TernProcess(command).outcome()
    }

    @Test("Files are saved, listed and removed from the list") func add() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            let added = try await run(
                folder, "add", "--into", folder.path("files"), server.url("/range/1000"), server.url("/range/2000"))
            expectEqual(added.status, 0, "\(added.errors)")
            expectEqual(Set(added.text.split(separator: "\n").map { $0.hasPrefix("Saved ") }), [true])
            #expect(folder.content("files/1000")?.count == 1_000 && folder.content("files/2000")?.count == 2_000)
            let listed = try await run(folder, "list")
            #expect(listed.text.hasPrefix("ID        STATE     SIZE  FILE\n"), "\(listed.text)")
            expectEqual(listed.text.split(separator: "\n").count, 3)
            let json = try JSON(parsing: Data((try await run(folder, "list", "--json")).output))
            expectEqual(json.array?.count, 2)
            #expect(json[0]["state"].string == "finished" && json[0]["completed"].int == 1_000)
            let watched = try await run(folder, "watch")
            #expect(watched.status == 0 && watched.text.split(separator: "\n").count == 2, "\(watched.text)")
            try await expectEqual(run(folder, "remove").errors, "Removed 2 transfers.\n")
            let none = try await run(folder, "list")
            #expect(none.errors == "No transfers.\n" && none.output.isEmpty)
        }
    }

    @Test("Without credentials a download waits for them, and the error says how to give them")
    func credentials() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            let url = server.url("/basic-auth/ada/secret")
            let added = try await run(folder, "add", "-o", folder.path("f"), url)
            #expect(added.status == 22 && added.errors.contains("401"), "\(added.errors)")
            #expect(added.errors.contains("-a USER:PASSWORD"), "\(added.errors)")
            let json = try JSON(parsing: Data((try await run(folder, "list", "--json")).output))
            #expect(json[0]["state"].string == "blocked" && json[0]["reason"].string?.contains("401") == true)
            try await expectEqual(run(folder, "resume", "-a", "ada:wrong").status, 22)
            let resumed = try await run(folder, "resume", "-a", "ada:secret")
            #expect(resumed.status == 0 && folder.content("f") != nil, "\(resumed.errors)")
        }
    }

    @Test("A secret field goes to one host only") func oneHost() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { first async throws in
            try await TestServer.withServer { second async throws in
                for server in [first, second] {
                    server.route("GET", "/file") { request in
                        .text("content", status: request.headers["X-API-Key"] == "tiger" ? 200 : 401)
                    }
                    let url = server.url("/file")
                    let added = try await run(
                        folder, "add", "--into", folder.path("\(server.port)"), "-H", "X-API-Key: lily", url)
                    expectEqual(added.status, 22, "\(added.errors)")
                }
                let refused = try await run(folder, "resume", "-H", "X-API-Key: tiger")
                #expect(refused.status == 2 && refused.errors.contains("is for one host"), "\(refused.errors)")
                #expect(first.requests().count == 1 && second.requests().count == 1)
                let json = try JSON(parsing: Data((try await run(folder, "list", "--json")).output))
                let id = try #require(json[0]["id"].string)
                try await expectEqual(run(folder, "resume", id, "-H", "X-API-Key: tiger").status, 0)
            }
        }
    }

    @Test("A download that a signal interrupts resumes after the received bytes") func resumes() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            let size = 3 << 20
            server.route("GET", "/file") { request in
                let start = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
                var headers: ServerHeaders = ["ETag": "\"v\"", "Accept-Ranges": "bytes"]
                if start > 0 { headers["Content-Range"] = "bytes \(start)-\(size - 1)/\(size)" }
                return ServerResponse(
                    status: start > 0 ? 206 : 200, headers: headers,
                    body: .stream(length: size - start) { writer in
                        if start == 0 {
                            try await writer.write(Array(repeating: 0x61, count: 2 << 20))
                            // Longer than the test; the client's end cancels it.
                            try await Task.sleep(for: .seconds(600))
                        }
                        try await writer.write(Array(repeating: 0x61, count: size - start))
                    })
            }
            let arguments = [
                "transfers", "add", "--store", folder.path("store"), "-o", folder.path("f"), server.url("/file"),
            ]
            let first = try TernProcess(arguments)
            while folder.names.first(where: { $0.hasSuffix(".sterna-part") }).flatMap({ folder.content($0)?.count })
                ?? 0
                < 1 << 20
            {
                try await Task.sleep(for: .milliseconds(5))
            }
            first.signal(SIGINT)
            let interrupted = try await first.outcome()
            expectEqual(interrupted.status, 130, "\(interrupted.errors)")
            #expect(interrupted.errors.contains("To continue: tern transfers resume"), "\(interrupted.errors)")
            let second = try await run(folder, "resume")
            expectEqual(second.status, 0, "\(second.errors)")
            expectEqual(folder.content("f"), Array(repeating: 0x61, count: size))
            let ranges = server.requests().map { $0.headers["Range"] }
            #expect(ranges.count == 2 && ranges[0] == nil && ranges[1] != nil, "\(ranges)")
            try await expectEqual(run(folder, "resume").errors, "Nothing to carry on.\n")
        }
    }

    @Test("Failures set the exit status; waiting transfers can be paused and cancelled") func control() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            let failed = try await run(folder, "add", "-o", folder.path("f"), server.url("/status/404"))
            #expect(failed.status == 22 && failed.errors.contains("404"), "\(failed.errors)")
            let arguments = [
                "transfers", "add", "--store", folder.path("store"), "-o", folder.path("g"),
                server.url("/drip?numbytes=10&duration=600"),
            ]
            let running = try TernProcess(arguments)
            try await server.waitForRequests(2, within: 60)
            // The running command holds the transfer's lock.
            let busy = try await run(folder, "pause", "--all")
            #expect(busy.status == 1 && busy.errors.contains("Another command carries g on"), "\(busy.errors)")
            running.signal(SIGKILL)
            _ = try await running.outcome()
            try await expectEqual(run(folder, "pause", "--all").errors, "Paused g.\n")
            try await expectEqual(run(folder, "resume").errors, "Nothing to carry on.\n")
            let list = try JSON(parsing: Data((try await run(folder, "list", "--json")).output))
            let id = try #require(list.array?.first { $0["state"].string == "paused" }?["id"].string)
            let refused = try await run(folder, "remove", String(id.prefix(10)))
            #expect(refused.status == 1 && refused.errors.contains("cancel it first"), "\(refused.errors)")
            try await expectEqual(run(folder, "cancel", id).errors, "Cancelled g.\n")
            try await expectEqual(run(folder, "remove").errors, "Removed 2 transfers.\n")
            expectEqual(folder.names, ["store"])
        }
    }

    @Test(
        "Missing, invalid and contradictory arguments are refused",
        arguments: [
            ["add"], ["add", "-o", "a", "http://a/1", "http://a/2"], ["add", "--segments", "17", "http://a/1"],
            ["add", "--sha256", "0", "http://a/1", "http://a/2"], ["list", "--store", ""], ["cancel"],
            ["pause"], ["pause", "--all", "abc"], ["cancel", "--all", "abc"], ["add", "--sha256", "zz", "http://a/1"],
            ["add", "-o", "-", "http://a/1"],
            ["add", "--jobs", "0", "http://a/1"],
        ])
    func refused(arguments: [String]) {
        #expect(throws: UsageError.self) { try Tern.command(of: ["transfers"] + arguments) }
    }

    @Test("The errors for unknown identifiers and for URLs without a file's name say what to do") func errors()
        async throws
    {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path("store"), withIntermediateDirectories: false)
        let unknown = try await run(folder, "cancel", "abc")
        #expect(unknown.status == 1 && unknown.errors.contains("tern transfers list shows them"), "\(unknown.errors)")
        let unnamed = try await run(folder, "add", "http://127.0.0.1:1/")
        #expect(unnamed.status == 2 && unnamed.errors.contains("write -o FILE"), "\(unnamed.errors)")
        let secret = try await run(folder, "add", "http://127.0.0.1:1/f?token=s3cret")
        #expect(
            secret.errors.contains("has a secret in its query") && !secret.errors.contains("s3cret"), "\(secret.errors)"
        )
    }
}
