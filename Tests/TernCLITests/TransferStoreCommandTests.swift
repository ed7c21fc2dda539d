import Sterna
import SternaPlatform
import SternaTesting
import SternaTransfers
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `tern transfers` on stores, and on transfers that already exist or cannot be read.
@Suite("tern transfers: the store", .timeLimit(.minutes(5)))
struct TransferStoreCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var place: String { folder.path("store") }

    private func run(_ arguments: String...) async throws -> TernProcess.Outcome {
        let command = ["transfers"] + arguments.prefix(1) + ["--store", place] + arguments.dropFirst()
        return try await TernProcess(command).outcome()
    }

    /// Adds downloads that no process carries on; returns their identifiers.
    private func add(_ urls: String..., sha256: String? = nil) async throws -> [String] {
        let (store, session) = (try TransferStore(folder: place), try Session())
        var options = TransferOptions()
        options.sha256 = sha256
        var ids: [String] = []
        for url in urls {
            let name = String(url.split(separator: "/").last ?? "f")
            let transfer = try await store.download(
                url, to: folder.path(name), with: session, options: options, startsAtOnce: false)
            ids.append(transfer.id.text)
        }
        await store.interrupt()
        return ids
    }

    private func damage(_ id: String, _ change: (String) -> String = { _ in "{" }) throws {
        let name = "store/\(id)/description.json"
        let text = String(decoding: try #require(folder.content(name)), as: UTF8.self)
        try folder.write(change(text), to: name)
    }

    // MARK: Unreadable transfers

    @Test("An unreadable transfer is listed, does not stop the others, and is removed if its ID is given")
    func unreadable() async throws {
        try await TestServer.withServer { server async throws in
            let ids = try await add(server.url("/range/1000"), server.url("/range/2000"), server.url("/range/3000"))
            try damage(ids[1])
            try damage(ids[2]) { $0.replacing("\"version\" : 1", with: "\"version\" : 9") }
            let (broken, newer) = (String(ids[1].prefix(8)), String(ids[2].prefix(8)))

            let listed = try await run("list")
            expectEqual(listed.status, 0)
            for id in [broken, newer] { #expect(listed.text.contains("\(id)  unreadable  -"), "\(listed.text)") }
            #expect(listed.errors.contains("tern transfers remove \(broken) gives it up"), "\(listed.errors)")
            #expect(listed.errors.contains("its version is 9"), "\(listed.errors)")
            let json = try JSON(parsing: Data((try await run("list", "--json")).output))
            let rows = json.array?.filter { $0["state"].string == "unreadable" } ?? []
            #expect(json.array?.count == 3 && Set(rows.compactMap { $0["id"].string }) == Set(ids.dropFirst()))
            #expect(rows.allSatisfy { $0["reason"].string?.contains("cannot be read") == true })

            let resumed = try await run("resume")
            expectEqual(resumed.status, 26, "\(resumed.errors)")
            #expect(resumed.text.hasPrefix("Saved ") && folder.content("1000")?.count == 1_000)
            #expect(resumed.errors.contains("The transfer \(broken) is left out."), "\(resumed.errors)")
            let named = try await run("resume", ids[1])
            #expect(named.status == 26 && named.errors.contains("The transfer \(broken) is left out."))

            let watched = try await run("watch")
            #expect(watched.status == 0 && watched.text.hasPrefix("Saved "), "\(watched.text)")
            expectEqual(watched.errors.split(separator: "is left out").count, 3, "\(watched.errors)")
            let paused = try await run("pause", broken)
            #expect(paused.status == 1 && paused.errors.contains("is left out"), "\(paused.errors)")

            try await expectEqual(run("remove").errors, "Removed 1 transfer.\n")
            #expect(folder.names.contains("store") && folder.content("store/\(ids[1])/description.json") != nil)
            try await expectEqual(run("remove", broken).errors, "Removed 1 transfer.\n")
            let last = try await run("remove", newer)
            #expect(last.status == 0 && last.errors.contains("a newer tern could have carried \(newer) on"))
            try await expectEqual(run("list").errors, "No transfers.\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
        }
    }

    // MARK: Folders

    @Test(
        "A missing store is an error, and is not created",
        arguments: ["list", "watch", "resume", "remove", "pause", "cancel"])
    func missing(command: String) async throws {
        let all = ["pause", "cancel"].contains(command) ? ["--all"] : []
        let outcome = try await TernProcess(["transfers", command, "--store", place] + all).outcome()
        #expect(outcome.status == 1 && outcome.errors.contains("There is no store in \(place)"), "\(outcome.errors)")
        let usual = try await TernProcess(
            ["transfers", command] + all, environment: ["XDG_STATE_HOME": folder.path("state")]
        ).outcome()
        let text = [
            "resume": "Nothing to carry on.", "remove": "Removed 0 transfers.", "list": "No transfers.",
            "watch": "No transfers.",
        ]
        expectEqual(usual.status, 0, "\(usual.errors)")
        expectEqual(usual.errors, (text[command] ?? "No transfers that are not over.") + "\n")
        #expect(folder.names.isEmpty)
    }

    @Test("pause and cancel take IDs, or --all")
    func all() async throws {
        let ids = try await add("http://127.0.0.1:1/a", "http://127.0.0.1:1/b", "http://127.0.0.1:1/c")
        try await expectEqual(run("pause", ids[0], ids[0]).errors, "Paused a.\n")
        try await expectEqual(run("pause", "--all").errors.split(separator: "\n").count, 3)
        try await expectEqual(run("cancel", ids[1]).errors, "Cancelled b.\n")
        let cancelled = try await run("cancel", "--all")
        expectEqual(Set(cancelled.errors.split(separator: "\n")), ["Cancelled a.", "Cancelled c."])
        try await expectEqual(run("cancel", "--all").errors, "No transfers that are not over.\n")
    }

    // MARK: Transfers that already exist

    @Test("Adding the URL of an unfinished transfer resumes it; another URL for its file is refused")
    func again() async throws {
        try await TestServer.withServer { server async throws in
            let ids = try await add(server.url("/range/1000"))
            let id = String(ids[0].prefix(8))
            let path = folder.path("1000")
            let other = try await run("add", "-o", path, server.url("/range/5"))
            #expect(
                other.status == 2 && other.errors.contains("The transfer \(id), which is not over, saves"),
                "\(other.errors)")
            let digest = String(repeating: "0", count: 64)
            let checked = try await run("add", "-o", path, "--sha256", digest, server.url("/range/1000"))
            #expect(checked.status == 2 && checked.errors.contains("has another SHA-256 or none"), "\(checked.errors)")
            let twice = try await run("add", "--into", folder.path, server.url("/range/7"), server.url("/range/7"))
            #expect(twice.status == 2 && twice.errors.contains("Two URLs have the file"), "\(twice.errors)")
            #expect(server.requests().isEmpty)
            let same = try await run("add", "-o", path, server.url("/range/1000#top"))
            #expect(
                same.status == 0
                    && same.errors == "1000 is in the store already, as \(id); it goes on as it was added.\n",
                "\(same.errors)")
            expectEqual(folder.content("1000")?.count, 1_000)
            let json = try JSON(parsing: Data((try await run("list", "--json")).output))
            #expect(json.array?.count == 1 && json[0]["id"].string == ids[0])
        }
    }

    // MARK: Messages

    @Test("The error for refused arguments says what to write instead")
    func refused() async throws {
        for (arguments, text) in [
            (["-o", "-", "http://a/1"], "write tern GET URL"),
            (["--sha256", "zz", "http://a/1"], "64 hexadecimal digits"),
            (["-o", "a", "--into", "b", "http://a/1"], "-o and --into exclude each other"),
            (["-o", "", "http://a/1"], "take a path"), (["-H", "Accept:", "http://a/1"], "leaves out a field"),
            (["http://ada:pw@127.0.0.1:1/f"], "write --auth user:password or --netrc"),
            (["http://127.0.0.1:1/f?access_token=s3cret"], "write --auth, --bearer"),
        ] {
            let outcome = try await TernProcess(["transfers", "add", "--store", place] + arguments).outcome()
            #expect(outcome.status != 0 && outcome.errors.contains(text), "\(outcome.errors)")
            #expect(
                !outcome.errors.contains("on the session") && !outcome.errors.contains("s3cret"), "\(outcome.errors)")
        }
        #expect(!folder.names.contains("-"))
    }

    @Test("The error for an unusable destination names tern's options")
    func destination() async throws {
        try folder.write("mine", to: "f")
        try FileManager.default.createDirectory(atPath: folder.path("d"), withIntermediateDirectories: false)
        try await TestServer.withServer { server async throws in
            for (name, text) in [("f", "with another file, by -o FILE."), ("d", "or the folder by --into FOLDER.")] {
                let outcome = try await run("add", "-o", folder.path(name), server.url("/range/10"))
                expectEqual(outcome.status, 23, "\(outcome.errors)")
                #expect(outcome.errors.contains(text) && !outcome.errors.contains("“."), "\(outcome.errors)")
            }
            let json = (try await run("list", "--json")).text
            #expect(json.contains("by -o FILE.") && !json.contains(".replace"), "\(json)")
        }
    }

    @Test("The library has each phrase that tern replaces")
    func phrases() throws {
        let faults = [
            DestinationFault.exists(path: "/f").description, DestinationFault.folder(path: "/f").description,
        ]
        #expect(faults.allSatisfy { TransferAdvice.text($0) != $0 })
        let sources = try ["Sources/SternaTransfers", "Sources/Sterna/Downloads"].map { folder in
            let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
            let files = try #require(FileManager.default.subpaths(of: "\(root)/\(folder)"))
            return files.filter { $0.hasSuffix(".swift") }.map { file in
                String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
            }.joined()
        }.joined()
        for (library, _) in TransferAdvice.phrases { #expect(sources.contains(library), "\(library)") }
    }
}

extension FileManager {
    /// The paths of all files in a folder, and in the folders in it.
    fileprivate func subpaths(of path: String) -> [String]? {
        try? contentsOfDirectory(atPath: path).flatMap { name -> [String] in
            let path = "\(path)/\(name)"
            return subpaths(of: path) ?? [path]
        }
    }
}
