import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `tern upload --resumable`.
@Suite("tern upload --resumable", .timeLimit(.minutes(5)))
struct ResumableUploadTests {
    private func upload(
        _ folder: TemporaryFolder, _ file: String, _ url: String, _ arguments: String...
    ) throws -> TernProcess {
        try TernProcess(["upload", folder.path(file), url, "--store", folder.path("store")] + arguments)
    }

    /// Gives the body a server for uploads, with its routes.
    private func withUploads(_ body: (TestServer, UploadServer) async throws -> Void) async throws {
        try await TestServer.withServer { server async throws in
            let uploads = try UploadServer()
            uploads.serve(on: server)
            try await body(server, uploads)
        }
    }

    @Test("The long body of an error does not hide its status") func longError() async throws {
        let folder = try TemporaryFolder()
        try folder.write("abc", to: "a.txt")
        try await TestServer.withServer { server in
            server.route(nil, "/files") { _ in
                ServerResponse(status: 403, body: .bytes([UInt8](repeating: 0x61, count: 2 << 20)))
            }
            let outcome = try await upload(folder, "a.txt", server.url("/files"), "--resumable", "auto").outcome()
            expectEqual(outcome.status, 22, "\(outcome.errors)")
            #expect(outcome.errors.contains("403"), "\(outcome.errors)")
        }
    }

