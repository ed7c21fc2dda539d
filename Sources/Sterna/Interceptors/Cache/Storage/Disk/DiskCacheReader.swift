import NIOCore
import SternaCore

/// Reads the body of an entry of a ``DiskCache``, piece by piece, and checks each.
final class DiskCacheReader: CacheReader {
    private let cache: DiskCache
    private let file: EntryFile

    init(_ cache: DiskCache, _ file: EntryFile) {
        self.cache = cache
        self.file = file
    }

    var length: Int64 { file.header.length }

    nonisolated(nonsending) func read(at offset: Int64, upTo count: Int) async throws -> Bytes {
        guard offset >= 0, offset < length, count > 0 else { return Bytes() }
        let (number, skipped) = offset.quotientAndRemainder(dividingBy: Int64(EntryHeader.pieceSize))
        return try await FileWork.run { [cache, file] in
            do {
                let piece = try file.piece(Int(number))
                let start = min(Int(skipped), piece.readableBytes)
                return piece.getSlice(
                    at: piece.readerIndex + start, length: min(count, piece.readableBytes - start)) ?? Bytes()
            } catch {
                if case EntryFile.Fault.unusable = error { cache.drop([file.header.id]) }
                throw SternaError(
                    .fileUnreadable, phase: .read,
                    "A stored response is damaged, or cannot be read, and was removed from the cache; send the request again.",
                    underlying: error)
            }
        }
    }
}
