import HTTPTypes
import NIOCore
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Coalescing: bodies", .timeLimit(.minutes(5)))
struct CoalescingBodyTests {
    private static let pieces = CountedPieces.numbered(20, of: 1_000)

    /// A scene whose window has room for four pieces.
    private func makeScene(
        _ body: CountedPieces, _ fields: ServerHeaders = [:], gate: Gate,
        rest: @escaping @Sendable (Request) -> ServerResponse = { _ in .text("", status: 500) }
    ) throws -> CoalescingScene {
        try CoalescingScene {
            $0.coalescingLimits = .init(window: 4_000)
        } answer: { request, number in
            if number > 0 { return rest(request) }
            await gate.wait()
            return .init(headers: fields, body: ResponseBody(body))
        }
    }

    /// Reads the body; each piece waits for a gate.
    private func slowReader(
        _ scene: CoalescingScene, _ gate: Gate, first: Counter = Counter()
    ) -> Task<Int, any Error> {
        Task {
            try await scene.api.withResponse(to: .get("a")) { response in
                var sum = 0
                for try await piece in response.body {
                    for byte in piece.readableBytesView {
                        guard byte == UInt8(sum / 1_000) else {
                            throw SternaError(.malformedResponse, phase: .read, "Wrong bytes.")
                        }
                        sum += 1
                    }
                    first.add(1)
                    await gate.wait()
                }
                return sum
            }
        }
    }

    @Test("Readers get the same bytes, and a reader that reads nothing holds nothing up that fits the window")
    func equal() async throws {
        let (gate, open) = (Gate(), Gate())
        open.open()
        let scene = try makeScene(CountedPieces(Self.pieces), gate: gate)
        let requests = (0..<3).map { _ in slowReader(scene, open) }
        await scene.waitForReaders(3)
        gate.open()
        for request in requests { try await expectEqual(request.value, 20_000) }
        #expect(scene.sent == 1 && scene.isQuiet)
    }

    @Test("The body is read no faster than its fastest reader asks")
    func backPressure() async throws {
        let (gate, hold, first) = (Gate(), Gate(), Counter())
        let body = CountedPieces(Self.pieces)
        let scene = try makeScene(body, gate: gate)
        let requests = (0..<2).map { _ in slowReader(scene, hold, first: first) }
        await scene.waitForReaders(2)
        gate.open()
        #expect(await eventually { first.value == 2 })
        expectEqual(body.taken, 1)
        hold.open()
        for request in requests { try await expectEqual(request.value, 20_000) }
    }

    @Test(
        "A slow reader delays the others by a second in all; then it reads what it has, and fails without a validator")
    func slow() async throws {
        let (gate, open, hold, first) = (Gate(), Gate(), Gate(), Counter())
        open.open()
        let body = CountedPieces(Self.pieces)
        let scene = try makeScene(body, gate: gate)
        let fast = slowReader(scene, open)
        let slow = slowReader(scene, hold, first: first)
        await scene.waitForReaders(2)
        gate.open()
        // The slow one has taken one piece, the window has room for four more, and a timer runs besides that of the deadlines.
        #expect(await eventually { first.value == 1 && body.taken == 5 && scene.time.timerCount == 2 })
        await scene.time.advance(by: .milliseconds(999))
        expectEqual(body.taken, 5)
        await scene.time.advance(by: .milliseconds(1))
        try await expectEqual(fast.value, 20_000)
        hold.open()
        await expectEqual(failure(of: slow), .limitExceeded)
        #expect(first.value == 5 && scene.sent == 1 && scene.isQuiet)
    }

