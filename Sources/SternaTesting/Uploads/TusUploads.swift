import NIOCore
import SternaPlatform

/// The server's side of tus 1.0.0 with its extensions.
struct TusUploads: Sendable {
    let server: UploadServer

    static let extensions =
        "creation,creation-with-upload,creation-defer-length,checksum,checksum-trailer,expiration,termination,concatenation"

    private static let contentType = "application/offset+octet-stream"

    /// The longest field value, in bytes.
    static let longestField = 16 << 10

    // MARK: The creation URL

    func create(_ request: ServerRequest) async throws -> ServerResponse {
        let faults = try UploadFaults(request.query ?? "")
        let method = method(of: request)
        if let refusal = try server.refusal(request, method, faults, nil) { return refusal }
        switch method {
        case "OPTIONS":
            return ServerResponse(
                status: 204,
                headers: [
                    "Tus-Resumable": "1.0.0", "Tus-Version": "1.0.0", "Tus-Extension": Self.extensions,
                    "Tus-Max-Size": "\(most(faults))", "Tus-Checksum-Algorithm": UploadChecksum.algorithms,
                ])
        case "POST":
            if let refusal = wrongVersion(request) { return refusal }
            return try await create(request, faults)
        default: return response(405)
        }
    }

    private func create(_ request: ServerRequest, _ faults: UploadFaults) async throws -> ServerResponse {
        var record = UploadRecord(dialect: .tus, query: request.query ?? "")
        record.expires = server.expiry(faults)
        record.metadata = request.headers["Upload-Metadata"]
        record.concatenation = request.headers["Upload-Concat"]
        for text in [record.metadata, record.concatenation].compactMap({ $0 }) where text.utf8.count > Self.longestField
        {
            return response(400)
        }
        guard record.metadata.map(UploadText.isMetadata) ?? true else {
            return response(400, "Upload-Metadata is malformed")
        }
        if record.isFinal { return try join(record, request, faults) }
        guard record.concatenation == nil || record.isPartial else {
            return response(400, "Upload-Concat is malformed")
        }
        let length = request.headers["Upload-Length"]
        let deferral = request.headers["Upload-Defer-Length"]
        record.length = UploadText.number(length)
        guard (length == nil) != (deferral == nil), deferral == nil || deferral == "1",
            length == nil || record.length != nil
        else { return response(400, "the request has Upload-Length, or Upload-Defer-Length: 1") }
        if let length = record.length, length > most(faults) { return response(413) }
        let hasContent = hasContent(request)
        if hasContent, request.headers["Content-Type"] != Self.contentType { return response(415) }
        if let refusal = oversize(request, faults) { return refusal }
        record.isComplete = record.length == 0
        let upload = try server.add(record)
        let location = server.location(upload, request, faults)
        guard hasContent else { return response(201, fields: [("Location", location)] + expiry(upload)) }
        let answer = try await take(request, upload, faults)
        guard answer.status == 204 else {
            // Its content was refused, so the client does not learn of the upload.
            if answer.status >= 400 { server.remove(upload) }
            return answer
        }
        return response(
            201, fields: [("Location", location), ("Upload-Offset", "\(upload.offset)")] + expiry(upload))
    }

    /// Joins partial uploads.
    private func join(_ record: UploadRecord, _ request: ServerRequest, _ faults: UploadFaults) throws -> ServerResponse
    {
        guard request.headers["Upload-Length"] == nil else { return response(400, "the length follows from the parts") }
        guard let ids = UploadText.parts(of: record.concatenation ?? "") else {
            return response(400, "Upload-Concat must name 1 to \(UploadText.mostParts) uploads of this server")
        }
        var parts: [StoredUpload] = []
        var length: Int64 = 0
        for id in ids {
            guard let part = try server.upload(id), !server.removeIfExpired(part), part.record.isPartial,
                part.record.isComplete
            else {
                return response(400, "a part does not exist, or is not complete")
            }
            parts.append(part)
            guard part.offset <= most(faults) - length else { return response(413) }
            length += part.offset
        }
        var record = record
        record.length = length
        let upload = try server.add(record)
        let (claim, _) = try upload.takeClaim()
        for part in parts {
            try part.read { _ = try upload.append(ByteBuffer(bytes: $0), claim, upTo: length) }
        }
        try upload.update { $0.isComplete = true }
        if faults.isAnswerLost, try upload.occurs("lost", times: faults.times) { return .cut }
        return response(201, fields: [("Location", server.location(upload, request, faults))] + expiry(upload))
    }

    // MARK: One upload

    func answer(_ request: ServerRequest, _ upload: StoredUpload) async throws -> ServerResponse {
        let faults = try UploadFaults(upload.record.query)
        let method = method(of: request)
        if let refusal = wrongVersion(request) { return refusal }
        if server.removeIfExpired(upload) { return response(410) }
        if let refusal = try server.refusal(request, method, faults, upload) { return refusal }
        switch method {
        case "HEAD": return try offset(upload, faults)
        case "PATCH": return try await append(request, upload, faults)
        case "DELETE":
            server.remove(upload)
            return response(204)
        default: return response(405)
        }
    }

