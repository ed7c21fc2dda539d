import DequeModule
import HTTPTypes
import NIOCore
import NIOPosix
import SternaCore

/// Writes a request's body to its codec, segment by segment, at the pace of the network.
// Invariant: everything is touched on the codec's event loop only.
final class BodyWriter: @unchecked Sendable {
    /// A body of at most this many bytes leaves in one write with the head.
    static let inlineBytes = 64 << 10

    /// The size of a file region handed to the kernel at once. A larger region would delay the detection of a file that shrinks.
    static let regionBytes = 1 << 20

    /// The size of a file piece that is read into memory. Short ranges are read, too, since a region would hold its descriptor
    /// until the network has taken it.
    static let pieceBytes = 256 << 10

    let body: Body
    private let declaredLength: Int64?
    let loop: any EventLoop
    private let exchangeNumber: Int
    weak var codec: ExchangeCodec?
    private var segment = 0
    private var offset: Int64 = 0
    private var reader: BodyProducer.Reader?
    private var begun: [Int: BodyProducer.Reader] = [:]
    private var file: OpenFile?
    // Regions that the network has not taken yet, in order.
    private var regions: Deque<(range: FileRange, file: OpenFile)> = []
    private var readAhead: Bytes?
    private var unflushed = 0
    private(set) var handed: Int64 = 0
    private var isBusy = false
    private var isAdvancing = false
    private var isStopped = false
    private var pull: Task<Void, Never>?
    private var watch: Scheduled<Void>?

    /// Whether the channel has received every byte of the declared length, even if the source has not signalled its end.
    var hasHandedAll: Bool { declaredLength == handed }

    /// Whether the writer waits for the source's next bytes.
    var isWaitingForSource: Bool { isBusy }

    init(_ body: Body, codec: ExchangeCodec) {
        self.body = body
        self.codec = codec
        declaredLength = body.trailers == nil ? body.length : nil
        loop = codec.shard.loop
        exchangeNumber = codec.exchangeCount
    }

    /// Opens sources that can be read only once, so that a source that was already read fails before anything is sent.
    func prepare() throws(SternaError) {
        for (index, segment) in body.segments.enumerated() {
            if case .producer(let producer) = segment, !producer.isReplayable { begun[index] = try begin(producer) }
        }
    }

    private func begin(_ producer: BodyProducer) throws(SternaError) -> BodyProducer.Reader {
        do {
            return try producer.makeReader()
        } catch {
            throw SternaError.wrap(
                error, as: .invalidRequest, phase: .write, "The body cannot be read: \(Self.line(error))")
        }
    }

    /// The body, if it is small enough to leave in one piece with the head.
    var smallBytes: Bytes? {
        guard body.segments.count == 1, body.trailers == nil, case .bytes(let bytes) = body.segments[0] else {
            return nil
        }
        return bytes.readableBytes <= Self.inlineBytes ? bytes : nil
    }

    /// Continues writing while the channel has room.
    func advance() {
        loop.assertInEventLoop()
        // A flush may report room before it returns; the loop that flushed then continues, not a second one.
        guard !isBusy, !isStopped, !isAdvancing, let codec, codec.isOpen else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        // A paused call reads no more of its source; `Exchange.callResumed` continues.
        while !isStopped, !isBusy, codec.exchange?.call?.isPaused != true {
            guard segment < body.segments.count else {
                end(codec)
                return
            }
            if unflushed >= Self.pieceBytes {
                flush(codec)
                continue
            }
            guard codec.hasRoom else {
                flush(codec)
                if !codec.hasRoom { return }
                continue
            }
            switch body.segments[segment] {
            case .bytes(let bytes): writeBytes(bytes, codec)
            case .file(let range): advanceFile(range, codec)
            case .producer(let producer):
                // Ready bytes go out before the writer waits for a source that may be slow.
                flush(codec)
                if !isStopped { advanceProducer(producer) }
            }
        }
    }

    // A TLS handler buffers unflushed bytes, so the channel would always seem to have room.
    private func flush(_ codec: ExchangeCodec) {
        unflushed = 0
        codec.flush()
    }

