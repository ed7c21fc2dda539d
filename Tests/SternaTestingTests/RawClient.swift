import NIOCore
import NIOPosix
import NIOSSL
import SternaTesting

/// A client that sends what it is told and understands just enough HTTP to tell responses apart. It reads nothing
/// from the socket that was not asked for, beyond a small window.
final class RawClient {
    struct Response {
        var status = 0
        var reason = ""
        var headers = ServerHeaders()
        var body: [UInt8] = []
        var trailers = ServerHeaders()

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    struct Malformed: Error {}

    struct TLS {
        var roots: [String]
        var hostname: String? = "localhost"
        var identity: CertificateBundle?
        var maximumVersion: TLSVersion?
    }

    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    /// Written to directly, because the asynchronous writer buffers without bound while its event loop is busy.
    let channel: any Channel
    private(set) var buffer: [UInt8] = []
    private(set) var isAtEnd = false

    private init(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, _ channel: any Channel) {
        self.inbound = inbound.makeAsyncIterator()
        self.channel = channel
    }

    static func with<R: Sendable>(
        port: Int, tls: TLS? = nil, _ body: @Sendable (RawClient) async throws -> R
    ) async throws -> R {
        let context = try tls.map { tls in
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .certificates(
                try tls.roots.flatMap { try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)) })
            configuration.applicationProtocols = ["http/1.1"]
            configuration.maximumTLSVersion = tls.maximumVersion
            if let identity = tls.identity {
                configuration.certificateChain = try NIOSSLCertificate.fromPEMBytes(
                    Array(identity.certificateChainPEM.utf8)
                ).map { .certificate($0) }
                configuration.privateKey = .privateKey(
                    try NIOSSLPrivateKey(bytes: Array(identity.privateKeyPEM.utf8), format: .pem))
            }
            return try NIOSSLContext(configuration: configuration)
        }
        let hostname = tls?.hostname
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.socketOption(.so_rcvbuf), value: 128 << 10)
            // A peer that is done sending may still want to hear.
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        let handler = try NIOSSLClientHandler(context: context, serverHostname: hostname)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, _ in
            try await body(RawClient(inbound, channel.channel))
        }
    }

    func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text)).get()
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// Reads one more piece; false at the end of the stream.
    func fill() async throws -> Bool {
        guard let piece = try await inbound.next() else {
            isAtEnd = true
            return false
        }
        buffer.append(contentsOf: piece.readableBytesView)
        return true
    }

    /// Everything up to the end of the stream.
    func rest() async throws -> String {
        while try await fill() {}
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    func line() async throws -> String {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let text = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeFirst(end + 1)
                guard text.hasSuffix("\r") else { throw Malformed() }
                return String(text.dropLast())
            }
            guard try await fill() else { throw Malformed() }
        }
    }

    func bytes(_ count: Int) async throws -> [UInt8] {
        while buffer.count < count {
            guard try await fill() else { throw Malformed() }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    func head() async throws -> Response {
        let parts = try await line().split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "HTTP/1.1", let status = Int(parts[1]) else { throw Malformed() }
        return Response(status: status, reason: String(parts[2]), headers: try await fields())
    }

    private func fields() async throws -> ServerHeaders {
        var headers = ServerHeaders()
        while true {
            let line = try await line()
            if line.isEmpty { return headers }
            guard let colon = line.firstIndex(of: ":") else { throw Malformed() }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers.add(String(line[..<colon]), String(value))
        }
    }

    /// One whole response; with `bodyless` one to `HEAD`.
    func response(bodyless: Bool = false) async throws -> Response {
        var response = try await head()
        if bodyless || response.status == 204 || response.status == 304 || response.status < 200 { return response }
        if response.headers["Transfer-Encoding"] == "chunked" {
            while true {
                guard let size = Int(try await line(), radix: 16) else { throw Malformed() }
                if size == 0 { break }
                response.body += try await bytes(size)
                guard try await line().isEmpty else { throw Malformed() }
            }
            response.trailers = try await fields()
        } else if let length = response.headers["Content-Length"].flatMap({ Int($0) }) {
            response.body = try await bytes(length)
        } else {
            response.body = Array(try await rest().utf8)
        }
        return response
    }

    func request(
        _ method: String, _ target: String, headers: ServerHeaders = [:], body: String? = nil
    ) async throws -> Response {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: example.test\r\n"
        for field in headers { text += "\(field.name): \(field.value)\r\n" }
        if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
        try await send(text + "\r\n" + (body ?? ""))
        return try await response(bodyless: method == "HEAD")
    }
}

extension TestServer {
    /// One request on a connection of its own.
    func ask(
        _ method: String, _ target: String, headers: ServerHeaders = [:], body: String? = nil
    ) async throws -> RawClient.Response {
        try await RawClient.with(port: port) { client in
            try await client.request(method, target, headers: headers, body: body)
        }
    }
}