    @Test("With a strong entity tag a slow reader fetches the rest for itself", arguments: [206, 200, 404])
    func rest(status: Int) async throws {
        let (gate, open, hold, first) = (Gate(), Gate(), Gate(), Counter())
        open.open()
        let body = CountedPieces(Self.pieces)
        let scene = try makeScene(body, ["ETag": "\"a\""], gate: gate) { request in
            guard request.headers[.range] == "bytes=5000-", request.headers[.ifRange] == "\"a\"" else {
                return .text("", status: 500)
            }
            var fields: ServerHeaders = ["ETag": "\"a\""]
            if status == 206 { fields[.contentRange] = "bytes 5000-19999/20000" }
            let pieces = status == 206 ? Array(Self.pieces[5...]) : Self.pieces
            return .init(status: status, headers: fields, body: ResponseBody(CountedPieces(pieces)))
        }
        let fast = slowReader(scene, open)
        let slow = slowReader(scene, hold, first: first)
        await scene.waitForReaders(2)
        gate.open()
        #expect(await eventually { first.value == 1 && body.taken == 5 && scene.time.timerCount == 2 })
        await scene.time.advance(by: .seconds(1))
        try await expectEqual(fast.value, 20_000)
        hold.open()
        if status == 404 {
            await expectEqual(failure(of: slow), .limitExceeded)
        } else {
            try await expectEqual(slow.value, 20_000)
        }
        #expect(scene.sent == 2 && scene.isQuiet)
    }

    @Test("The others go on at once when a slow reader leaves")
    func slowLeaves() async throws {
        let (gate, open, hold) = (Gate(), Gate(), Gate())
        open.open()
        let scene = try makeScene(CountedPieces(Self.pieces), gate: gate)
        let fast = slowReader(scene, open)
        let deadline = scene.time.deadline + .milliseconds(500)
        let slow = Task {
            try await scene.api.withResponse(to: .get("a") { $0.deadline = deadline }) { response in
                await hold.wait()
                return try await response.body.collect(upTo: 1 << 20).count
            }
        }
        await scene.waitForReaders(2)
        gate.open()
        await scene.time.waitForTimer(within: .milliseconds(500))
        await scene.time.advance(by: .milliseconds(500))
        try await expectEqual(fast.value, 20_000)
        hold.open()
        await expectEqual(failure(of: slow), .timedOut)
    }

    @Test("What a body fails with reaches all readers, after the bytes before it")
    func failing() async throws {
        let (gate, open) = (Gate(), Gate())
        open.open()
        let body = CountedPieces(Self.pieces, failure: SternaError(.truncated, phase: .read, "The mock broke off."))
        let scene = try makeScene(body, gate: gate)
        let counts = (0..<3).map { _ in Counter() }
        let requests = counts.map { slowReader(scene, open, first: $0) }
        await scene.waitForReaders(3)
        gate.open()
        for request in requests { await expectEqual(failure(of: request), .truncated) }
        expectEqual(counts.map(\.value), [20, 20, 20])
    }

    @Test("Trailer fields reach all readers, and a body that has ended stays so")
    func trailers() async throws {
        let gate = Gate()
        let scene = try makeScene(CountedPieces(Self.pieces), gate: gate)
        let requests = (0..<2).map { _ in
            Task {
                try await scene.api.withResponse(to: .get("a")) { response in
                    var iterator = response.body.makeAsyncIterator()
                    while try await iterator.next() != nil {}
                    let again = try await iterator.next()
                    return (response.body.trailers?[.eTag], again?.count)
                }
            }
        }
        await scene.waitForReaders(2)
        gate.open()
        for request in requests {
            let (tag, again) = try await request.value
            #expect(tag == "\"end\"" && again == nil)
        }
    }

    @Test("A cancelled read leaves the body as it is for another")
    func cancelledRead() async throws {
        let (gate, rest) = (Gate(), Gate())
        let scene = try makeScene(CountedPieces(Self.pieces, gate: rest, held: 1), gate: gate)
        gate.open()
        let count = try await scene.api.withResponse(to: .get("a")) { response in
            let stream = try #require(response.body.stream)
            var sum = try await stream.next()?.count ?? 0
            let read = Task { try await stream.next() }
            read.cancel()
            await expectEqual(failure(of: read), .cancelled)
            rest.open()
            while let piece = try await stream.next() { sum += piece.count }
            return sum
        }
        expectEqual(count, 20_000)
    }
}
