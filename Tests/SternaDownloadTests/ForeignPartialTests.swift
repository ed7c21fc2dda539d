import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Partial files and sidecars that belong to another download, or no longer to this one.
@Suite("Downloads: partial files of other downloads", .timeLimit(.minutes(5)))
struct ForeignPartialTests {
    @Test(
        "A server's name is never that of a partial file or a sidecar",
        arguments: [
            ("x.sterna-part", "x_sterna-part"), ("x.iso.sterna-resume", "x.iso_sterna-resume"),
            ("x.sterna-resume-new", "x_sterna-resume-new"), ("x.Sterna-PART", "x_Sterna-PART"),
            // File systems that do not tell case take a long s for an s.
            ("x.\u{17F}terna-part", "x_\u{17F}terna-part"), ("x.sterna-part. ", "x_sterna-part"),
            ("x.sterna-party", "x.sterna-party"), ("sterna-part", "sterna-part"),
            ("x.sterna-part.zip", "x.sterna-part.zip"),
        ])
    func names(suggestion: String, expected: String) throws {
        let name = try #require(DownloadFileName.safe(suggestion))
        expectEqual(name, expected)
        expectEqual(DownloadFileName.safe(name), name)
    }

    @Test("A name that becomes a reserved one by shortening is changed")
    func cut() throws {
        let stem = String(repeating: "x", count: DownloadFileName.maximumLength - ".sterna-part".utf8.count)
        let name = try #require(DownloadFileName.safe("\(stem).sterna-part\(String(repeating: "y", count: 60))"))
        expectEqual(name, "\(stem)_sterna-part")
    }

