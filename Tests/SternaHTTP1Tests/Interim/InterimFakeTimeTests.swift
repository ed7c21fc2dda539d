import HTTPTypes
import NIOCore
import NIOEmbedded
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// An interim response is not the first byte of the answer, and begins the time to it anew; on a clock of the test's own.
@Suite("Interim responses on a fake clock", .timeLimit(.minutes(5)))
struct InterimFakeTimeTests {
    private func interim(_ status: String) -> String { "HTTP/1.1 \(status)\r\nLink: </a>\r\n\r\n" }

    private func start(
        _ fake: FakeConnection, firstByte: Duration, betweenBytes: Duration
    ) async throws -> Task<Response, any Error> {
        try await fake.start {
            $0.timeouts.firstByte = firstByte
            $0.timeouts.betweenBytes = betweenBytes
        }
    }

    private func expectTimeout(
        _ phase: SternaError.Phase, _ fake: FakeConnection, _ task: Task<Response, any Error>,
        location: SourceLocation = #_sourceLocation
    ) async {
        #expect(!fake.isOpen, sourceLocation: location)
        // Where it goes on too long, it is to end all the same.
        await fake.advance(5_000)
        let error = await FakeConnection.error(task)
        expectEqual(error?.kind, .timedOut, sourceLocation: location)
        expectEqual(error?.phase, phase, sourceLocation: location)
    }

    @Test(
        "The time to the first byte restarts after each of them",
        arguments: ["100 Continue", "102 Processing", "103 Early Hints", "199 Whatever"], [1, 3, 16])
    func silence(status: String, count: Int) async throws {
        let fake = try await FakeConnection()
        let task = try await start(fake, firstByte: .seconds(10), betweenBytes: .seconds(1_000))
        for _ in 0..<count {
            await fake.advance(9)
            #expect(fake.isOpen)
            try await fake.receive(interim(status))
        }
        await fake.advance(9)
        #expect(fake.isOpen)
        await fake.advance(1)
        await expectTimeout(.wait, fake, task)
    }

    @Test("An interim response in two pieces counts when it is complete")
    func pieces() async throws {
        let fake = try await FakeConnection()
        let task = try await start(fake, firstByte: .seconds(10), betweenBytes: .seconds(1_000))
        try await fake.receive("HTTP/1.1 103 Early Hints\r\nLi")
        await fake.advance(9)
        #expect(fake.isOpen)
        try await fake.receive("nk: </a>\r\n\r\n")
        await fake.advance(9)
        #expect(fake.isOpen)
        await fake.advance(1)
        await expectTimeout(.wait, fake, task)
    }

    @Test("The limit between bytes begins with the final response, not with interim ones")
    func patience() async throws {
        let fake = try await FakeConnection()
        let task = try await start(fake, firstByte: .seconds(1_000), betweenBytes: .seconds(10))
        try await fake.receive(interim("103 Early Hints"))
        await fake.advance(500)
        #expect(fake.isOpen)
        try await fake.receive("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n" + "half")
        await fake.advance(9)
        #expect(fake.isOpen)
        await fake.advance(1)
        await expectTimeout(.read, fake, task)
    }

    @Test(
        "Bytes after an interim response begin the final one, in the same piece or the next", arguments: [false, true])
    func halfAHead(isApart: Bool) async throws {
        let fake = try await FakeConnection()
        let task = try await start(fake, firstByte: .seconds(1_000), betweenBytes: .seconds(10))
        let (first, second) = (interim("103 Early Hints"), "HTTP/1.1 2")
        let pieces = isApart ? [first, second] : [first + second]
        for piece in pieces { try await fake.receive(piece) }
        await fake.advance(9)
        #expect(fake.isOpen)
        await fake.advance(1)
        await expectTimeout(.read, fake, task)
    }
}
