import Crypto
import NIOCore
import SternaCore
import Synchronization

/// The content coding `aws-chunked`: a body in chunks, whose signatures each cover the signature of the chunk before.
struct AWSChunkedBody: Sendable {
    /// The length of all chunks but the last, in bytes; services require at least 8 KiB.
    static let chunkLength = 64 << 10

    private static let signatureLength = 64

    let scope: AWSScope
    let key: HMAC<SHA256>

    /// The signature of the request's head, which the signature of the first chunk covers.
    let seed: String
    let checksum: AWSChecksum?

    /// Returns the constant that replaces the hash of the body in the head.
    static func payloadWord(_ vendor: AWSScope.Vendor, hasTrailer: Bool) -> String {
        "STREAMING-\(vendor.algorithm)-PAYLOAD\(hasTrailer ? "-TRAILER" : "")"
    }

    /// Returns the length of the coded body for that of its content; nil on overflow.
    static func length(_ content: Int64, _ checksum: AWSChecksum?, _ vendor: AWSScope.Vendor) -> Int64? {
        let chunk = Int64(chunkLength)
        let (count, rest) = content.quotientAndRemainder(dividingBy: chunk)
        let (whole, overflow) = count.multipliedReportingOverflow(by: chunk + overhead(chunk))
        guard !overflow, content >= 0 else { return nil }
        let last = rest > 0 ? rest + overhead(rest) : 0
        // The last chunk is empty, and a CRLF ends the body.
        var end = overhead(0)
        if let checksum {
            end += Int64("\(checksum.field(vendor)):\r\n".utf8.count + checksum.textLength)
            end += Int64("\(vendor.prefix)trailer-signature:\r\n".utf8.count + signatureLength)
        }
        let (sum, tooLong) = whole.addingReportingOverflow(last + end)
        return tooLong ? nil : sum
    }

    /// Returns the number of bytes that the framing adds to a chunk of this length.
    private static func overhead(_ length: Int64) -> Int64 {
        Int64(String(length, radix: 16).utf8.count + ";chunk-signature=\r\n\r\n".utf8.count + signatureLength)
    }

    /// Returns the signature of a chunk.
    func signature(of chunk: some Sequence<UInt8>, after previous: String) -> String {
        AWSScope.signature(
            of:
                "\(scope.algorithm)-PAYLOAD\n\(scope.timestamp)\n\(scope.text)\n\(previous)\n\(AWSScope.emptyHash)\n"
                + AWSScope.hash(chunk), key)
    }

    /// Returns the signature of the trailing fields, each line of which ends with a line feed.
    func signature(ofTrailer trailer: String, after previous: String) -> String {
        AWSScope.signature(
            of:
                "\(scope.algorithm)-TRAILER\n\(scope.timestamp)\n\(scope.text)\n\(previous)\n"
                + AWSScope.hash(trailer.utf8), key)
    }

    /// Returns a body of signed chunks; its length is known if the content's length is.
    func body(_ content: Body) -> Body {
        let length = content.length.flatMap { Self.length($0, checksum, scope.vendor) }
        let producer = BodyProducer(length: length, isReplayable: content.isReplayable) {
            let source = Source(self, content)
            return { try await source.next() }
        }
        var body = Body(segments: [.producer(producer)], mediaType: content.mediaType)
        body.trailers = content.trailers
        return body
    }

    // Invariant: one task at a time calls the reader, and each call begins after the previous one has returned.
    private final class Source: @unchecked Sendable {
        private let coding: AWSChunkedBody
        private var reader: BodyReader
        private var signature: String
        private var hasher: AWSChecksumHasher?
        private var isAtEnd = false

        init(_ coding: AWSChunkedBody, _ content: Body) {
            self.coding = coding
            reader = BodyReader(content)
            signature = coding.seed
            hasher = coding.checksum.map { AWSChecksumHasher($0) }
        }

        func next() async throws -> Bytes? {
            guard !isAtEnd else { return nil }
            // A copy, since the reader is changed across a suspension.
            var reader = reader
            let content = try await reader.next(filling: AWSChunkedBody.chunkLength)
            self.reader = reader
            guard let content else { return end() }
            content.withUnsafeReadableBytes { hasher?.update($0) }
            return chunk(content)
        }

        private func chunk(_ content: Bytes) -> Bytes {
            signature = coding.signature(of: content.readableBytesView, after: signature)
            var chunk = Bytes()
            chunk.reserveCapacity(content.readableBytes + 128)
            chunk.writeString("\(String(content.readableBytes, radix: 16));chunk-signature=\(signature)\r\n")
            chunk.writeImmutableBuffer(content)
            if content.readableBytes > 0 { chunk.writeString("\r\n") }
            return chunk
        }

        private func end() -> Bytes {
            isAtEnd = true
            var last = chunk(Bytes())
            if let checksum = coding.checksum, let hasher {
                let line = "\(checksum.field(coding.scope.vendor)):\(hasher.text)"
                let trailer = coding.signature(ofTrailer: line + "\n", after: signature)
                last.writeString("\(line)\r\n\(coding.scope.vendor.prefix)trailer-signature:\(trailer)\r\n")
            }
            last.writeString("\r\n")
            return last
        }
    }
}
