import Crypto
import SternaPlatform
import SternaTesting
import Synchronization

/// A small server of S3 on the route `/bucket/{key}` of a test server, with faults.
final class S3Model: Sendable {
    /// A fault of one request.
    enum Fault: Sendable, Hashable {
        /// The connection is reset after so many bytes of content.
        case cut(after: Int)
        /// The request is processed, but its response is lost.
        case cutAnswer
        /// A response without any effect, with a code of S3 in XML if one is given.
        case status(Int, String?)
        /// The request is not processed: a successful status with an error in the body.
        case carried(String)
        /// The request is processed, and answered with any body.
        case body(String)
        /// The request is processed, and answered without an entity tag.
        case withoutTag
        /// The server has forgotten all uploads.
        case forget
        /// The list of parts names all sizes one byte too large.
        case lyingSizes
        /// The list of parts names other entity tags.
        case lyingTags
        /// The list of parts has all parts up to a number, whether or not the server has them.
        case lyingParts(Int, size: Int)
        /// The list of parts does not end.
        case endless
    }

    struct Part: Sendable, Hashable {
        var bytes: [UInt8]
        var tag: String
        var checksum: String?
    }

    struct Object: Sendable {
        var bytes: [UInt8]
        var tag: String
        var fields: ServerHeaders
    }

    private struct State: Sendable {
        var uploads: [String: (parts: [Int: Part], fields: ServerHeaders)] = [:]
        var objects: [String: Object] = [:]
        var lastID = 0
        var log: [String] = []
        var requests: [(step: String, fields: ServerHeaders)] = []
        var received = 0
        var (running, most) = (0, 0)
        var completion = ""
    }

    private let fault: @Sendable (_ step: String, _ count: Int) -> Fault?
    private let pageSize: Int
    private let hold: (@Sendable () async -> Void)?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - pageSize: the number of parts in a page of their list.
    ///   - fault: the fault of a request, by its step (`create`, `part 3`, `list`, `complete`, `abort`, `head`, `put`) and how many of that
    ///     step came before it.
    ///   - hold: waits before the response to a part.
    init(
        pageSize: Int = 1_000, fault: @escaping @Sendable (String, Int) -> Fault? = { _, _ in nil },
        hold: (@Sendable () async -> Void)? = nil
    ) {
        (self.pageSize, self.hold, self.fault) = (pageSize, hold, fault)
    }

    /// The steps of the requests.
    var log: [String] { state.withLock { $0.log } }
    var objects: [String: Object] { state.withLock { $0.objects } }
    var uploadCount: Int { state.withLock { $0.uploads.count } }
    var creations: Int { log.filter { $0 == "create" }.count }
    /// The bytes of content that were stored.
    var received: Int { state.withLock { $0.received } }
    /// The most parts at the same time.
    var concurrency: Int { state.withLock { $0.most } }
    /// The body of the last completion.
    var completion: String { state.withLock { $0.completion } }

    func fields(of step: String) -> ServerHeaders? {
        state.withLock { $0.requests.first { $0.step == step }?.fields }
    }

    var areAllSigned: Bool {
        state.withLock {
            $0.requests.allSatisfy { $0.fields["Authorization"]?.hasPrefix("AWS4-HMAC-SHA256 ") == true }
        }
    }

    func serve(on server: TestServer) { server.route(nil, "/bucket/{key}") { try await self.answer($0) } }

    private static func step(_ request: ServerRequest) -> String {
        let part = request.query("partNumber")
        return switch request.method {
        case "POST": request.query("uploads") != nil ? "create" : "complete"
        case "PUT": part.map { "part \($0)" } ?? "put"
        case "GET": "list"
        case "HEAD": "head"
        default: "abort"
        }
    }

    private func answer(_ request: ServerRequest) async throws -> ServerResponse {
        let step = Self.step(request)
        let before = state.withLock { state in
            defer {
                state.log.append(step)
                state.requests.append((step, request.headers))
            }
            return state.log.filter { $0 == step }.count
        }
        let fault = fault(step, before)
        switch fault {
        case .cut(let count):
            var received = 0
            for try await piece in request.body {
                received += piece.count
                if received >= count { break }
            }
            return ServerResponse(body: .raw { await $0.reset() })
        case .status(let status, let code):
            _ = try await request.body.collect()
            guard let code else { return ServerResponse(status: status) }
            return .text(
                "<Error><Code>\(code)</Code><Message>The server's words</Message></Error>",
                mediaType: "application/xml",
                status: status)
        case .carried(let code):
            _ = try await request.body.collect()
            return .text("  \n \n<Error><Code>\(code)</Code></Error>", mediaType: "application/xml")
        case .forget: state.withLock { $0.uploads = [:] }
        default: break
        }
        let response = try await take(request, step, fault)
        switch fault {
        case .cutAnswer: return ServerResponse(body: .raw { await $0.reset() })
        case .body(let text): return .text(text, mediaType: "application/xml")
        default: return response
        }
    }

