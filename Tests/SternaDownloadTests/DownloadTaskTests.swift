import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Downloads", .timeLimit(.minutes(5)))
struct DownloadTaskTests {
    @Test("A file is saved, with progress up to the total, and no other file", arguments: [0, 1, 3_000_000])
    func file(count: Int) async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let task = try Downloading.session(server).download("range/\(count)", to: .file("\(folder)/a/b.bin"))
                let file = try await task.value
                expectEqual(file.path, "\(folder)/a/b.bin")
                expectEqual(file.length, Int64(count))
                expectEqual(file.resumedAt, 0)
                try expectEqual(Downloading.bytes(file.path), Downloading.alphabet(count))
                try expectEqual(Downloading.names(in: "\(folder)/a"), ["b.bin"])
                expectEqual(task.state, .completed)
                expectNil(task.resumeData)
                if count > 0 { expectEqual(task.progress.current.fraction, 1) }
            }
        }
    }

    @Test("The closure for progress receives what is written, beside the closure for settings")
    func progress() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let steps = Mutex<[TransferProgress]>([])
                let api = try Downloading.session(server)
                let task = api.download("range/3000000", to: .file("\(folder)/a")) {
                    $0.priority = .high
                } progress: { step in
                    steps.withLock { $0.append(step) }
                }
                _ = try await task.value
                expectEqual(task.originalRequest?.priority, .high)
                let completed = steps.withLock { $0.map(\.completed) }
                expectEqual(completed, completed.sorted())
                expectEqual(completed.last, 3_000_000)
                expectEqual(steps.withLock { $0.last?.total }, 3_000_000)
            }
        }
    }

    @Test("The request's serializer judges the media type, before a file is made")
    func mediaType() async throws {
        struct Refused: Error {}
        try await TestServer.withServer { server in
            server.route("GET", "/photo") { _ in .text("<p>Log in.", mediaType: "text/html") }
            let serializers: [(any ResponseSerializer, SternaError.Kind?)] = [
                (.imageData, .unacceptableMediaType), (.data, nil), (.json, nil),
                (DataResponseSerializer().validating { _, _ in throw Refused() }, .unacceptableResponse),
            ]
            for (serializer, kind) in serializers {
                try await Downloading.withFolder { folder in
                    let api = try Downloading.session(server)
                    let task = api.download("photo", to: .file("\(folder)/a.jpg")) {
                        $0.responseSerializer = serializer
                    }
                    if let kind {
                        let error = await #expect(throws: SternaError.self) { try await task.value }
                        expectEqual(error?.kind, kind)
                        try expectEqual(Downloading.names(in: folder), [])
                    } else {
                        try await expectEqual(task.value.length, 10)
                    }
                }
            }
            // A session's serializer does not decide about files.
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server) { $0.responseSerializer = .imageData }
                try await expectEqual(api.download("photo", to: .file("\(folder)/a.jpg")).value.length, 10)
            }
        }
    }

    @Test("In a folder the file has the server's name, and a second download adds a number")
    func folder() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/named") { _ in
                ServerResponse(
                    headers: ["Content-Disposition": #"attachment; filename="../../re port.pdf""#],
                    body: .bytes(Array("abc".utf8)))
            }
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                let first = try await api.download("named", to: .folder(folder)).value
                let second = try await api.download("named", to: .folder(folder)).value
                expectEqual(first.path, "\(folder)/re port.pdf")
                expectEqual(second.path, "\(folder)/re port (2).pdf")
                try expectEqual(Downloading.names(in: folder), ["re port (2).pdf", "re port.pdf"])
            }
        }
    }

    @Test("A server's name in Latin-1 keeps its letters")
    func latin1Name() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/named") { _ in
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Disposition: attachment; filename=\"Gr"
                return ServerResponse(
                    body: .raw { connection in
                        try await connection.write(Array(head.utf8) + [0xF6, 0xDF] + Array("e.pdf\"\r\n\r\nabc".utf8))
                    })
            }
            try await Downloading.withFolder { folder in
                let file = try await Downloading.session(server).download("named", to: .folder(folder)).value
                expectEqual(file.path, "\(folder)/Größe.pdf")
            }
        }
    }

    @Test("A closure chooses the destination after the transfer")
    func chosen() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let task = try Downloading.session(server).download(
                    "range/1000",
                    to: .choose { temporary, response in
                        let length = (try? Data(contentsOf: temporary))?.count
                        expectEqual(length, 1_000)
                        return "\(folder)/\(response.status.code).bin"
                    })
                try await expectEqual(task.value.path, "\(folder)/200.bin")
                try expectEqual(Downloading.names(in: folder), ["200.bin"])
            }
        }
    }

    @Test("A rejected status creates no file")
    func rejected() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let task = try Downloading.session(server).download("status/404", to: .file("\(folder)/x"))
                let error = await #expect(throws: SternaError.self) { try await task.value }
                expectEqual(error?.kind, .unacceptableStatus)
                #expect(try Downloading.names(in: folder).isEmpty)
            }
        }
    }

    @Test("An existing destination fails before anything is sent")
    func exists() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let path = "\(folder)/x"
                try Data("old".utf8).write(to: URL(filePath: path))
                let api = try Downloading.session(server)
                let error = await #expect(throws: SternaError.self) {
                    try await api.download("range/10", to: .file(path)).value
                }
                expectEqual(error?.kind, .destinationUnusable)
                #expect(server.requests().isEmpty)
                _ = try await api.download("range/10", to: .file(path, existing: .replace)).value
                try expectEqual(Downloading.bytes(path), Downloading.alphabet(10))
            }
        }
    }

    @Test("The digests of the caller and the server are verified; a wrong one leaves no file")
    func digest() async throws {
        try await TestServer.withServer { server in
            // Of "hello".
            let right = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
            server.route("GET", "/hello") { _ in ServerResponse(body: .bytes(Array("hello".utf8))) }
            server.route("GET", "/lie") { _ in
                ServerResponse(
                    headers: ["Repr-Digest": "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:"],
                    body: .bytes(Array("hello".utf8)))
            }
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                var options = DownloadOptions()
                options.sha256 = right
                _ = try await api.download("hello", to: .file("\(folder)/a"), options: options).value
                options.sha256 = String(right.reversed())
                for path in ["hello", "lie"] {
                    let task = api.download(
                        path, to: .file("\(folder)/b"), options: path == "lie" ? DownloadOptions() : options)
                    let error = await #expect(throws: SternaError.self) { try await task.value }
                    expectEqual(error?.kind, .digestMismatch)
                }
                try expectEqual(Downloading.names(in: folder), ["a"])
            }
        }
    }

    @Test("A suspended download stops reading; after its grace, it closes the connection and later resumes by a range")
    func suspended() async throws {
        let count = 40_000_000
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                var options = DownloadOptions()
                options.suspensionGrace = .milliseconds(50)
                let release = Gate()
                _ = server.holdBody(of: count, until: release)
                let task = try Downloading.session(server).download("held", to: .file("\(folder)/x"), options: options)
                for await step in task.progress where step.completed > 1_000_000 { break }
                task.suspend()
                release.open()
                try await server.waitForOpenConnections(0)
                expectEqual(task.state, .suspended)
                task.resume()
                let file = try await task.value
                try expectEqual(Downloading.bytes(file.path), Downloading.alphabet(count))
                expectEqual(task.requests.count, 2)
                expectEqual(task.requests.last?.headers[.range]?.hasPrefix("bytes="), true)
            }
        }
    }

    @Test("A cancelled download leaves no file; with resume data, it resumes")
    func cancelled() async throws {
        let count = 40_000_000
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                _ = server.holdBody(of: count, until: Gate())
                let first = api.download("held", to: .file("\(folder)/x"))
                for await step in first.progress where step.completed > 1_000_000 { break }
                first.cancel()
                let error = await #expect(throws: SternaError.self) { try await first.value }
                expectEqual(error?.kind, .cancelled)
                expectNil(error?.resumeData)
                #expect(try Downloading.names(in: folder).isEmpty)

                let second = api.download("held", to: .file("\(folder)/x"))
                for await step in second.progress where step.completed > 1_000_000 { break }
                let data = try #require(await second.cancelProducingResumeData())
                #expect(data.receivedBytes > 1_000_000)
                try expectEqual(Downloading.names(in: folder), ["x.sterna-part", "x.sterna-resume"])

                // The data survives its JSON.
                let file = try await api.downloadTask(resuming: ResumeData(data: data.data)).value
                expectEqual(file.resumedAt, data.receivedBytes)
                try expectEqual(Downloading.bytes(file.path), Downloading.alphabet(count))
                try expectEqual(Downloading.names(in: folder), ["x"])
            }
        }
    }

    @Test("The value of a download is decoded from its file")
    func decoded() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let file = try await Downloading.session(server).download("json", to: .file("\(folder)/x.json")).value
                #expect(try await file.value(by: JSONResponseSerializer())["flock"].object != nil)
            }
        }
    }

    @Test("Two concurrent downloads to one folder do not share a partial file")
    func together() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server)
                let tasks = (0..<8).map { _ in api.download("range/200000", to: .folder(folder)) }
                for task in tasks {
                    try expectEqual(Downloading.bytes(try await task.value.path), Downloading.alphabet(200_000))
                }
                try expectEqual(Downloading.names(in: folder).count, 8)
            }
        }
    }
}
