import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

/// What is stored between a connection and a slow reader is bounded, whatever the size of the pieces.
@Suite("The buffer between connection and reader")
struct BodyPipeTests {
    private func pipe() -> BodyPipe { BodyPipe(resume: {}, abandon: {}) }

    @Test("Small slices of large reads do not keep the reads alive")
    func smallSlices() async throws {
        let pipe = pipe()
        for value in 0..<1_000 {
            var read = ByteBuffer(repeating: UInt8(truncatingIfNeeded: value), count: 256 << 10)
            if let slice = read.readSlice(length: 1) { pipe.push(slice) }
        }
        pipe.end(.success(nil))
        var received: [UInt8] = []
        var pieces = 0
        while let piece = try await pipe.next() {
            #expect(piece.storageCapacity <= 16 << 10)
            received.append(contentsOf: piece.array)
            pieces += 1
        }
        expectEqual(received, (0..<1_000).map { UInt8(truncatingIfNeeded: $0) })
        #expect(pieces < 10)
    }

    @Test("Order and content are kept across sizes, with a reader that is always behind")
    func behind() async throws {
        let pipe = pipe()
        var sent: [UInt8] = []
        var received: [UInt8] = []
        for round in 0..<2_000 {
            let piece = [UInt8](
                repeating: UInt8(truncatingIfNeeded: round), count: [1, 3, 4_095, 4_096, 5_000][round % 5])
            sent += piece
            pipe.push(ByteBuffer(bytes: piece))
            if round > 3, let taken = try await pipe.next() { received += taken.array }
        }
        pipe.end(.success(nil))
        while let taken = try await pipe.next() { received += taken.array }
        expectEqual(received, sent)
    }

    @Test("It pauses the connection when full, and resumes it when half was read")
    func full() async throws {
        let (resumes, resume) = AsyncStream<Void>.makeStream()
        let pipe = BodyPipe(resume: { resume.yield() }, abandon: {})
        #expect(!pipe.pauseIfFull())
        for _ in 0..<4 { pipe.push(ByteBuffer(repeating: 1, count: BodyPipe.capacity / 4)) }
        #expect(pipe.pauseIfFull())
        for _ in 0..<3 { _ = try await pipe.next() }
        for await _ in resumes { break }
        #expect(!pipe.pauseIfFull())
    }

    @Test("A waiting reader is woken for the minimum of bytes, not for fewer, and for the end")
    func atLeast() async throws {
        let pipe = pipe()
        expectEqual(pipe.deliver(), .notNeeded)
        async let first = pipe.next()
        while !pipe.hasReader { await Task.yield() }
        expectEqual(pipe.deliver(), .notNeeded)
        pipe.push(ByteBuffer(repeating: 1, count: 60))
        expectEqual(pipe.deliver(atLeast: 61), .isHeld(60))
        #expect(pipe.isKeptUpWith)
        pipe.push(ByteBuffer(repeating: 2, count: 40))
        expectEqual(pipe.deliver(atLeast: 100), .isDone(100))
        try await expectEqual(first?.readableBytes, 100)
        expectEqual(pipe.deliver(), .notNeeded)
        async let second = pipe.next()
        while !pipe.hasReader { await Task.yield() }
        pipe.push(ByteBuffer())
        expectEqual(pipe.deliver(), .notNeeded)
        pipe.push(ByteBuffer(repeating: 3, count: 5))
        expectEqual(pipe.deliver(atLeast: 6), .isHeld(5))
        pipe.end(.success(nil))
        try await expectEqual(second?.readableBytes, 5)
        try await expectNil(pipe.next())
    }

    @Test("A cancelled read throws and leaves the body to the next one; nothing of it is lost")
    func cancelledRead() async throws {
        let abandoned = Counter()
        let pipe = BodyPipe(resume: {}, abandon: { abandoned.add() })
        for round in 0..<20 {
            let reader = Task { try await pipe.next() }
            if round % 2 == 0 { while !pipe.hasReader { await Task.yield() } }
            reader.cancel()
            let error = await #expect(throws: SternaError.self) { try await reader.value }
            expectEqual(error?.kind, .cancelled)
            #expect(!pipe.hasReader)
        }
        pipe.push(ByteBuffer(string: "late"))
        try await expectEqual(pipe.next().map { String(buffer: $0) }, "late")
        async let last = pipe.next()
        while !pipe.hasReader { await Task.yield() }
        pipe.end(.success(nil))
        try await expectNil(last)
        expectEqual(abandoned.value, 0)
    }

    @Test("Cancelling the body ends the read under way and every later one, and gives up the transfer once")
    func cancelledBody() async throws {
        let abandoned = Counter()
        let pipe = BodyPipe(resume: {}, abandon: { abandoned.add() })
        let reader = Task { try await pipe.next() }
        while !pipe.hasReader { await Task.yield() }
        pipe.cancel()
        pipe.cancel()
        for _ in 0..<2 {
            let error = await #expect(throws: SternaError.self) { _ = try await pipe.next() }
            expectEqual(error?.kind, .cancelled)
        }
        await #expect(throws: SternaError.self) { try await reader.value }
        expectEqual(abandoned.value, 1)
    }
}
