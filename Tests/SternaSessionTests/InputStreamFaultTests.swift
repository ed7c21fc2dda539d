#if Foundation
import Dispatch
import Foundation
import NIOCore
import Sterna
import SternaCore
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Input streams that misbehave", .timeLimit(.minutes(5)))
struct InputStreamFaultTests {
    private final class Scripted: InputStream {
        struct State {
            var reads = 0
            var closes = 0
            var status = Stream.Status.notOpen
            var timedOut = false
        }

        let state = Mutex(State())
        let answer: @Sendable (Scripted, UnsafeMutablePointer<UInt8>, Int) -> Int

        init(_ answer: @escaping @Sendable (Scripted, UnsafeMutablePointer<UInt8>, Int) -> Int) {
            self.answer = answer
            super.init(data: Data())
        }

        override var streamStatus: Stream.Status { state.withLock { $0.status } }
        override var streamError: (any Error)? { nil }
        override func open() { state.withLock { $0.status = .open } }

        override func close() {
            state.withLock { state in
                state.status = .closed
                state.closes += 1
            }
        }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
            state.withLock { $0.reads += 1 }
            return answer(self, buffer, maxLength)
        }
    }

    private func read(_ body: Body) async throws -> Int {
        var reader = BodyReader(body)
        var count = 0
        while let piece = try await reader.next() { count += piece.readableBytes }
        return count
    }

    @Test("A stream that reports more bytes than its buffer holds fails the body")
    func lying() async {
        await #expect(processExitsWith: .success) {
            let stream = Scripted { _, _, room in room + 1 }
            await #expect(throws: SternaError.self) {
                var reader = BodyReader(.stream(stream))
                while try await reader.next() != nil {}
            }
        }
    }

    @Test("A stream that fails is closed")
    func failing() async {
        let stream = Scripted { _, _, _ in -1 }
        let error = await #expect(throws: SternaError.self) { try await read(.stream(stream)) }
        expectEqual(error?.kind, .writeFailed)
        expectEqual(stream.state.withLock { $0.closes }, 1)
    }

    @Test("A stream is closed once: at its end, or when its reader is released")
    func closed() async throws {
        let stream = Scripted { stream, _, _ in stream.state.withLock { $0.reads } > 3 ? 0 : 5 }
        try await expectEqual(read(.stream(stream)), 15)
        expectEqual(stream.state.withLock { $0.closes }, 1)
        let other = Scripted { _, _, _ in 5 }
        do {
            var reader = BodyReader(.stream(other))
            try await expectEqual(reader.next()?.readableBytes, 5)
        }
        // The queue that read lets go of the reader when it comes to it.
        #expect(await eventually { other.state.withLock { $0.closes } == 1 })
    }

    @Test("Waiting streams do not occupy the threads that Swift tasks share")
    func waiting() async throws {
        let count = 2 * ProcessInfo.processInfo.activeProcessorCount
        let gate = DispatchSemaphore(value: 0)
        let streams = (0..<count).map { _ in
            Scripted { stream, _, _ in
                if gate.wait(timeout: .now() + 60) == .timedOut { stream.state.withLock { $0.timedOut = true } }
                return 0
            }
        }
        let tasks = streams.map { stream in
            let body = Body.stream(stream)
            return Task { try await read(body) }
        }
        // Every one of them waits at the same time, and this task goes on.
        while !streams.allSatisfy({ stream in stream.state.withLock { $0.reads > 0 || $0.timedOut } }) {
            try await Task.sleep(for: .milliseconds(5))
        }
        for _ in streams { gate.signal() }
        for task in tasks { try await expectEqual(task.value, 0) }
        #expect(streams.allSatisfy { stream in stream.state.withLock { !$0.timedOut } })
    }
}
#endif
