import NIOCore
import SternaCore
import Synchronization

/// Reads the body of an entry of a ``DiskCache`` piece by piece, and verifies each piece.
final class DiskCacheReader: CacheReader {
    private let cache: DiskCache
    private let file: EntryFile

    // The last piece, which reads of small ranges use again.
    private let last = Mutex<(number: Int, piece: Bytes)?>(nil)

    init(_ cache: DiskCache, _ file: EntryFile) {
        self.cache = cache
        self.file = file
    }

    var length: Int64 { file.header.length }

    nonisolated(nonsending) func read(at offset: Int64, upTo count: Int) async throws -> Bytes {
        guard offset >= 0, offset < length, count > 0 else { return Bytes() }
        let (number, skipped) = offset.quotientAndRemainder(dividingBy: Int64(EntryHeader.pieceSize))
        if let known = last.withLock({ $0 }), known.number == Int(number) {
            return Self.slice(known.piece, Int(skipped), count)
        }
        return try await BlockingWork.run { [self] in
            do {
                let piece = try file.piece(Int(number))
                last.withLock { $0 = (Int(number), piece) }
                return Self.slice(piece, Int(skipped), count)
            } catch {
                if case EntryFile.Fault.unusable = error { cache.drop([file.header.id]) }
                throw SternaError(
                    .fileUnreadable, phase: .read,
                    "A stored response is damaged or unreadable; send the request again.",
                    underlying: error)
            }
        }
    }

    private static func slice(_ piece: Bytes, _ start: Int, _ count: Int) -> Bytes {
        let start = min(start, piece.readableBytes)
        return piece.getSlice(at: piece.readerIndex + start, length: min(count, piece.readableBytes - start)) ?? Bytes()
    }
}