    @Test("A file arrives by each protocol, and nothing stays in the store", arguments: ["auto", "ietf", "tus"])
    func uploads(name: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write(String(repeating: "abc", count: 50_000), to: "a.txt")
        try await withUploads { server, uploads in
            let url = server.url(name == "ietf" ? "/uploads/ietf" : "/uploads/tus")
            let outcome = try await upload(folder, "a.txt", url, "--resumable", name).outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            #expect(outcome.text.hasPrefix("Uploaded a.txt, 150"), "\(outcome.text)")
            let status = try #require(uploads.statuses.first)
            #expect(
                status.isComplete && status.received == 150_000 && status.dialect == (name == "ietf" ? "ietf" : "tus"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("store")).isEmpty)
        }
    }

    @Test("Parts are joined; the outcome of a server without a protocol is printed")
    func partsAndWhole() async throws {
        let folder = try TemporaryFolder()
        try folder.write(String(repeating: "abc", count: 50_000), to: "a.txt")
        try await withUploads { server, uploads in
            let parts = try await upload(
                folder, "a.txt", server.url("/uploads/tus"), "--resumable", "tus", "--parts", "3"
            ).outcome()
            expectEqual(parts.status, 0, "\(parts.errors)")
            #expect(uploads.statuses.count == 4 && uploads.statuses.contains { $0.offset == 150_000 && $0.isComplete })
            server.route("POST", "/inbox") { request in
                _ = try await request.body.collect()
                return ServerResponse(status: 201, headers: ["Location": "/things/7?token=abc"])
            }
            let whole = try await upload(folder, "a.txt", server.url("/inbox"), "--resumable", "auto").outcome()
            let place = server.url("/things/7?token=***")
            expectEqual(whole.text, "Uploaded a.txt, 150 kB; it is at \(place)\n", "\(whole.text)\(whole.errors)")
            let refused = try await upload(folder, "a.txt", server.url("/status/422"), "--resumable", "auto").outcome()
            #expect(refused.status == 22 && refused.errors.contains("422"), "\(refused.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("store")).isEmpty)
        }
    }

    @Test("An upload without credentials asks for them, and the same command resumes with them")
    func credentials() async throws {
        let folder = try TemporaryFolder()
        try folder.write(String(repeating: "abc", count: 50_000), to: "a.txt")
        try await withUploads { server, uploads in
            let url = server.url("/basic-auth/ada/secret")
            let refused = try await upload(folder, "a.txt", url, "--resumable", "auto").outcome()
            #expect(refused.status == 22 && refused.errors.contains("-a USER:PASSWORD"), "\(refused.errors)")
            let accepted = try await upload(folder, "a.txt", url, "--resumable", "auto", "-a", "ada:secret").outcome()
            expectEqual(accepted.status, 0, "\(accepted.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("store")).isEmpty)
        }
    }

    @Test("After Ctrl-C the same command resumes the upload; that of a changed file starts over")
    func interrupted() async throws {
        let folder = try TemporaryFolder()
        try folder.write(String(repeating: "abcd", count: 250_000), to: "a.txt")
        try await withUploads { server, uploads in
            for changes in [false, true] {
                let url = server.url("/uploads/ietf?slow=200000" + (changes ? "&times=2" : ""))
                let known = Set(uploads.statuses.map(\.id))
                let first = try upload(folder, "a.txt", url, "--resumable", "ietf")
                while !uploads.statuses.contains(where: { !known.contains($0.id) && $0.received > 0 }) {
                    try await Task.sleep(for: .milliseconds(5))
                }
                first.signal(SIGINT)
                let interrupted = try await first.outcome()
                expectEqual(interrupted.status, 130, "\(interrupted.errors)")
                #expect(interrupted.errors.contains("To continue"), "\(interrupted.errors)")
                // The server may have more than it has confirmed.
                #expect(interrupted.errors.contains("the server has confirmed"), "\(interrupted.errors)")
                let begun = Set(uploads.statuses.map(\.id)).subtracting(known)
                if changes { try folder.write(String(repeating: "efgh", count: 10_000), to: "a.txt") }
                let second = try await upload(folder, "a.txt", url, "--resumable", "ietf").outcome()
                expectEqual(second.status, 0, "\(second.errors)")
                expectEqual(second.errors.contains("begins anew"), changes, "\(second.errors)")
                let all = uploads.statuses.filter { !known.contains($0.id) }
                // The server was asked to delete the upload of the unchanged file.
                #expect(all.count == 1 && all.first?.isComplete == true)
                #expect(all.contains { begun.contains($0.id) } != changes)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("store")).isEmpty)
            }
        }
    }

    @Test(
        "The size of an unfinished upload has the confirmed and the sent bytes",
        arguments: [
            (0, nil, "0 B of 5 MB"), (0, 0, "0 B of 5 MB confirmed"),
            (0, 3_000_000, "0 B of 5 MB confirmed, 3 MB sent"),
            (5_000_000, 5_000_000, "5 MB"),
        ] as [(Int64, Int64?, String)])
    func size(completed: Int64, sent: Int64?, expected: String) {
        expectEqual(TransferTable.size(TransferProgress(completed: completed, total: 5_000_000), sent: sent), expected)
    }

    @Test("An interrupted command prints the kept, sent and confirmed bytes of its transfers")
    func interruptedWords() {
        let end = ". To continue: tern transfers resume"
        expectEqual(TransferTable.interrupted([(3_000, nil), (4_000, nil)]), "Interrupted; kept 7 kB" + end)
        expectEqual(
            TransferTable.interrupted([(0, 3_000_000)]),
            "Interrupted; sent 3 MB, of which the server has confirmed 0 B" + end)
        expectEqual(TransferTable.interrupted([(2_000, 0)]), "Interrupted; the server has confirmed 2 kB" + end)
        expectEqual(
            TransferTable.interrupted([(3_000, nil), (2_000, 2_000)]),
            "Interrupted; kept 3 kB; the server has confirmed 2 kB" + end)
    }

    @Test("--max-time bounds the whole command, and the upload stays in the store")
    func maxTime() async throws {
        let folder = try TemporaryFolder()
        try folder.write(String(repeating: "abcd", count: 250_000), to: "a.txt")
        try await withUploads { server, uploads in
            // Several requests, each of them shorter than the limit.
            let arguments = ["--resumable", "tus", "--max-request-bytes", "20000"]
            let url = server.url("/uploads/tus?slow=100000")
            let outcome = try await TernProcess(
                ["upload", folder.path("a.txt"), url, "--store", folder.path("store"), "--max-time", "1"] + arguments
            ).outcome()
            expectEqual(outcome.status, 28, "\(outcome.errors)")
            #expect(outcome.errors.contains("within the 1 s of --max-time"), "\(outcome.errors)")
            #expect(outcome.errors.contains("To continue"), "\(outcome.errors)")
            let listed = try await TernProcess(["transfers", "list", "--store", folder.path("store")]).outcome()
            #expect(listed.text.contains("of 1 MB confirmed"), "\(listed.text)")
            #expect(uploads.statuses.count == 1 && uploads.statuses.first?.isComplete == false)
        }
    }

    @Test("--max-time bounds transfers of a store, too")
    func maxTimeOfTransfers() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            server.route("GET", "/busy") { _ in ServerResponse(status: 503) }
            let outcome = try await TernProcess(
                [
                    "transfers", "add", server.url("/busy"), "-o", folder.path("busy"), "--store", folder.path("store"),
                    "--max-time", "0.5",
                ]
            ).outcome()
            expectEqual(outcome.status, 28, "\(outcome.errors)")
            #expect(outcome.errors.contains("within the 0.5 s of --max-time"), "\(outcome.errors)")
        }
    }

    @Test("Secret header fields and credentials are sent, and not stored")
    func secrets() async throws {
        let folder = try TemporaryFolder()
        try folder.write(String(repeating: "abcd", count: 250_000), to: "a.txt")
        try await withUploads { server, uploads in
            let arguments = [
                "upload", folder.path("a.txt"), server.url("/uploads/ietf?slow=100000"), "X-API-Key:hunter2",
                "--bearer", "sesame", "--resumable", "ietf", "--store", folder.path("store"),
            ]
            let process = try TernProcess(arguments)
            while (uploads.statuses.first?.received ?? 0) == 0 { try await Task.sleep(for: .milliseconds(5)) }
            process.signal(SIGKILL)
            _ = try await process.outcome()
            let sent = server.requests()
            #expect(sent.allSatisfy { $0.headers["X-API-Key"] == "hunter2" })
            #expect(sent.allSatisfy { $0.headers["Authorization"] == "Bearer sesame" })
            let files = try #require(FileManager.default.subpathsForTests(folder.path("store")))
            #expect(files.count > 2)
            for file in files {
                let text = String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
                #expect(!text.contains("hunter2") && !text.contains("sesame"), "\(file)")
            }
            let without = try await TernProcess(["transfers", "resume", "--store", folder.path("store")]).outcome()
            #expect(without.errors.contains("write -H 'X-API-Key: VALUE'"), "\(without.errors)")
            let cancelled = try await TernProcess(
                ["transfers", "cancel", "--store", folder.path("store")]
                    + [
                        String(
                            try #require(FileManager.default.contentsOfDirectory(atPath: folder.path("store")).first))
                    ]
            ).outcome()
            expectEqual(cancelled.status, 0, "\(cancelled.errors)")
        }
    }

    @Test("-o saves the server's response, also to standard output; a response that is too long is an error")
    func answer() async throws {
        let folder = try TemporaryFolder()
        try folder.write("abc", to: "a.txt")
        try await withUploads { server, _ in
            let sizes = [5, 64 << 10, (64 << 10) + 1]
            for size in sizes {
                server.route("POST", "/inbox/\(size)") { request in
                    _ = try await request.body.collect()
                    return ServerResponse(status: 201, body: .bytes(Array(repeating: 0x78, count: size)))
                }
            }
            for size in sizes {
                let outcome = try await upload(
                    folder, "a.txt", server.url("/inbox/\(size)"), "--resumable", "auto", "-o", folder.path("answer")
                ).outcome()
                expectEqual(outcome.text, "Uploaded a.txt, 3 B\n", "\(outcome.text)\(outcome.errors)")
                let isKept = size <= 64 << 10
                expectEqual(outcome.status, (isKept ? 0 : 23), "\(outcome.errors)")
                expectEqual(outcome.errors.contains("more than 64 KiB"), !isKept, "\(outcome.errors)")
                expectEqual(folder.content("answer")?.count, (isKept ? size : sizes[1]))
            }
            let shown = try await upload(
                folder, "a.txt", server.url("/inbox/5"), "--resumable", "auto", "-o", "-"
            ).outcome()
            #expect(shown.text == "xxxxx" && shown.status == 0, "\(shown.text)\(shown.errors)")
            let count = server.requests().count
            let refused = try await upload(
                folder, "a.txt", server.url("/inbox/5"), "--resumable", "auto", "-o", "/none/at/all"
            ).outcome()
            #expect(refused.status == 23 && server.requests().count == count, "\(refused.errors)")
            expectEqual(folder.names, ["a.txt", "answer", "store"])
        }
    }

    @Test("-v says why a request is sent again; --style writes the query")
    func verbose() async throws {
        let folder = try TemporaryFolder()
        try folder.write("abc", to: "a.txt")
        try await TestServer.withServer { server async throws in
            server.route("POST", "/moved") { request in
                _ = try await request.body.collect()
                return ServerResponse(status: 307, headers: ["Location": "/inbox"])
            }
            server.route("POST", "/inbox") { request in
                _ = try await request.body.collect()
                return ServerResponse(status: 201)
            }
            let outcome = try await upload(
                folder, "a.txt", server.url("/moved"), "a[]:=[1,2]", "--resumable", "auto", "-v", "-s"
            ).outcome()
            expectEqual(outcome.status, 2, "\(outcome.errors)")
            let moved = try await upload(
                folder, "a.txt", server.url("/moved"), "q==a b", "--style", "whatwg", "--resumable", "auto", "-v"
            ).outcome()
            expectEqual(moved.status, 0, "\(moved.errors)")
            #expect(
                moved.errors.contains("* Attempt 2: POST") && moved.errors.contains("(redirect)"), "\(moved.errors)")
            #expect(
                server.requests().contains { $0.target.hasSuffix("/moved?q=a+b") }, "\(server.requests().map(\.target))"
            )
        }
    }

    @Test(
        "Contradictory and invalid options are refused",
        arguments: [
            ["--parts", "2"], ["--store", "/none"], ["--resumable", "ietf", "--parts", "2"],
            ["--resumable", "tus", "--parts", "65"], ["--resumable", "other"],
        ])
    func refused(options: [String]) async throws {
        let outcome = try await TernProcess(["upload", "/etc/hostname", "http://127.0.0.1:1/"] + options).outcome()
        expectEqual(outcome.status, 2, "\(outcome.errors)")
    }
}

extension FileManager {
    /// The paths of all files in a folder, and in the folders in it.
    fileprivate func subpathsForTests(_ path: String) -> [String]? {
        try? contentsOfDirectory(atPath: path).flatMap { name -> [String] in
            let path = "\(path)/\(name)"
            return subpathsForTests(path) ?? [path]
        }
    }
}
