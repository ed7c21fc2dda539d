#if Foundation
import Dispatch
public import Foundation
import NIOCore
import SternaCore

extension DataStreamTask {
    /// The body as Foundation's input stream, for code that reads one.
    ///
    /// `read` blocks its thread until bytes arrive; nothing is read ahead, so a slow reader holds back the server. It fails where a
    /// thread must not block, as ``DataTask/startSynchronous()`` does: on event loops, in Swift tasks off the main thread, and on
    /// the main thread if the task waits for a closure there. `streamError` is the task's ``SternaCore/SternaError``. The stream
    /// calls no delegate and belongs to no run loop. Closing it before its end, or releasing it, cancels the task. The body can be
    /// read once, by this or by one of the sequences.
    public func inputStream() -> InputStream { TaskInputStream(self) }
}

/// A stream whose reader pulls the pieces of a task's body.
///
/// A subclass, since Foundation on Linux has no pair of bound streams. One thread at a time may use it, as every stream of
/// Foundation's.
final class TaskInputStream: InputStream {
    private let task: DataStreamTask
    private var fetcher: PieceFetcher?
    private var rest = Bytes()
    private var status = Status.notOpen
    private var failure: SternaError?

    init(_ task: DataStreamTask) {
        self.task = task
        fetcher = PieceFetcher(task)
        super.init(data: Data())
    }

    deinit {
        if status != .atEnd { task.cancel() }
    }

    override func open() {
        if status == .notOpen { status = .open }
    }

    override func close() {
        // Has no effect on a task that is complete.
        if status != .atEnd { task.cancel() }
        fetcher = nil
        rest = Bytes()
        status = .closed
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        guard status == .open else { return status == .atEnd ? 0 : -1 }
        guard length > 0 else { return 0 }
        do throws(SternaError) {
            if rest.readableBytes == 0 {
                guard let piece = try piece() else {
                    status = .atEnd
                    return 0
                }
                rest = piece
            }
        } catch {
            failure = error
            status = .error
            return -1
        }
        let count = min(length, rest.readableBytes)
        rest.readWithUnsafeReadableBytes { bytes in
            // Both have room for `count` bytes.
            UnsafeMutableRawBufferPointer(start: buffer, count: count).copyBytes(from: bytes.prefix(count))
            return count
        }
        return count
    }

    private func piece() throws(SternaError) -> Bytes? {
        if let refusal = task.refusal(ofBlocking: "Reading the stream") { throw refusal }
        return try fetcher?.next()
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    override var hasBytesAvailable: Bool { status == .open }
    override var streamStatus: Status { status }
    override var streamError: (any Error)? { failure }
    override func schedule(in loop: RunLoop, forMode mode: RunLoop.Mode) {}
    override func remove(from loop: RunLoop, forMode mode: RunLoop.Mode) {}
}

/// Reads pieces of a body for a thread that waits for them.
// Invariant: a piece is fetched after the last one has come, so that one access at a time reaches the stored properties.
private final class PieceFetcher: @unchecked Sendable {
    private var pieces: DataStreamTask.ByteStream.Iterator
    private var piece: Result<Bytes?, SternaError> = .success(nil)

    init(_ task: DataStreamTask) { pieces = DataStreamTask.ByteStream(task: task).makeAsyncIterator() }

    func next() throws(SternaError) -> Bytes? {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            await self.fetch()
            done.signal()
        }
        done.wait()
        return try piece.get()
    }

    private func fetch() async {
        do {
            piece = .success(try await pieces.next())
        } catch {
            piece = .failure(SternaError.wrap(error, as: .connectionClosed, phase: .read, "\(error)"))
        }
    }
}
#endif
