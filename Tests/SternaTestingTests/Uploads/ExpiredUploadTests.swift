import SternaPlatform
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTesting

@Suite("Upload server: expired uploads", .timeLimit(.minutes(5)))
struct ExpiredUploadTests {
    /// A clock that stands still until a test moves it.
    private final class Clock: Sendable {
        private let second = Mutex(Int64(1_000_000))

        var now: Int64 { second.withLock { $0 } }

        func pass(_ seconds: Int64) { second.withLock { $0 += seconds } }
    }

    /// Serves uploads of a folder, and returns what a closure does.
    private static func serve<R: Sendable>(
        _ folder: String?, _ clock: Clock, limit: Int = 10,
        _ body: @Sendable (UploadClient, UploadServer) async throws -> R
    ) async throws -> R {
        var options = UploadServer.Options(folder: folder)
        options.uploads = limit
        let uploads = try UploadServer(options) { clock.now }
        return try await TestServer.withServer { server in
            uploads.serve(on: server)
            return try await body(UploadClient(server: server), uploads)
        }
    }

    private static func withFolder<R>(_ body: (String) async throws -> R) async throws -> R {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sterna-\(UInt64.random(in: 0 ... .max))")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }

    /// The files of a folder, by id.
    private static func ids(_ folder: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder).map { String($0.prefix { $0 != "." }) })
    }

    /// Creates an upload with some content; returns its path.
    private static func create(_ client: UploadClient, expires: Int, _ more: (String, String)...) async throws -> String
    {
        let fields = [("Upload-Length", "4"), UploadClient.tusContent] + more
        return UploadClient.path(try await client.tus("POST", "/uploads/tus?expires=\(expires)", fields, "cont"))
    }

    private static func id(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

    @Test("A request for an upload that has expired removes it", arguments: ["tus", "ietf", "status"])
    func met(by asker: String) async throws {
        try await Self.withFolder { folder async throws in
            let clock = Clock()
            try await Self.serve(folder, clock) { client, uploads async throws in
                let path: String
                if asker == "ietf" {
                    let fields = [("Upload-Complete", "?0")]
                    path = UploadClient.path(try await client.ietf("POST", "/uploads/ietf?expires=60", fields, "cont"))
                } else {
                    path = try await Self.create(client, expires: 60)
                }
                clock.pass(59)
                try await expectEqual(client.server.ask("GET", path + "/status").status, 200)
                clock.pass(1)
                switch asker {
                case "tus": try await expectEqual(client.tus("HEAD", path).status, 410)
                case "ietf": try await expectEqual(client.ietf("HEAD", path).status, 410)
                default: try await expectEqual(client.server.ask("GET", path + "/status").status, 404)
                }
                #expect(try Self.ids(folder).isEmpty)
                #expect(uploads.statuses.isEmpty)
                try await expectEqual(client.server.ask("GET", path + "/status").status, 404)
            }
        }
    }

    @Test("A part that has expired is not joined, and is removed")
    func part() async throws {
        try await Self.withFolder { folder async throws in
            let clock = Clock()
            try await Self.serve(folder, clock) { client, _ async throws in
                let path = try await Self.create(client, expires: 60, ("Upload-Concat", "partial"))
                clock.pass(60)
                let fields = [("Upload-Concat", "final;\(path)")]
                try await expectEqual(client.tus("POST", "/uploads/tus", fields, "").status, 400)
                #expect(try Self.ids(folder).isEmpty)
            }
        }
    }

    @Test("A new server removes expired uploads, and leaves other files")
    func start() async throws {
        try await Self.withFolder { folder async throws in
            let clock = Clock()
            let (short, long) = try await Self.serve(folder, clock) { client, _ async throws in
                (try await Self.create(client, expires: 60), try await Self.create(client, expires: 600))
            }
            let damaged = String(repeating: "d", count: 32)
            for name in ["\(damaged).json", "\(damaged).content", "notes.json", "x.content"] {
                try Data("{".utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            }
            clock.pass(60)
            try await Self.serve(folder, clock) { client, _ async throws in
                try expectEqual(Self.ids(folder), [Self.id(long), damaged, "notes", "x"])
                try await expectEqual(client.tus("HEAD", short).status, 404)
                try await expectEqual(client.tus("HEAD", long).headers["Upload-Offset"], "4")
            }
        }
    }

    @Test("Expired uploads make room, whether or not they were requested", arguments: [true, false])
    func room(isKnown: Bool) async throws {
        try await Self.withFolder { folder async throws in
            let clock = Clock()
            let old = try await Self.serve(folder, clock, limit: 1) { client, _ async throws in
                try await Self.create(client, expires: 60)
            }
            try await Self.serve(folder, clock, limit: 1) { client, _ async throws in
                if isKnown { try await expectEqual(client.tus("HEAD", old).status, 200) }
                let fields = [("Upload-Length", "4")]
                try await expectEqual(client.tus("POST", "/uploads/tus", fields, "").status, 507)
                clock.pass(60)
                try await expectEqual(client.tus("POST", "/uploads/tus", fields, "").status, 201)
                try expectEqual(Self.ids(folder).count, 1)
                try await expectEqual(client.tus("HEAD", old).status, 404)
            }
        }
    }

    @Test("In memory, too")
    func memory() async throws {
        let clock = Clock()
        try await Self.serve(nil, clock, limit: 1) { client, uploads async throws in
            let path = try await Self.create(client, expires: 60)
            clock.pass(60)
            try await expectEqual(client.tus("HEAD", path).status, 410)
            #expect(uploads.statuses.isEmpty)
            try await expectEqual(client.tus("POST", "/uploads/tus", [("Upload-Length", "4")], "").status, 201)
        }
    }
}
