import SternaTesting
import Synchronization

/// A small server of both protocols, on the routes `/files` and `/files/{id}` of a test server, with faults.
final class UploadModel: Sendable {
    /// A fault of one request.
    enum Fault: Sendable, Hashable {
        /// So many bytes of content are stored, then the connection is reset.
        case cut(after: Int)
        /// The same, but the last bytes are stored only after the next request for the offset.
        case cutLate(after: Int, late: Int)
        /// The request is processed, but its response is lost.
        case cutAnswer
        /// So many bytes are stored and confirmed by a 104, then the connection is reset.
        case informAndCut(after: Int)
        /// The content is stored, and confirmed by so many interim responses before the final one.
        case chatty(Int)
        /// Interim responses without end.
        case endless
        /// A response without any effect.
        case status(Int, [String: String])
        /// 503 with a body that does not end.
        case drip
        /// A wrong offset.
        case offset(Int)
        /// A 104 with the upload's URL, then the connection is reset.
        case locateAndCut(version: Int)
        /// A response to the creation with another URL.
        case location(String)
        /// The server has forgotten the upload.
        case forget
    }

    struct Upload: Sendable {
        var bytes: [UInt8] = []
        var late: [UInt8] = []
        var length: Int?
        var isComplete = false
        var isPartial = false
    }

    private struct State: Sendable {
        var uploads: [String: Upload] = [:]
        var creations = 0
        var requests = 0
        var log: [String] = []
        var received = 0
    }

    let versions: Set<Int>
    let extensions: String
    let limit: String
    private let fault: @Sendable (_ number: Int, _ method: String) -> Fault?
    private let state = Mutex(State())
    private let resets = Mutex<@Sendable (Int) async -> Void>({ _ in })

    /// - Parameters:
    ///   - versions: the interop versions of the IETF protocol; none for a server of tus.
    ///   - limit: the value of Upload-Limit.
    ///   - fault: the fault of a request, by its number from 0 and its method.
    init(
        versions: Set<Int> = [],
        extensions: String = "creation,creation-with-upload,creation-defer-length,checksum,"
            + "checksum-trailer,expiration,termination,concatenation", limit: String = "min-size=0",
        fault: @escaping @Sendable (Int, String) -> Fault? = { _, _ in nil }
    ) {
        (self.versions, self.extensions, self.limit, self.fault) = (versions, extensions, limit, fault)
    }

    var uploads: [Upload] { state.withLock { $0.uploads.sorted { $0.key < $1.key }.map(\.value) } }
    var creations: Int { state.withLock { $0.creations } }

    /// The methods of the requests, with their special fields.
    var log: [String] { state.withLock { $0.log } }

    /// The number of bytes of content that were stored in all uploads, those that were forgotten included.
    var received: Int { state.withLock { $0.received } }

    func serve(on server: TestServer) {
        // A weak reference: the server has the routes.
        resets.withLock { resets in resets = { [weak server] in await server?.resetConnection($0) } }
        server.route(nil, "/files") { try await self.answer($0, nil) }
        server.route(nil, "/files/{id}") { try await self.answer($0, $0.parameters["id"]) }
    }

    private var isTus: Bool { versions.isEmpty }

    private func answer(_ request: ServerRequest, _ id: String?) async throws -> ServerResponse {
        let number = state.withLock { state in
            state.log.append(request.method)
            defer { state.requests += 1 }
            return state.requests
        }
        let fault = fault(number, request.method)
        switch fault {
        case .status(let status, let fields):
            return ServerResponse(status: status, headers: ServerHeaders(fields.map { .init(name: $0, value: $1) }))
        case .drip:
            return ServerResponse(
                body: .raw { connection in
                    try await connection.write("HTTP/1.1 503 No\r\nContent-Length: 9\r\n\r\nx")
                    await connection.waitForClose()
                })
        case .endless:
            return ServerResponse(
                body: .raw { connection in
                    while true {
                        try await connection.write(
                            "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 8\r\n\r\n")
                    }
                })
        case .forget:
            state.withLock { $0.uploads = [:] }
        default: break
        }
        if !isTus, let refusal = refusal(request) { return refusal }
        // By X-HTTP-Method-Override, a POST is another method.
        switch (request.headers["X-HTTP-Method-Override"] ?? request.method, id) {
        case ("OPTIONS", nil): return options()
        case ("POST", nil): return try await create(request, fault)
        case ("HEAD", let id?): return ask(id, fault)
        case ("PATCH", let id?): return try await append(request, id, fault)
        case ("DELETE", let id?):
            let isKnown = state.withLock { $0.uploads.removeValue(forKey: id) != nil }
            return response(isKnown ? 204 : 404)
        default: return response(405)
        }
    }

