public import NIOCore
public import SternaCore
import SternaPlatform
import SternaSerialization

extension DataStreamTask {
    /// The body's bytes as they arrive, in pieces that are never empty. To store the sequence, declare the property as
    /// `any AsyncSequence<Bytes, any Error> & Sendable`.
    public var bytes: some AsyncSequence<Bytes, any Error> & Sendable { ByteStream(task: self) }

    /// The body's lines, without their ends (LF or CRLF), as UTF-8 with invalid bytes replaced. A line of more than 1 MiB ends the
    /// task with `limitExceeded`.
    public var lines: some AsyncSequence<String, any Error> & Sendable { lines(upTo: 1 << 20) }

    /// The body's lines.
    ///
    /// - Parameter limit: the maximum length of a line in bytes; a longer one throws `limitExceeded` and ends the task.
    public func lines(upTo limit: Int) -> some AsyncSequence<String, any Error> & Sendable {
        LineStream(task: self, limit: max(0, limit))
    }

    /// The body's lines, each decoded from JSON (JSON Lines, ndjson), whatever the media type; blank lines are skipped. A line that
    /// does not decode throws `decodingFailed`, one above the limit `limitExceeded`; both end the task.
    ///
    /// - Parameter limit: the maximum length of a line in bytes; 1 MiB by default.
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, upTo limit: Int = 1 << 20
    ) -> some AsyncSequence<Value, any Error> & Sendable {
        JSONLineStream<Value>(lines: LineStream(task: self, limit: max(0, limit)))
    }

    /// The body of a ``DataStreamTask`` as bytes.
    struct ByteStream: AsyncSequence, Sendable {
        typealias Element = Bytes
        let task: DataStreamTask

        func makeAsyncIterator() -> Iterator { Iterator(task: task) }

        /// Reads the body piece by piece.
        struct Iterator: AsyncIteratorProtocol {
            let task: DataStreamTask
            private var body: ResponseBody.AsyncIterator?
            private var reader: Reader?

            init(task: DataStreamTask) { self.task = task }

            /// Cancels a task whose reader stops before the end; shared by the copies of one iterator.
            private final class Reader: Sendable {
                private let task: DataStreamTask

                init(_ task: DataStreamTask) { self.task = task }

                // Has no effect on a task that is complete.
                deinit { task.cancel() }
            }

            /// Returns the next bytes, never empty; nil at the end. Throws the task's error.
            mutating func next() async throws -> Bytes? {
                if reader == nil { reader = Reader(task) }
                if body == nil { body = try await task.value.body.makeAsyncIterator() }
                return try await body?.next()
            }
        }
    }

    /// The body of a ``DataStreamTask`` as lines.
    struct LineStream: AsyncSequence, Sendable {
        typealias Element = String
        let task: DataStreamTask
        let limit: Int

        func makeAsyncIterator() -> Iterator { Iterator(task: task, limit: limit) }

        /// Reads the body line by line.
        struct Iterator: AsyncIteratorProtocol {
            let task: DataStreamTask
            private var reader: LineReader<ByteStream.Iterator>

            init(task: DataStreamTask, limit: Int) {
                self.task = task
                reader = LineReader(ByteStream(task: task).makeAsyncIterator(), limit: limit)
            }

            /// Returns the next line; nil at the end. Throws the task's error, and `limitExceeded` for a line that is too long.
            mutating func next() async throws -> String? {
                try await nextLine().map { String(decoding: $0.readableBytesView, as: UTF8.self) }
            }

            mutating func nextLine() async throws -> Bytes? {
                do {
                    return try await reader.next()
                } catch {
                    // A line that is too long ends the task, as nothing more of it will be read.
                    if let error = error as? SternaError, error.kind == .limitExceeded { task.end(with: error) }
                    throw error
                }
            }
        }
    }

    /// The body of a ``DataStreamTask`` as values from JSON lines.
    struct JSONLineStream<Value: Decodable & Sendable>: AsyncSequence, Sendable {
        typealias Element = Value
        let lines: LineStream

        func makeAsyncIterator() -> Iterator { Iterator(lines: lines.makeAsyncIterator()) }

        /// Reads the body value by value.
        struct Iterator: AsyncIteratorProtocol {
            var lines: LineStream.Iterator

            /// Returns the next value; nil at the end. Throws the task's error, and `decodingFailed` for a line that does not fit.
            mutating func next() async throws -> Value? {
                while let line = try await lines.nextLine() {
                    guard !line.isBlank else { continue }
                    let task = lines.task
                    let response = try await task.value
                    let reply = Reply(response, body: line, plan: task.session.plan, ownSerializer: nil)
                    do throws(SternaError) {
                        return try reply.make(
                            by: DecodableResponseSerializer<Value>(
                                validation: ResponseValidation(), decoding: task.session.plan.settings.decoding))
                    } catch {
                        task.end(with: error)
                        throw error
                    }
                }
                return nil
            }
        }
    }
}
