import HTTPTypes
import NIOCore
public import SternaCore
import SternaSerialization
import Synchronization

/// A task whose response is read while it arrives: as bytes, text, lines, or JSON lines.
///
///     let task = api.streamTask(.get("events"))
///     for try await line in task.lines { print(line) }
///
/// A slow reader holds back the server. The body can be read once, by one of the sequences. The task completes when the body ends.
/// It is cancelled when its reader stops early: because it leaves the loop, or because its Swift task is cancelled. A task that is
/// not read at all must be cancelled by ``SessionTask/cancel(silently:)``.
// Invariant: as in `SessionTask`.
public final class DataStreamTask: SessionTask, @unchecked Sendable {
    private let head = TaskOutcome<Response>()
    private let body = TaskOutcome<Void>()
    let endings = StreamEndings()

    /// The response's head, once it has arrived; throws the task's error. Its body is that of ``bytes``.
    public var value: Response {
        get async throws { try await head.value }
    }

    /// Waits until the body was read to its end; throws the task's error.
    public func finished() async throws { try await body.value }

    override func perform(_ prepared: Request) async {
        let request = reporting(prepared, delivery: .head)
        request.recorder?.requestBegan(request)
        do {
            let first = try await session.plan.send(request)
            var response = try await TaskReading(task: self).admit(first)
            request.recorder?.context?.received(response, body: nil)
            try await judge(response)
            response.sessionDecoding = session.plan.decoding
            let meter = Mutex(ProgressMeter(total: response.body.length))
            response.body = ResponseBody(
                ObservedBody(response.body) { [weak self] event in
                    guard let self else { return }
                    switch event {
                    case .piece(let count):
                        let progress = meter.withLock { meter in
                            let now = NIODeadline.now()
                            meter.add(count, at: now)
                            return meter.progress(at: now)
                        }
                        TaskReading(task: self).report(progress)
                    case .end(let error): over(error, request)
                    }
                })
            received(response)
            head.set(.success(response))
            // Retains the task until its body has ended.
            do { try await body.value } catch { response.body.cancel() }
        } catch {
            end(with: session.plan.describe(error, request))
        }
    }

    private func over(_ error: (any Error)?, _ request: Request) {
        guard let error else {
            request.recorder?.requestEnded()
            let isFirst = complete(nil) { [endings] in for call in endings.take() { call(nil) } }
            if isFirst { body.set(.success(())) }
            return
        }
        end(with: session.plan.describe(error, request))
    }

    override func end(with error: SternaError) {
        let isFirst = complete(error) { [endings] in for call in endings.take() { call(error) } }
        guard isFirst else { return }
        head.set(.failure(error))
        body.set(.failure(error))
    }
}

/// A body that reports its pieces and its end.
final class ObservedBody: BodyStream {
    enum Event: Sendable {
        case piece(Int)
        /// The end, with the error that a read threw.
        case end((any Error)?)
    }

    private let base: ResponseBody
    private let report: @Sendable (Event) -> Void

    // A body that arrived whole is one piece.
    private let whole: Mutex<Whole>

    private struct Whole {
        var piece: Bytes?
        /// Whether its end was read.
        var isOver = false
        var isCancelled = false

        /// Returns the piece, then nil; throws once the body is cancelled.
        mutating func next() throws(SternaError) -> Bytes? {
            if isCancelled { throw SternaError.cancelled(phase: .read) }
            guard let piece else {
                isOver = true
                return nil
            }
            self.piece = nil
            return piece
        }
    }

    init(_ base: ResponseBody, _ report: @escaping @Sendable (Event) -> Void) {
        self.base = base
        self.report = report
        whole = Mutex(Whole(piece: base.whole.flatMap { $0.readableBytes > 0 ? $0 : nil }))
    }

    func next() async throws -> Bytes? {
        do {
            let piece =
                if let stream = base.stream { try await stream.next() } else { try whole.withLock { try $0.next() } }
            report(piece.map { .piece($0.readableBytes) } ?? .end(nil))
            return piece
        } catch {
            report(.end(error))
            throw error
        }
    }

    func cancel() {
        base.cancel()
        whole.withLock { whole in
            whole.piece = nil
            // A body that was read to its end does not count as cancelled.
            if !whole.isOver { whole.isCancelled = true }
        }
        report(.end(SternaError.cancelled(phase: .read)))
    }

    var length: Int64? { base.length }
    var trailers: HTTPFields? { base.trailers }
}
