import NIOCore
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaRecorder
@testable import SternaTestSupport

/// A recorder whose exchanges outlive the program.
@Suite("Recorder: folder", .timeLimit(.minutes(5)))
struct RecorderFolderTests {
    /// Records calls, and waits until they are in the folder and the recorder is released.
    private func record(
        _ paths: [String], in folder: String, _ change: (inout Recorder.Limits) -> Void = { _ in }
    ) async throws -> HARDocument {
        var limits = Recorder.Limits()
        change(&limits)
        let recorder = try await opened(folder, limits)
        let api = try RecorderScene(recorder).mocked { request in
            request.url.path == "/old" ? .redirect(to: "/new") : .json(["path": .string(request.url.path)])
        }
        for path in paths { try await api.post(path, json: ["a": 1]) }
        try await recorder.flush()
        return await recorder.har(includingSecrets: true)
    }

    /// Opens a folder, which the thread of an earlier recorder's events may still have.
    private func opened(_ folder: String, _ limits: Recorder.Limits = .init()) async throws -> Recorder {
        var opened: Recorder?
        #expect(
            await eventually {
                opened = try? Recorder(folder: folder, limits: limits)
                return opened != nil
            })
        return try #require(opened)
    }

    private func paths(_ recorder: Recorder) async -> [String] {
        await recorder.exchanges().map { String($0.request.url.path.dropFirst()) }
    }

    @Test("A new recorder has the exchanges of earlier ones, with the same document")
    func outlives() async throws {
        try await Downloading.withFolder { parent in
            let folder = parent + "/deep/recording"
            let first = try await record(["a", "old", "b"], in: folder)
            let later = try await opened(folder)
            expectEqual(await paths(later), ["a", "old", "b"])
            expectEqual(await later.har(includingSecrets: true).entries.map(\.json), first.entries.map(\.json))
            let exchange = try #require(await later.exchanges().first)
            expectEqual(exchange.attempts.first?.requestBody?.bytes?.text, #"{"a":1}"#)
            expectEqual(exchange.attempts.first?.responseContent?.text, #"{"path":"/a"}"#)
            #expect(exchange.attempts.first?.metrics.wait != nil)
            await later.clear()
            expectEqual(await paths(later), [])
        }
    }

    @Test("One recorder at a time has a folder; a folder that others may change is refused")
    func exclusive() async throws {
        try await Downloading.withFolder { parent in
            let folder = parent + "/recording"
            let recorder = try Recorder(folder: folder)
            let error = #expect(throws: SternaError.self) { try Recorder(folder: folder) }
            expectEqual(error?.kind, .writeFailed)
            try await recorder.flush()
            for bad in ["", "\(parent)/a\0b"] {
                expectEqual(#expect(throws: SternaError.self) { try Recorder(folder: bad) }?.kind, .writeFailed)
            }
            chmod(parent, 0o777)
            expectEqual(#expect(throws: SternaError.self) { try Recorder(folder: parent) }?.kind, .writeFailed)
            chmod(parent, 0o700)
        }
    }

    @Test("A torn last line and lines of other programs are skipped, and the next exchange is read again")
    func torn() async throws {
        try await Downloading.withFolder { folder in
            chmod(folder, 0o700)
            _ = try await record(["a", "b"], in: folder)
            let file = PrivateFile(path: folder + "/exchanges-1")
            let bytes = try #require(try file.read(upTo: 1 << 20))
            let other: [UInt8] = Array("{\"id\":\"1\"}\n[1]\nx\u{0}\n".utf8)
            try file.write(other + bytes.dropLast(20))
            _ = try await record(["c"], in: folder)
            let later = try await opened(folder)
            expectEqual(await paths(later), ["a", "c"])
        }
    }

    @Test("Too many fields and times that run backwards are left out; the names of marked fields stay")
    func foreign() throws {
        let fields = Array(repeating: #"{"name":"a","value":"b"}"#, count: 70_000).joined(separator: ",")
        let line = #"""
            {"id":"7","started":1,"duration":5,"marked":["x-own"],
            "request":{"method":"GET","url":"http://h/","headers":[{"name":"X-Own","value":"s3cret"},\#(fields)]},
            "attempts":[{"entry":{"request":{"method":"GET","url":"http://h/","headers":[]},
            "response":{"status":200,"headers":[\#(fields)],"content":{"size":0,"mimeType":""}}},
            "metrics":{"reason":"first","whole":[0,9],"wait":[8,2],"read":[2,8]}}]}
            """#
        let found = RecorderFolder.exchanges(Array(line.utf8.filter { $0 != 0x0A }), limits: Recorder.Limits())
        expectEqual(found.count, 1)
        let exchange = try #require(found.first?.0)
        expectEqual(exchange.request.headers["X-Own"], "s3cret")
        #expect(!dumped(exchange.request).contains("s3cret"))
        expectEqual(exchange.head.headers.count, HARDocument.mostFields)
        let attempt = try #require(exchange.attempts.first)
        expectNil(attempt.metrics.wait)
        expectEqual(attempt.metrics.read?.duration, .nanoseconds(6))
        // The export of a document's entry has the same bound.
        let long = HARDocument.Request(
            method: "GET", url: "http://h/", headers: Array(repeating: .init(name: "a", value: "b"), count: 70_000))
        let error = #expect(throws: SternaError.self) {
            try HARDocument.Entry(started: exchange.started, request: long).exported(as: .curl)
        }
        expectEqual(error?.kind, .invalidHeader)
    }

    @Test("The files keep the latest exchanges, between the limit and twice as many")
    func rotation() async throws {
        try await Downloading.withFolder { folder in
            chmod(folder, 0o700)
            _ = try await record((1...8).map { "\($0)" }, in: folder) { $0.exchanges = 3 }
            for name in ["exchanges-1", "exchanges-1-older"] {
                let lines = try PrivateFile(path: "\(folder)/\(name)").read(upTo: 1 << 20)?.count { $0 == 0x0A }
                #expect((1...3).contains(lines ?? 0), "\(name)")
            }
            var limits = Recorder.Limits()
            limits.exchanges = 3
            let later = try await opened(folder, limits)
            expectEqual(await paths(later), ["6", "7", "8"])
        }
    }

    @Test("A recorder with a smaller limit of bytes has the latest exchanges")
    func smaller() async throws {
        try await Downloading.withFolder { parent in
            let folder = parent + "/recording"
            _ = try await record((1...20).map { "\($0)" }, in: folder)
            var limits = Recorder.Limits()
            limits.bytes = 8_000
            let size = try PrivateFile(path: folder + "/exchanges-1").read(upTo: 1 << 20)?.count ?? 0
            #expect(size > 2 * limits.bytes)
            let found = await paths(try await opened(folder, limits))
            expectEqual(found.last, "20")
            #expect(found.count < 20)
        }
    }

    @Test("An exchange that is too long as JSON is an error of flush")
    func tooLong() async throws {
        try await Downloading.withFolder { parent in
            var limits = Recorder.Limits()
            limits.bytes = 10_000
            let recorder = try await opened(parent + "/recording", limits)
            // Each quotation mark is two bytes of JSON.
            let api = try RecorderScene(recorder).mocked { _ in .text(String(repeating: "\"", count: 6_000)) }
            try await api.get("a")
            expectEqual(await paths(recorder), ["a"])
            let error = await #expect(throws: SternaError.self) { try await recorder.flush() }
            expectEqual(error?.kind, .writeFailed)
        }
    }

    @Test("A folder that is removed or full of something else is an error of flush, and the calls succeed")
    func failures() async throws {
        try await Downloading.withFolder { parent in
            let folder = parent + "/recording"
            let recorder = try Recorder(folder: folder)
            mkdir(folder + "/exchanges-1", 0o700)
            let api = try RecorderScene(recorder).mocked { _ in .text("a") }
            try await api.get("a")
            let error = await #expect(throws: SternaError.self) { try await recorder.flush() }
            expectEqual(error?.kind, .writeFailed)
            expectEqual(await paths(recorder), ["a"])
            // Each failure is reported once.
            try await recorder.flush()
        }
    }
}
