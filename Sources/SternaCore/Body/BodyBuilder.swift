public import NIOCore

/// Collects a body incrementally: in memory while it is small, in a private file beyond that.
///
/// The file is created in the temporary folder, or at a given path, and unlinked at once. It disappears with the last body made
/// of it, whether or not the request succeeded, and however the process ends. ``Body/write(to:progress:)`` writes a permanent
/// file.
public struct BodyBuilder: Sendable {
    /// The number of bytes kept in memory; 256 KiB by default, at most 1 GiB.
    public let memoryLimit: Int

    private let path: String?
    private var bytes = Bytes()
    private var file: TemporaryFile?

    /// The length so far.
    public private(set) var length: Int64 = 0

    /// Makes an empty builder.
    ///
    /// - Parameters:
    ///   - memoryLimit: the number of bytes kept in memory; 0 writes every byte to disk.
    ///   - path: the path of the file, for a disk with more room; nothing may exist there.
    public init(memoryLimit: Int = 256 << 10, path: (any FileReference)? = nil) {
        // The capacity of a buffer is limited to 4 GiB.
        self.memoryLimit = min(max(0, memoryLimit), 1 << 30)
        self.path = path?.pathToRead
    }

    /// Appends bytes. Throws `fileUnreadable` if the file cannot be created, and `writeFailed` if it cannot be written, for example
    /// because the disk is full.
    public mutating func append(_ more: Bytes) throws(SternaError) {
        guard more.readableBytes > 0 else { return }
        if file == nil, bytes.readableBytes + more.readableBytes > memoryLimit {
            let file = try TemporaryFile(path: path)
            _ = try file.append(bytes, at: 0)
            self.file = file
            bytes = Bytes()
        }
        if let file {
            // If a copy of this builder has appended to the file, this one continues in a file of its own.
            if try !file.append(more, at: length) {
                let own = try file.copy(upTo: length)
                _ = try own.append(more, at: length)
                self.file = own
            }
        } else {
            bytes.writeImmutableBuffer(more)
        }
        length += Int64(more.readableBytes)
    }

    /// Appends a body's content in pieces of 256 KiB; throws the errors of reading and writing.
    public mutating func append(
        _ body: Body, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws {
        var reader = BodyReader(body)
        var meter = ProgressMeter(total: body.length)
        while let piece = try await reader.next() {
            if file == nil, bytes.readableBytes + piece.readableBytes <= memoryLimit {
                try append(piece)
            } else {
                let before = self
                self = try await BlockingWork.run {
                    var builder = before
                    try builder.append(piece)
                    return builder
                }
            }
            if let progress {
                meter.add(piece.readableBytes, at: .now())
                progress(meter.progress(at: .now()))
            }
        }
    }

    /// Returns the content so far as a body that can be sent any number of times.
    public func body(mediaType: String? = nil) -> Body {
        guard let file else { return .bytes(bytes, mediaType: mediaType) }
        return Body(segments: [.file(FileRange(file, length: length))], mediaType: mediaType)
    }
}

extension Body {
    /// Reads the whole content, in memory up to a limit and in a private file beyond it. The returned body has a length and can
    /// be sent again.
    ///
    /// - Parameters:
    ///   - memoryLimit: the number of bytes kept in memory; 256 KiB by default.
    ///   - path: the path of the file, for a disk with more room; nothing may exist there.
    ///   - progress: called with the progress of reading.
    public func collected(
        memoryLimit: Int = 256 << 10, path: (any FileReference)? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Body {
        var builder = BodyBuilder(memoryLimit: memoryLimit, path: path)
        try await builder.append(self, progress: progress)
        var body = builder.body(mediaType: mediaType)
        body.contentCoding = contentCoding
        body.trailers = trailers
        return body
    }

    /// Writes the content to a new file; the counterpart of AFNetworking's `writingStreamContentsToFile:`.
    ///
    /// An existing file is an error; an incomplete file is removed.
    ///
    /// - Returns: the file as a body of the same type.
    @discardableResult
    public func write(
        to path: String, progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Body {
        let file = try TemporaryFile(path: path, mayStay: true)
        var reader = BodyReader(self)
        var meter = ProgressMeter(total: length)
        var written: Int64 = 0
        while let piece = try await reader.next() {
            let start = written
            _ = try await BlockingWork.run { try file.append(piece, at: start) }
            written += Int64(piece.readableBytes)
            if let progress {
                meter.add(piece.readableBytes, at: .now())
                progress(meter.progress(at: .now()))
            }
        }
        file.keep()
        var body = try Body.file(path, mediaType: mediaType)
        body.contentCoding = contentCoding
        return body
    }
}
