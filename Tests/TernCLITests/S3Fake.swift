import Crypto
import SternaPlatform
import SternaTesting
import Synchronization

/// A small server of S3's multipart uploads on the route `/bucket/{key}` of a test server. It refuses requests without a signature.
final class S3Fake: Sendable {
    private struct State: Sendable {
        var log: [String] = []
        var uploads: [String: [Int: [UInt8]]] = [:]
        var objects: [String: [UInt8]] = [:]
        var held: Set<String> = []
    }

    private let state: Mutex<State>

    /// - Parameter held: steps without a response until the client gives up.
    init(held: Set<String> = []) { state = Mutex(State(held: held)) }

    /// The steps of the requests so far: `create`, `part 1`, `list`, `complete`, `abort`.
    var log: [String] { state.withLock { $0.log } }

    var objects: [String: [UInt8]] { state.withLock { $0.objects } }

    /// The number of uploads that are neither complete nor aborted.
    var uploadCount: Int { state.withLock { $0.uploads.count } }

    /// Answers all steps from now on.
    func release() { state.withLock { $0.held = [] } }

    func serve(on server: TestServer) { server.route(nil, "/bucket/{key}") { try await self.answer($0) } }

    private func answer(_ request: ServerRequest) async throws -> ServerResponse {
        let id = request.query("uploadId") ?? ""
        let number = request.query("partNumber").flatMap { Int($0) } ?? 0
        let step =
            switch request.method {
            case "POST": request.query("uploads") != nil ? "create" : "complete"
            case "PUT": "part \(number)"
            case "GET": "list"
            default: "abort"
            }
        let bytes = try await request.body.collect()
        let signature = request.headers["Authorization"] ?? ""
        guard signature.hasPrefix("AWS4-HMAC-SHA256 Credential=AKID/"), signature.contains("/eu-central-1/s3/") else {
            return .text("<Error><Code>AccessDenied</Code></Error>", mediaType: "application/xml", status: 403)
        }
        let isHeld = state.withLock { state in
            state.log.append(step)
            return state.held.contains(step)
        }
        // Longer than the test; the client's end cancels it.
        if isHeld { try await Task.sleep(for: .seconds(600)) }
        return state.withLock { state in
            if step == "create" {
                let id = "upload\(state.log.count)"
                state.uploads[id] = [:]
                return Self.xml(
                    "<InitiateMultipartUploadResult><UploadId>\(id)</UploadId></InitiateMultipartUploadResult>")
            }
            guard let parts = state.uploads[id] else {
                return .text("<Error><Code>NoSuchUpload</Code></Error>", mediaType: "application/xml", status: 404)
            }
            switch step {
            case "list":
                let listed = parts.sorted { $0.key < $1.key }.map {
                    "<Part><PartNumber>\($0.key)</PartNumber><ETag>\(Self.tag($0.value))</ETag><Size>\($0.value.count)</Size></Part>"
                }
                return Self.xml(
                    "<ListPartsResult><IsTruncated>false</IsTruncated>\(listed.joined())</ListPartsResult>")
            case "complete":
                state.objects[request.parameters["key"] ?? ""] = parts.sorted { $0.key < $1.key }.flatMap(\.value)
                state.uploads[id] = nil
                return Self.xml("<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>")
            case "abort":
                state.uploads[id] = nil
                return ServerResponse(status: 204)
            default:
                state.uploads[id]?[number] = bytes
                return ServerResponse(headers: ["ETag": Self.tag(bytes)])
            }
        }
    }

    private static func xml(_ text: String) -> ServerResponse { .text(text, mediaType: "application/xml") }

    private static func tag(_ bytes: [UInt8]) -> String {
        let hash = Insecure.MD5.hash(data: bytes)
        return "\"\(hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())\""
    }
}