    private func offset(_ upload: StoredUpload, _ faults: UploadFaults) throws -> ServerResponse {
        var (_, offset) = try upload.takeClaim()
        // The connection may have been cut right after the last byte, before the upload was marked.
        if offset == upload.record.length, !upload.record.isComplete { try upload.update { $0.isComplete = true } }
        let record = upload.record
        if let fault = faults.offset, try upload.occurs("offset", times: faults.times) {
            offset = fault == .back ? offset / 2 : (record.length ?? offset) + 1
        }
        var fields = [("Upload-Offset", "\(offset)"), ("Cache-Control", "no-store")]
        fields.append(record.length.map { ("Upload-Length", "\($0)") } ?? ("Upload-Defer-Length", "1"))
        if let metadata = record.metadata { fields.append(("Upload-Metadata", metadata)) }
        if let concatenation = record.concatenation { fields.append(("Upload-Concat", concatenation)) }
        return response(200, fields: fields + expiry(upload))
    }

    private func append(
        _ request: ServerRequest, _ upload: StoredUpload, _ faults: UploadFaults
    ) async throws -> ServerResponse {
        guard request.headers["Content-Type"] == Self.contentType else { return response(415) }
        let record = upload.record
        guard !record.isFinal else { return response(403) }
        guard let offset = UploadText.number(request.headers["Upload-Offset"]) else { return response(400) }
        let current = try upload.takeClaim().offset
        guard offset == current else { return response(409, fields: [("Upload-Offset", "\(current)")]) }
        if let text = request.headers["Upload-Length"] {
            guard let length = UploadText.number(text), record.length ?? length == length, length >= current else {
                return response(400, "Upload-Length differs from the earlier one")
            }
            guard length <= most(faults) else { return response(413) }
            try upload.update { $0.length = length }
        }
        if let refusal = oversize(request, faults) { return refusal }
        return try await take(request, upload, faults)
    }

    /// Stores a request's content; returns 204, or the response for what went wrong.
    private func take(
        _ request: ServerRequest, _ upload: StoredUpload, _ faults: UploadFaults
    ) async throws -> ServerResponse {
        let text = request.headers["Upload-Checksum"]
        let expected = text.flatMap { UploadChecksum.Expected($0) }
        let isTrailing = request.headers.hasToken("Upload-Checksum", in: "Trailer")
        guard text == nil || expected != nil else { return response(400, "Upload-Checksum is malformed") }
        var checksum = UploadChecksum(expected?.algorithm)
        guard checksum.isKnown else { return response(400, "unknown checksum algorithm") }
        let isChecked = expected != nil || isTrailing
        let (claim, start) = try upload.takeClaim()
        if isChecked { try upload.verifyLater(claim) }
        let intake = UploadIntake(upload: upload, claim: claim, faults: faults, limit: most(faults))
        let outcome = try await intake.take(request, from: start) { piece, _ in
            if isChecked { checksum.update(piece) }
        }
        switch outcome {
        case .cut, .broken:
            if isChecked { try upload.verified(false, claim) }
            return .cut
        case .tooLong:
            if isChecked { try upload.verified(false, claim) }
            return response(413)
        case .stored: break
        }
        if isChecked {
            let trailer = request.body.trailers["Upload-Checksum"].flatMap { UploadChecksum.Expected($0) }
            guard let matches = (expected ?? trailer).flatMap({ checksum.matches($0) }) else {
                try upload.verified(false, claim)
                return response(400, "the checksum is missing, or has an unknown algorithm")
            }
            try upload.verified(matches, claim)
            guard matches else { return response(460) }
        }
        let end = upload.offset
        if end == upload.record.length { try upload.update { $0.isComplete = true } }
        if faults.isAnswerLost, try upload.occurs("lost", times: faults.times) { return .cut }
        try await faults.inform(request, version: 8, offset: end)
        return response(204, fields: [("Upload-Offset", "\(end)")] + expiry(upload))
    }

    // MARK: Parts of messages

    private func method(of request: ServerRequest) -> String {
        request.headers["X-HTTP-Method-Override"] ?? request.method
    }

    private func hasContent(_ request: ServerRequest) -> Bool {
        request.headers["Content-Length"].map { $0 != "0" } ?? (request.body.pipe != nil)
    }

    private func wrongVersion(_ request: ServerRequest) -> ServerResponse? {
        guard request.headers["Tus-Resumable"] != "1.0.0" else { return nil }
        return response(412, fields: [("Tus-Version", "1.0.0")])
    }

    private func most(_ faults: UploadFaults) -> Int64 { min(faults.maxSize ?? .max, server.options.largest) }

    private func oversize(_ request: ServerRequest, _ faults: UploadFaults) -> ServerResponse? {
        guard let most = faults.maxAppend, let content = UploadText.number(request.headers["Content-Length"]),
            content > most
        else { return nil }
        return response(413)
    }

    private func expiry(_ upload: StoredUpload) -> [(String, String)] {
        guard let expires = upload.record.expires, let second = Int(exactly: expires) else { return [] }
        // The year 9999 is the last that the field can have.
        return [("Upload-Expires", ServerClock.format(second: min(max(0, second), 253_402_300_799)))]
    }

    private func response(_ status: Int, _ text: String? = nil, fields: [(String, String)] = []) -> ServerResponse {
        var headers: ServerHeaders = ["Tus-Resumable": "1.0.0"]
        for (name, value) in fields { headers.add(name, value) }
        guard let text else { return ServerResponse(status: status, headers: headers) }
        return .message(text, status: status, headers: headers)
    }
}