    private func refusal(_ request: ServerRequest) -> ServerResponse? {
        let version = request.headers["Upload-Draft-Interop-Version"].flatMap { Int($0) } ?? 0
        if versions.contains(version) { return nil }
        return response(400)
    }

    private func response(_ status: Int, _ fields: [(String, String)] = []) -> ServerResponse {
        var headers = ServerHeaders(fields.map { .init(name: $0.0, value: $0.1) })
        if isTus { headers.add("Tus-Resumable", "1.0.0") }
        return ServerResponse(status: status, headers: headers)
    }

    private func options() -> ServerResponse {
        isTus
            ? response(
                204,
                [
                    ("Tus-Version", "1.0.0"), ("Tus-Extension", extensions),
                    ("Tus-Checksum-Algorithm", "md5,sha1,sha256"),
                ])
            : response(204, [("Upload-Limit", limit)])
    }

    /// Adds the target resource's response to a complete upload.
    private func answered(_ response: ServerResponse) -> ServerResponse {
        guard response.status == 200 else { return response }
        var response = response
        response.body = .bytes(Array("thanks".utf8))
        return response
    }

    // MARK: Creation

    private func create(_ request: ServerRequest, _ fault: Fault?) async throws -> ServerResponse {
        let concatenation = request.headers["Upload-Concat"] ?? ""
        let joined = state.withLock { state -> [UInt8] in
            guard concatenation.hasPrefix("final;") else { return [] }
            let names = concatenation.dropFirst(6).split(separator: " ").map { $0.split(separator: "/").last ?? "" }
            return names.flatMap { (name: Substring) -> [UInt8] in state.uploads[String(name)]?.bytes ?? [] }
        }
        let id = state.withLock { state -> String in
            state.creations += 1
            var upload = Upload()
            upload.length = request.headers["Upload-Length"].flatMap { Int($0) }
            upload.isPartial = concatenation == "partial"
            upload.bytes = joined
            if concatenation.hasPrefix("final;") { (upload.length, upload.isComplete) = (joined.count, true) }
            let id = "u\(state.creations)"
            state.uploads[id] = upload
            return id
        }
        if case .locateAndCut(let version) = fault {
            return raw(
                "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: \(version)\r\n"
                    + "Location: /files/\(id)\r\n\r\n")
        }
        if let cut = try await store(request, id, fault) { return cut }
        finish(id, isComplete(request))
        if fault == .cutAnswer { return raw("") }
        var location = "/files/\(id)"
        if case .location(let other) = fault { location = other }
        var fields = [("Location", location)]
        let upload = state.withLock { $0.uploads[id] } ?? Upload()
        if isTus {
            if request.headers["Content-Type"] != nil { fields.append(("Upload-Offset", "\(upload.bytes.count)")) }
        } else {
            fields += [("Upload-Limit", limit), completeness(upload, request)]
        }
        return response(201, fields)
    }

    // MARK: Content

    private func append(_ request: ServerRequest, _ id: String, _ fault: Fault?) async throws -> ServerResponse {
        guard let upload = state.withLock({ $0.uploads[id] }) else { return response(404) }
        let current = upload.bytes.count
        guard request.headers["Upload-Offset"] == "\(current)" else {
            state.withLock { $0.log.append("mismatch") }
            return response(409, [("Upload-Offset", "\(current)")])
        }
        if let length = request.headers["Upload-Length"].flatMap({ Int($0) }) {
            state.withLock { $0.uploads[id]?.length = length }
        }
        if let cut = try await store(request, id, fault) { return cut }
        finish(id, isComplete(request))
        if fault == .cutAnswer { return raw("") }
        let after = state.withLock { $0.uploads[id] } ?? Upload()
        if case .chatty(let count) = fault {
            let progress =
                "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 8\r\n"
                + "Upload-Offset: \(after.bytes.count)\r\n\r\n"
            return raw(
                String(repeating: progress, count: count)
                    + "HTTP/1.1 204 No Content\r\nUpload-Complete: \(after.isComplete ? "?1" : "?0")\r\n\r\n")
        }
        return isTus
            ? response(204, [("Upload-Offset", "\(after.bytes.count)")])
            : answered(response(after.isComplete ? 200 : 204, [completeness(after, request)]))
    }

