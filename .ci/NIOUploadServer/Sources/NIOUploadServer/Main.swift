import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOResumableUpload

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs SwiftNIO's resumable uploads on a port of the loopback: `POST /store/NAME` puts the content into a file of that name.
///
/// The arguments are a port and a folder.
@main
struct Main {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let port = Int(arguments[1]) else { throw Usage() }
        let folder = arguments[2]
        let context = HTTPResumableUploadContext(origin: "http://127.0.0.1:\(port)")
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    try pipeline.addHandler(
                        HTTPResumableUploadHandler(context: context) { upload in
                            try? upload.pipeline.syncOperations.addHandler(Store(folder: folder))
                        })
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        try await listener.closeFuture.get()
    }

    struct Usage: Error {}
}

/// Stores the content of one request, and answers with its number of bytes once it has all of it.
final class Store: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let folder: String
    private var name: String?
    private var content: [UInt8] = []

    /// The longest content, in bytes.
    private static let longest = 64 << 20

    init(folder: String) { self.folder = folder }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let request):
            let last = request.path?.split(separator: "/").last.map(String.init) ?? ""
            let isName = !last.isEmpty && last.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
            name = request.method == .post && isName ? last : nil
        case .body(let bytes):
            guard content.count + bytes.readableBytes <= Self.longest else { return context.close(promise: nil) }
            content.append(contentsOf: bytes.readableBytesView)
        case .end:
            var status = HTTPResponse.Status.notImplemented
            if let name {
                do {
                    try Data(content).write(to: URL(filePath: "\(folder)/\(name)"))
                    status = .ok
                } catch {
                    status = .internalServerError
                }
            }
            let text = ByteBuffer(string: "\(content.count)")
            var head = HTTPResponse(status: status)
            head.headerFields[.contentLength] = "\(text.readableBytes)"
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(text)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
