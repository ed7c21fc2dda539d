import AsyncHTTPClient
import BenchKit
import NIOCore
import NIOPosix
import NIOSSL

/// AsyncHTTPClient with as many connections as callers, on the number of event loops that costs it the least.
@main
struct AsyncHTTPClientPeer {
    static func main() async throws {
        let arguments = Arguments()
        var configuration = HTTPClient.Configuration()
        configuration.httpVersion = arguments.isHTTP2 ? .automatic : .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(8, arguments.concurrency)
        if let file = arguments.authorities {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(file)
            configuration.tlsConfiguration = tls
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: arguments.loops)
        let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
        let urls = arguments.urls
        let request: Load.Request = { number in
            let url = urls[number % urls.count]
            switch arguments.work {
            case .get, .origins, .idle:
                let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(600))
                guard response.status == .ok else { throw Refused() }
                return try await response.body.collect(upTo: 1 << 20).readableBytes
            case .download:
                let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(600))
                guard response.status == .ok else { throw Refused() }
                var bytes = 0
                for try await chunk in response.body { bytes += chunk.readableBytes }
                return bytes
            case .upload:
                return try await upload(arguments.file, to: url, with: client)
            case .save, .events, .messages, .receive, .cookies:
                throw Refused()
            }
        }
        let load = Load(request: request)
        if arguments.work == .idle {
            let settle: @Sendable () async -> Void = { try? await Task.sleep(for: .milliseconds(200)) }
            await load.idle(count: arguments.count, settle: settle).printLine()
        } else {
            await load.run(count: arguments.count, concurrency: arguments.concurrency).printLine()
        }
        try await client.shutdown()
        try await group.shutdownGracefully()
    }

    static func upload(_ path: String, to url: String, with client: HTTPClient) async throws -> Int {
        let io = NonBlockingFileIO(threadPool: .singleton)
        return try await io.withFileRegion(_deprecatedPath: path) { region in
            let pieces = FilePieces(io: io, region: region)
            var request = HTTPClientRequest(url: url)
            request.method = .PUT
            request.body = .stream(pieces, length: .known(Int64(region.readableBytes)))
            let response = try await client.execute(request, timeout: .seconds(600))
            guard response.status == .ok else { throw Refused() }
            _ = try await response.body.collect(upTo: 1 << 20)
            return region.readableBytes
        }
    }
}

/// A file in pieces of 256 KiB, read on NIO's threads for files.
struct FilePieces: AsyncSequence, Sendable {
    let io: NonBlockingFileIO
    let region: FileRegion

    struct AsyncIterator: AsyncIteratorProtocol {
        let pieces: FilePieces
        var offset = 0

        mutating func next() async throws -> ByteBuffer? {
            let rest = pieces.region.readableBytes - offset
            guard rest > 0 else { return nil }
            let piece = try await pieces.io.read(
                fileHandle: pieces.region.fileHandle, fromOffset: Int64(offset), byteCount: Swift.min(rest, 256 << 10),
                allocator: ByteBufferAllocator())
            offset += piece.readableBytes
            return piece.readableBytes > 0 ? piece : nil
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: self) }
}