    /// Stores a request's content; returns the response that cuts the connection.
    private func store(_ request: ServerRequest, _ id: String, _ fault: Fault?) async throws -> ServerResponse? {
        var (most, late) = (Int.max, 0)
        switch fault {
        case .cut(let count), .informAndCut(let count): most = count
        case .cutLate(let count, let rest): (most, late) = (count + rest, rest)
        default: break
        }
        let start = state.withLock { $0.uploads[id]?.bytes.count }
        var taken: [UInt8] = []
        do {
            for try await piece in request.body {
                taken += piece.prefix(most - taken.count)
                guard taken.count >= most else { continue }
                // Before the loop ends: the rest of the body would be read after it, all of it on a busy machine.
                if case .cut = fault { await resets.withLock { $0 }(request.connection) }
                break
            }
        } catch {
            // The client has closed: the received bytes are kept.
        }
        let stored = taken
        let offset = state.withLock { state -> Int? in
            // After a cut there may be two requests: the bytes of the second count, and the first is too late.
            guard state.uploads[id]?.bytes.count == start else { return nil }
            state.received += stored.count
            let kept = most == .max ? stored.count : max(0, stored.count - late)
            state.uploads[id]?.bytes += stored.prefix(kept)
            state.uploads[id]?.late = Array(stored.dropFirst(kept))
            return state.uploads[id]?.bytes.count ?? 0
        }
        guard let offset else { return response(409) }
        switch fault {
        case .cut, .cutLate: return raw("")
        case .informAndCut:
            return raw(
                "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 5\r\nUpload-Offset: 1\r\n\r\n"
                    + "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 8\r\n"
                    + "Upload-Offset: \(offset)\r\n\r\n")
        default: return nil
        }
    }

    private func raw(_ text: String) -> ServerResponse {
        ServerResponse(
            body: .raw { connection in
                guard !text.isEmpty else { return await connection.reset() }
                try await connection.write(text)
            })
    }

    private func isComplete(_ request: ServerRequest) -> Bool {
        request.headers["Upload-Complete"] == "?1" || request.headers["Upload-Incomplete"] == "?0"
    }

    private func finish(_ id: String, _ isComplete: Bool) {
        state.withLock { state in
            guard let upload = state.uploads[id] else { return }
            state.uploads[id]?.isComplete = isTus ? upload.bytes.count == upload.length : isComplete
        }
    }

    private func completeness(_ upload: Upload, _ request: ServerRequest) -> (String, String) {
        request.headers["Upload-Draft-Interop-Version"] == "3"
            ? ("Upload-Incomplete", upload.isComplete ? "?0" : "?1")
            : ("Upload-Complete", upload.isComplete ? "?1" : "?0")
    }

    private func ask(_ id: String, _ fault: Fault?) -> ServerResponse {
        guard let upload = state.withLock({ $0.uploads[id] }) else { return response(404) }
        var offset = upload.bytes.count
        if case .offset(let other) = fault { offset = other }
        state.withLock { state in
            state.uploads[id]?.bytes += upload.late
            state.uploads[id]?.late = []
            // In tus an upload is complete with its last byte.
            if isTus, let now = state.uploads[id] { state.uploads[id]?.isComplete = now.bytes.count == now.length }
        }
        var fields = [("Upload-Offset", "\(offset)"), ("Cache-Control", "no-store")]
        if let length = upload.length { fields.append(("Upload-Length", "\(length)")) }
        if !isTus {
            fields += [("Upload-Complete", upload.isComplete ? "?1" : "?0"), ("Upload-Limit", limit)]
        }
        return response(isTus ? 200 : 204, fields)
    }
}