    @Test("A server cannot leave bytes from which a later download of another file resumes")
    func planted() async throws {
        let file = RangedFile([UInt8](repeating: 7, count: 100))
        try await TestServer.withServer { server in
            let sidecar = """
                {"version": 1, "url": "\(server.url)/file", "validator": {"etag": "\\"1\\""}, "length": 100,
                 "ranges": [[0, 50]], "partial": "x.sterna-part", "destination": "x"}
                """
            server.route("GET", "/file") { file.answer($0) }
            server.route("GET", "/planted/{name}") { request in
                let isSidecar = request.parameters["name"] == "x.sterna-resume"
                return .bytes(isSidecar ? Array(sidecar.utf8) : [UInt8](repeating: 0x45, count: 50))
            }
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                for name in ["x.sterna-part", "x.sterna-resume"] {
                    _ = try await api.download("planted/\(name)", to: .folder(folder)).value
                }
                let got = try await api.download("file", to: .file("\(folder)/x")).value
                expectEqual(got.resumedAt, 0)
                try expectEqual(Downloading.bytes(got.path), file.content)
            }
        }
    }

    @Test("What other programs keep beside an unfinished file is left as it is, and no download resumes from it")
    func otherPrograms() async throws {
        // aria2 1.36.0, stopped in a file of 100,000 bytes, leaves a shorter file with holes, and this beside it: the version, two
        // numbers that a file of HTTP does not need, the lengths of a piece, of the file and of what was uploaded, the pieces, and
        // the number of those under way. Browsers and yt-dlp have files of the other names.
        let control: [UInt8] = [
            0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 1, 0x86, 0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
            0,
            0, 0, 0, 0,
        ]
        let kept: [String: [UInt8]] = [
            "x.aria2": control, "x.crdownload": [UInt8](repeating: 0x43, count: 50_000),
            "x.part": [UInt8](repeating: 0x50, count: 50_000),
        ]
        let file = RangedFile(RangedFile.content(100_000, seed: 47))
        try await TestServer.withServer { server in
            let isCut = Mutex(true)
            server.route("GET", "/file") { request in
                let cuts = isCut.withLock { old in
                    defer { old = false }
                    return old
                }
                return file.answer(request) { cuts && $0 == 0 ? 40_000 : nil }
            }
            try await Downloading.withFolder { folder in
                let path = "\(folder)/x"
                for (name, bytes) in kept { try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)")) }
                try Data([UInt8](repeating: 0, count: 70_000)).write(to: URL(filePath: path))
                let api = try Downloading.session(server)
                let destination = DownloadDestination.file(path, existing: .replace)
                await #expect(throws: SternaError.self) { try await api.download("file", to: destination).value }
                try expectEqual(Downloading.bytes(path).count, 70_000)
                let whole = try await api.download("file", to: destination).value
                expectEqual(whole.resumedAt, 40_000)
                expectEqual(server.requests().map { $0.headers["Range"] }, [nil, "bytes=40000-"])
                try expectEqual(Downloading.bytes(path), file.content)
                try expectEqual(Downloading.names(in: folder), ["x"] + kept.keys.sorted())
                for (name, bytes) in kept { try expectEqual(Downloading.bytes("\(folder)/\(name)"), bytes) }
            }
        }
    }

    @Test("A partial file that another program has replaced is not moved to the destination")
    func replaced() async throws {
        let count = 20_000_000
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let release = Gate()
                _ = server.holdBody(of: count, until: release)
                let task = try Downloading.session(server).download("held", to: .file("\(folder)/x"))
                for await step in task.progress where step.completed == Int64(TestServer.heldBytes) { break }
                let partial = "\(folder)/x.sterna-part"
                try FileManager.default.removeItem(atPath: partial)
                try Data("other".utf8).write(to: URL(filePath: partial))
                release.open()
                let error = await #expect(throws: SternaError.self) { try await task.value }
                expectEqual(error?.kind, .destinationUnusable)
                #expect(error?.underlying as? DestinationFault == .vanished(temporaryFile: partial))
                expectNil(error?.resumeData)
                // It does not belong to this download, and there is no sign that it can be resumed.
                try expectEqual(Downloading.names(in: folder), ["x.sterna-part"])
                try expectEqual(Downloading.bytes(partial), Array("other".utf8))
            }
        }
    }

    @Test("A killed download from another URL leaves nothing from which the previous one resumes")
    func otherURL() async throws {
        let file = RangedFile([UInt8](repeating: 1, count: 100_000))
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let release = Gate()
                server.route("GET", "/file") { request in file.answer(request) { $0 == 0 ? 40_000 : nil } }
                server.route("GET", "/other") { _ in
                    ServerResponse(
                        body: .stream(length: 3_000_000) { writer in
                            try await writer.write([UInt8](repeating: 2, count: 2_000_000))
                            await release.wait()
                        })
                }
                let api = try Downloading.session(server)
                await #expect(throws: SternaError.self) {
                    try await api.download("file", to: .file("\(folder)/x")).value
                }
                let task = api.download("other", to: .file("\(folder)/x"))
                let partial = "\(folder)/x.sterna-part"
                // Portions of 512 KiB are written as they arrive.
                #expect(await eventually { (try? Downloading.bytes(partial).count) ?? 0 > 1_000_000 })
                // The files as a killed process leaves them.
                let killed = "\(folder)/killed"
                try FileManager.default.createDirectory(atPath: killed, withIntermediateDirectories: true)
                for name in try Downloading.names(in: folder) where name != "killed" {
                    try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(killed)/\(name)")
                }
                task.cancel()
                release.open()
                await #expect(throws: SternaError.self) { try await task.value }
                server.route("GET", "/file") { request in file.answer(request) }
                let got = try await api.download("file", to: .file("\(killed)/x")).value
                expectEqual(got.resumedAt, 0)
                try expectEqual(Downloading.bytes(got.path), file.content)
            }
        }
    }

    @Test("A download that starts over leaves no record of the earlier bytes")
    func stale() async throws {
        let old = RangedFile([UInt8](repeating: 1, count: 100_000))
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let release = Gate()
                server.route("GET", "/file") { request in
                    guard request.headers["Range"] != nil else { return old.answer(request) { _ in 40_000 } }
                    // The file has changed.
                    return ServerResponse(
                        headers: ["ETag": "\"2\""],
                        body: .stream(length: 100_000) { writer in
                            try await writer.write([UInt8](repeating: 2, count: 50_000))
                            await release.wait()
                        })
                }
                let api = try Downloading.session(server)
                await #expect(throws: SternaError.self) {
                    try await api.download("file", to: .file("\(folder)/x")).value
                }
                try expectEqual(Downloading.names(in: folder), ["x.sterna-part", "x.sterna-resume"])
                let task = api.download("file", to: .file("\(folder)/x"))
                for await step in task.progress where step.completed > 0 { break }
                // A process that is killed now must not resume from the new bytes with the old tag.
                try expectEqual(Downloading.names(in: folder), ["x.sterna-part"])
                task.cancel()
                await #expect(throws: SternaError.self) { try await task.value }
                release.open()
            }
        }
    }
}