    private func take(_ request: ServerRequest, _ step: String, _ fault: Fault?) async throws -> ServerResponse {
        let key = request.parameters["key"] ?? ""
        let id = request.query("uploadId") ?? ""
        switch request.method {
        case "POST" where step == "create":
            let id = state.withLock { state in
                state.lastID += 1
                let id = "upload/\(state.lastID)+="
                state.uploads[id] = ([:], request.headers)
                return id
            }
            return .text(
                "<?xml version=\"1.0\"?>\n<InitiateMultipartUploadResult><UploadId>\(id)</UploadId></InitiateMultipartUploadResult>",
                mediaType: "application/xml")
        case "PUT" where step == "put":
            let bytes = try await request.body.collect()
            let tag = "\"\(Self.hex(Insecure.MD5.hash(data: bytes)))\""
            state.withLock { $0.objects[key] = Object(bytes: bytes, tag: tag, fields: request.headers) }
            return ServerResponse(headers: ["ETag": tag])
        case "PUT": return try await part(request, id, fault)
        case "GET": return list(request, id, fault)
        case "HEAD":
            guard let object = objects[key] else { return ServerResponse(status: 404) }
            return ServerResponse(
                headers: [
                    "ETag": object.tag, "Content-Length": "\(object.bytes.count)",
                    "Last-Modified": "Wed, 25 Nov 2026 12:00:00 GMT",
                ])
        case "POST": return complete(String(decoding: try await request.body.collect(), as: UTF8.self), key, id)
        default:
            let isKnown = state.withLock { $0.uploads.removeValue(forKey: id) != nil }
            return isKnown ? ServerResponse(status: 204) : Self.unknown
        }
    }

    private func part(_ request: ServerRequest, _ id: String, _ fault: Fault?) async throws -> ServerResponse {
        state.withLock { state in
            state.running += 1
            state.most = max(state.most, state.running)
        }
        defer { state.withLock { $0.running -= 1 } }
        let bytes = try await request.body.collect()
        await hold?()
        let tag = "\"\(Self.hex(Insecure.MD5.hash(data: bytes)))\""
        let number = request.query("partNumber").flatMap { Int($0) } ?? 0
        let isKnown = state.withLock { state in
            state.received += bytes.count
            guard state.uploads[id] != nil else { return false }
            let checksum = request.headers["x-amz-checksum-sha256"]
            state.uploads[id]?.parts[number] = Part(bytes: bytes, tag: tag, checksum: checksum)
            return true
        }
        guard isKnown else { return Self.unknown }
        return ServerResponse(headers: fault == .withoutTag ? [:] : ["ETag": tag])
    }

    private func list(_ request: ServerRequest, _ id: String, _ fault: Fault?) -> ServerResponse {
        guard let upload = state.withLock({ $0.uploads[id] }) else { return Self.unknown }
        let marker = request.query("part-number-marker").flatMap { Int($0) } ?? 0
        var parts = upload.parts.map { ($0, $1.bytes.count, $1.tag) }
        if case .lyingParts(let count, let size) = fault { parts = (1...count).map { ($0, size, "\"made-up\"") } }
        let page = parts.filter { $0.0 > marker }.sorted { $0.0 < $1.0 }.prefix(pageSize)
        let isLast = page.last?.0 == parts.map(\.0).max()
        var text = "<ListPartsResult><IsTruncated>\(fault == .endless ? true : !isLast)</IsTruncated>"
        text += "<NextPartNumberMarker>\(page.last?.0 ?? 0)</NextPartNumberMarker>"
        for (number, size, tag) in page {
            let size = fault == .lyingSizes ? size + 1 : size
            let tag = fault == .lyingTags ? "\"0\"" : tag
            text += "<Part><PartNumber>\(number)</PartNumber><Size>\(size)</Size>"
            text += "<ETag>\(tag.replacing("\"", with: "&quot;"))</ETag></Part>"
        }
        return .text(text + "</ListPartsResult>", mediaType: "application/xml")
    }

    private func complete(_ body: String, _ key: String, _ id: String) -> ServerResponse {
        state.withLock { state in
            state.completion = body
            guard let upload = state.uploads[id] else { return Self.unknown }
            let parts = body.split(separator: "<Part>").dropFirst().map { text -> Part? in
                guard let number = Self.element("PartNumber", text).flatMap({ Int($0) }),
                    let part = upload.parts[number],
                    Self.element("ETag", text)?.replacing("&quot;", with: "\"") == part.tag
                else { return nil }
                return part
            }
            guard !parts.isEmpty, !parts.contains(nil) else {
                return .text("<Error><Code>InvalidPart</Code></Error>", mediaType: "application/xml", status: 400)
            }
            let known = parts.compactMap { $0 }
            var sum = Insecure.MD5()
            for part in known { sum.update(data: Data(Insecure.MD5.hash(data: part.bytes))) }
            let tag = "\"\(Self.hex(sum.finalize()))-\(known.count)\""
            state.objects[key] = Object(bytes: known.flatMap(\.bytes), tag: tag, fields: upload.fields)
            state.uploads[id] = nil
            return .text(
                "\n  <CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>",
                mediaType: "application/xml", headers: ["ETag": tag])
        }
    }

    private static func element(_ name: String, _ text: some StringProtocol) -> String? {
        let text = String(text)
        guard let start = text.firstRange(of: "<\(name)>"), let end = text.firstRange(of: "</\(name)>"),
            start.upperBound <= end.lowerBound
        else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static var unknown: ServerResponse {
        .text("<Error><Code>NoSuchUpload</Code></Error>", mediaType: "application/xml", status: 404)
    }
}