    /// Stops writing; a write in progress ends by itself.
    func stop() {
        loop.assertInEventLoop()
        isStopped = true
        pull?.cancel()
        watch?.cancel()
        watch = nil
        file = nil
        reader = nil
        begun = [:]
    }

    private func nextSegment() {
        segment += 1
        offset = 0
        reader = nil
        file = nil
        readAhead = nil
    }

    private func end(_ codec: ExchangeCodec) {
        if let trailers = body.trailers {
            codec.flush()
            return writeTrailers(trailers)
        }
        end(codec, with: nil)
    }

    private func end(_ codec: ExchangeCodec, with trailers: HTTPFields?) {
        let isOnItsWay: Bool
        do throws(SternaError) {
            isOnItsWay = try codec.endBody(trailers)
        } catch {
            return fail(error)
        }
        isStopped = true
        codec.flush()
        if isOnItsWay { codec.bodyFinished() }
    }

    private func fail(_ error: SternaError) {
        guard !isStopped else { return }
        let codec = codec
        stop()
        codec?.fail(error)
    }

    // MARK: Bytes

    private func writeBytes(_ bytes: Bytes, _ codec: ExchangeCodec) {
        let most = codec.hasUploadObserver ? Self.inlineBytes : Self.regionBytes
        let count = min(bytes.readableBytes - Int(offset), most)
        if count > 0, let piece = bytes.getSlice(at: bytes.readerIndex + Int(offset), length: count) {
            write(.bytes(piece), codec)
            offset += Int64(count)
        }
        if Int(offset) >= bytes.readableBytes { nextSegment() }
    }

    private func write(_ piece: BodyPiece, _ codec: ExchangeCodec) {
        let promise = loop.makePromise(of: Void.self)
        count(piece.count, when: promise.futureResult)
        unflushed += piece.count
        codec.write(piece, promise)
    }

    private func count(_ bytes: Int, when written: EventLoopFuture<Void>) {
        handed += Int64(bytes)
        written.assumeIsolated().whenSuccess { [weak codec, exchangeNumber] in
            codec?.bodyAdvanced(by: bytes, ofExchange: exchangeNumber)
        }
    }

    // MARK: Files

    private func advanceFile(_ range: FileRange, _ codec: ExchangeCodec) {
        if file == nil {
            codec.flush()
            guard !isStopped else { return }
            isBusy = true
            OpenFile.open(range, on: loop).assumeIsolated().whenComplete { result in
                self.isBusy = false
                self.codec?.sourceDelivered()
                switch result {
                case .success(let file):
                    guard !self.isStopped else { return }
                    self.file = file
                    self.advance()
                case .failure(let error):
                    self.fail(
                        SternaError.wrap(
                            error, as: .fileUnreadable, phase: .write, "The file cannot be read: \(Self.line(error))")
                    )
                }
            }
            return
        }
        guard let file else { return }
        guard offset < range.length else { return nextSegment() }
        guard file.fits(range) else { return fail(OpenFile.changed(range)) }
        if codec.takesFileRegions, range.length > Self.inlineBytes {
            writeRegion(range, file, codec)
        } else {
            writePiece(range, file, codec)
        }
    }

    // A file that shrinks during the write of a region would keep the event loop busy with empty writes.
    private func watchRegions() {
        watch = loop.assumeIsolated().scheduleTask(in: .milliseconds(500)) {
            self.watch = nil
            guard !self.regions.isEmpty else { return }
            guard let changed = self.regions.first(where: { !$0.file.fits($0.range) }) else {
                return self.watchRegions()
            }
            let codec = self.codec
            self.stop()
            if codec?.exchangeCount == self.exchangeNumber { codec?.fail(OpenFile.changed(changed.range)) }
        }
    }

    private func writeRegion(_ range: FileRange, _ file: OpenFile, _ codec: ExchangeCodec) {
        let count = Int(min(range.length - offset, Int64(Self.regionBytes)))
        let start = Int(range.offset + offset)
        let region = FileRegion(fileHandle: file.handle, readerIndex: start, endIndex: start + count)
        let promise = loop.makePromise(of: Void.self)
        self.count(count, when: promise.futureResult)
        // The promise releases the handle once the write has ended.
        regions.append((range, file))
        promise.futureResult.assumeIsolated().whenComplete { _ in _ = self.regions.popFirst() }
        if watch == nil { watchRegions() }
        codec.write(.region(region), promise)
        offset += Int64(count)
    }

