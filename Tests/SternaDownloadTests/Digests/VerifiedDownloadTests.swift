import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The setting `digests` of downloads, which verify the digests of whole files and parts without it.
@Suite("Downloads: digests that are asked for", .timeLimit(.minutes(5)))
struct VerifiedDownloadTests {
    private static let content = Array("{\"hello\": \"world\"}\n".utf8)
    private static let right = "sha-256=:\(Samples.sha256):"
    private static let wrong = "sha-256=:\(String(repeating: "A", count: 43))=:"

    /// Downloads from a route; returns the error, and the names of the files that are left.
    private static func outcome(
        _ digests: DigestOptions, _ answer: @escaping @Sendable (ServerRequest) -> ServerResponse
    ) async throws -> (kind: SternaError.Kind?, names: [String]) {
        try await TestServer.withServer { server in
            server.route("GET", "/file") { answer($0) }
            return try await Downloading.withFolder { folder in
                let api = try Downloading.session(server) { $0.digests = digests }
                let kind = await failure(of: Task { try await api.download("file", to: .file("\(folder)/a")).value })
                let names = try Downloading.names(in: folder)
                if kind == nil { try expectEqual(Downloading.bytes("\(folder)/a"), content) }
                return (kind, names)
            }
        }
    }

    private static func streamed(_ fields: ServerHeaders, _ trailers: ServerHeaders) -> ServerResponse {
        ServerResponse(
            headers: fields, body: .stream(length: nil) { try await $0.write(Self.content) }, trailers: trailers)
    }

    @Test("A wrong digest in a trailer, or of coded content, leaves no file")
    func mismatches() async throws {
        let coded = Zlib.gzip(Self.content)
        let answers: [@Sendable (ServerRequest) -> ServerResponse] = [
            { _ in Self.streamed([:], ["Repr-Digest": Self.wrong]) },
            { _ in .bytes(coded, headers: ["Content-Encoding": "gzip", "Content-Digest": Self.right]) },
            { _ in .bytes(Self.content, headers: ["Content-Digest": Self.wrong]) },
        ]
        for (number, answer) in answers.enumerated() {
            let verified = try await Self.outcome(.verify, answer)
            expectEqual(verified.kind, .digestMismatch, "\(number)")
            expectEqual(verified.names, [], "\(number)")
            // Without the setting, the digest of a whole file that is not coded is verified.
            let plain = try await Self.outcome([], answer)
            expectEqual(plain.kind, number == 2 ? .digestMismatch : nil, "\(number)")
            expectEqual(plain.names, number == 2 ? [] : ["a"], "\(number)")
        }
    }

    @Test("Digests are asked for, and one is required")
    func required() async throws {
        let refused = try await Self.outcome(.require) { _ in .bytes(Self.content) }
        expectEqual(refused.kind, .unacceptableResponse)
        expectEqual(refused.names, [])
        let saved = try await Self.outcome([.require, .want]) { request in
            let isWanted = request.headers["Want-Repr-Digest"] == "sha-256=10"
            return .bytes(Self.content, headers: isWanted ? ["Repr-Digest": Self.right] : [:])
        }
        expectNil(saved.kind)
        expectEqual(saved.names, ["a"])
        let trailing = try await Self.outcome(.require) { _ in Self.streamed([:], ["Content-Digest": Self.right]) }
        expectNil(trailing.kind)
    }

    @Test("A part may have the digest of the file alone, which is verified in the end", arguments: [true, false])
    func resumed(isRight: Bool) async throws {
        let content = noise(300_000)
        let digest = isRight ? try await DigestField.text(of: .bytes(content)) : Self.wrong
        try await TestServer.withServer { server in
            server.route("GET", "/file") { request in
                var headers: ServerHeaders = ["ETag": "\"1\"", "Accept-Ranges": "bytes", "Repr-Digest": digest]
                if let first = request.firstOfRange {
                    headers["Content-Range"] = "bytes \(first)-299999/300000"
                    return .bytes(content[first...], status: 206, headers: headers)
                }
                return ServerResponse(
                    headers: headers,
                    body: .stream(length: content.count) { writer in
                        try await writer.write(Array(content.prefix(100_000)))
                        throw RangedFile.Cut()
                    })
            }
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server) { $0.digests = .require }
                let broken = await failure(of: Task { try await api.download("file", to: .file("\(folder)/a")).value })
                #expect(broken == .truncated || broken == .connectionClosed)
                let resumed = await failure(of: Task { try await api.download("file", to: .file("\(folder)/a")).value })
                expectEqual(resumed, isRight ? nil : .digestMismatch)
                try expectEqual(Downloading.names(in: folder), isRight ? ["a"] : [])
                expectEqual(server.requests().map { $0.headers["Range"] == nil }, [true, false])
                guard isRight else { return }
                let saved = try Downloading.bytes("\(folder)/a")
                #expect(saved == content)
            }
        }
    }
}
