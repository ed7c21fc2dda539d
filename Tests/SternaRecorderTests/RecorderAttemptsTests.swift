import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaRecorder
@testable import SternaTestSupport

/// Attempts of which the recorder knows only a part, and the memory of calls that still run.
@Suite("Recorder: attempts", .timeLimit(.minutes(5)))
struct RecorderAttemptsTests {
    private let limits = Recorder.Limits()

    /// A call with an attempt for each reason, of which the given ones have transfers that `pass` has completed.
    private func exchange(
        _ reasons: [AttemptMetrics.Reason], _ pass: (Int, RecordedTransfer) -> Void
    ) throws -> Recorder.Exchange {
        let url = try HTTPURL("http://a.test/")
        let budget = RecordingBudget(RecorderMemory(limits))
        var state = RecordedCall.State()
        state.request = RequestHead(.get, url, [:], secretHeaders: [])
        state.started = Date()
        var metrics = RequestMetrics(id: 1)
        for (index, reason) in reasons.enumerated() {
            metrics.attempts.append(AttemptMetrics(reason: reason, method: "GET", url: url, start: .zero))
            var request = Request(.get, url)
            let transfer = RecordedTransfer(&request, budget, limits)
            pass(index + 1, transfer)
            if transfer.snapshot.number != nil { state.transfers.append(transfer) }
        }
        state.metrics = metrics
        return try #require(Recorder.Exchange(state, limits: limits))
    }

    private func response(_ body: ResponseBody) throws -> Response {
        Response(
            status: .ok, version: .http11, section: FieldSection([:]), body: body, url: try HTTPURL("http://a.test/"))
    }

    @Test("The size of a body is unknown for an attempt that the engine has repeated")
    func repeated() throws {
        let response = try response(ResponseBody(Bytes()))
        let exchange = try exchange([.first, .staleConnection]) { number, transfer in
            if number == 2 { _ = transfer.received(response, number: 2) }
        }
        var room = HARWriter.usualRoom
        expectEqual(exchange.entries(showsSecrets: true, room: &room).map(\.request.bodySize), [nil, 0])
        let read = RecorderFolder.exchanges(
            try exchange.json(showsSecrets: true).serialized(), limits: limits)
        expectEqual(
            read.flatMap { $0.0.entries(showsSecrets: true, room: &room) }.map(\.request.bodySize), [nil, 0])
    }

    @Test("A hedged copy whose head came too late is cancelled; the response of the other one is not")
    func hedged() throws {
        let late = try response(ResponseBody(Never()))
        let whole = try response(ResponseBody(Bytes(text: "a")))
        let exchange = try exchange([.first, .hedge]) { number, transfer in
            _ = transfer.received(number == 1 ? late : whole, number: number)
        }
        expectEqual(exchange.attempts.map(\.error), ["cancelled", nil])
        expectEqual(exchange.attempts.map { $0.response?.status.code }, [200, 200])
    }

    @Test("Heads of running attempts count in the recorder's bytes, and return them")
    func heads() throws {
        var limits = Recorder.Limits()
        limits.bytes = 1_200
        let memory = RecorderMemory(limits)
        do {
            let budget = RecordingBudget(memory)
            var request = Request(.get, try HTTPURL("http://a.test/"))
            let transfer = RecordedTransfer(&request, budget, limits)
            #expect(transfer.snapshot.headBytes >= 512 && !memory.take(700, of: .heads))
            _ = transfer.received(try response(ResponseBody(Bytes())), number: 1)
            #expect(memory.take(1, of: .heads))
            memory.release(1)
        }
        #expect(memory.take(1_200, of: .heads))
    }

    @Test("A body from a file is kept by its media type up to the limit; of others only the size is")
    func files() async throws {
        try await Downloading.withFolder { parent in
            let path = parent + "/body"
            try PrivateFile(path: path).write(Array("a tern".utf8))
            for (limit, type, isKept) in [(6, "text/plain", true), (5, "text/plain", false), (6, "image/png", false)] {
                let scene = RecorderScene { $0.bodyBytes = limit }
                let api = try scene.mocked { _ in .text("a") }
                try await api.put("a", body: .file(path, mediaType: type))
                let body = try #require(await scene.recorder.exchanges().first?.attempts.first?.requestBody)
                expectEqual(body.size, 6, "\(limit) \(type)")
                expectEqual(body.bytes?.text, isKept ? "a tern" : nil, "\(limit) \(type)")
            }
        }
    }

    @Test("A relative folder is resolved once")
    func folder() async throws {
        try await Downloading.withFolder { parent in
            let here = FileManager.default.currentDirectoryPath
            let up = String(repeating: "../", count: here.split(separator: "/").count)
            let path = up + parent.drop { $0 == "/" } + "/recording"
            let folder = try RecorderFolder(path, limits, keepsSecrets: false)
            expectEqual(folder.path, here + "/" + path)
            expectEqual(FileStatus(path: parent + "/recording")?.isDirectory, true)
        }
    }
}

/// A body that never arrives.
private final class Never: BodyStream {
    func next() async throws -> Bytes? { nil }
    func cancel() {}
    var length: Int64? { nil }
    var trailers: HTTPFields? { nil }
}