    // Pieces are read off the loop, each while the one before it is being written.
    private func writePiece(_ range: FileRange, _ file: OpenFile, _ codec: ExchangeCodec) {
        if let piece = readAhead {
            readAhead = nil
            offset += Int64(piece.readableBytes)
            write(.bytes(piece), codec)
            flush(codec)
            if offset >= range.length || isStopped { return }
        }
        isBusy = true
        let count = Int(min(range.length - offset, Int64(Self.pieceBytes)))
        file.read(at: range.offset + offset, count: count, on: loop).assumeIsolated().whenComplete { result in
            self.isBusy = false
            self.codec?.sourceDelivered()
            switch result {
            case .success(let piece) where piece.readableBytes == count:
                self.readAhead = piece
                self.advance()
            case .success: self.fail(OpenFile.changed(range))
            case .failure(let error):
                self.fail(
                    SternaError.wrap(
                        error, as: .fileUnreadable, phase: .write, "The file cannot be read: \(Self.line(error))"))
            }
        }
    }

    // MARK: Producers

    private func advanceProducer(_ producer: BodyProducer) {
        isBusy = true
        if reader == nil {
            do throws(SternaError) {
                if let begun = begun.removeValue(forKey: segment) {
                    reader = begun
                } else {
                    reader = try begin(producer)
                }
            } catch {
                return fail(error)
            }
        }
        guard let reader else { return }
        pull = Task {
            let result: Result<Bytes?, any Error>
            do { result = .success(try await reader()) } catch { result = .failure(error) }
            self.loop.execute { self.produced(result, by: producer) }
        }
    }

    private func produced(_ result: Result<Bytes?, any Error>, by producer: BodyProducer) {
        isBusy = false
        guard !isStopped, let codec, codec.isOpen else { return }
        codec.sourceDelivered()
        switch result {
        case .failure(let error):
            fail(
                SternaError.wrap(
                    error, as: .writeFailed, phase: .write, "The body's source failed: \(Self.line(error))"))
        case .success(let bytes?):
            offset += Int64(bytes.readableBytes)
            if let length = producer.length, offset > length {
                return fail(Self.wrongLength(.tooLong(declared: length)))
            }
            if bytes.readableBytes > 0 {
                write(.bytes(bytes), codec)
                flush(codec)
            }
            advance()
        case .success(nil):
            if let length = producer.length, offset != length {
                return fail(Self.wrongLength(.tooShort(delivered: offset, declared: length)))
            }
            nextSegment()
            advance()
        }
    }

    // MARK: Trailers

    // Requests the trailer fields, and ends the body with them.
    private func writeTrailers(_ make: @escaping @Sendable () async throws -> HTTPFields) {
        isBusy = true
        pull = Task {
            let result: Result<HTTPFields, SternaError>
            do {
                result = .success(try await make())
            } catch {
                result = .failure(
                    SternaError.wrap(
                        error, as: .writeFailed, phase: .write, "The body's trailers failed: \(Self.line(error))"))
            }
            self.loop.execute { self.finish(result) }
        }
    }

    private func finish(_ result: Result<HTTPFields, SternaError>) {
        isBusy = false
        guard !isStopped, let codec, codec.isOpen else { return }
        codec.sourceDelivered()
        switch result {
        case .success(let fields): end(codec, with: fields)
        case .failure(let error): fail(error)
        }
    }

    // MARK: Errors

    // A source's error message is shortened to one line.
    private static func line(_ error: any Error) -> String { FieldSyntax.printable("\(error)", limit: 1_000) }

    private static func wrongLength(_ fault: BodyFault) -> SternaError {
        SternaError(
            .invalidRequest, phase: .write,
            "The body does not have its declared length: \(fault); the request was not completed.",
            underlying: fault)
    }
}
