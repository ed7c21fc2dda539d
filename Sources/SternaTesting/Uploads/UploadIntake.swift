import NIOCore
import SternaPlatform

/// Reads the content of one request into an upload.
struct UploadIntake: Sendable {
    enum Outcome: Sendable {
        /// All of it is stored, up to this offset.
        case stored(Int64)
        /// The connection is to be reset.
        case cut
        /// It does not fit into the upload; what fits in whole pieces is stored.
        case tooLong
        /// The client has closed before its end; what arrived is stored.
        case broken
    }

    let upload: StoredUpload
    let claim: StoredUpload.Claim
    let faults: UploadFaults
    /// The largest offset.
    let limit: Int64

    /// Reads a body piece by piece, each of which is stored before the next is read.
    ///
    /// - Parameters:
    ///   - start: the upload's offset.
    ///   - taken: called after each piece with the piece and the offset.
    func take(
        _ request: ServerRequest, from start: Int64,
        _ taken: (ByteBuffer, Int64) async throws -> Void
    ) async throws -> Outcome {
        let cut = faults.cut.flatMap { upload.record.faults["cut"] ?? 0 < faults.times ? $0 : nil }
        var offset = start
        var rest = cut ?? .max
        do {
            while var piece = try await request.body.nextBuffer() {
                try upload.count(received: piece.readableBytes)
                let isLast = Int64(piece.readableBytes) >= rest
                if isLast { piece = piece.getSlice(at: piece.readerIndex, length: Int(rest)) ?? piece }
                rest -= Int64(piece.readableBytes)
                offset = try upload.append(piece, claim, upTo: limit)
                if isLast, try upload.occurs("cut", times: faults.times) { return .cut }
                try await taken(piece, offset)
                if let rate = faults.rate {
                    try await Task.sleep(for: .seconds(Double(piece.readableBytes) / Double(rate)))
                }
            }
        } catch is StoredUpload.TooLong {
            return .tooLong
        } catch is CancellationError {
            return .broken
        } catch is ChannelError {
            return .broken
        }
        return .stored(offset)
    }
}

extension ServerResponse {
    /// Resets the connection.
    static let cut = ServerResponse(body: .raw { await $0.reset() })
}

extension UploadFaults {
    /// Sends the interim responses that the query asks for.
    ///
    /// Throws once the client has closed, which ends endless ones.
    func inform(_ request: ServerRequest, version: Int, offset: Int64) async throws {
        func send(_ offset: Int64) async throws {
            try await request.inform(
                104, ["Upload-Draft-Interop-Version": "\(version)", "Upload-Offset": "\(offset)"])
        }
        switch interim {
        case nil: break
        case .count(let count): for _ in 0..<count { try await send(offset) }
        case .endless: while true { try await send(offset) }
        case .growing:
            var offset = offset
            while true {
                try await send(offset)
                offset &+= 1
            }
        }
    }
}
