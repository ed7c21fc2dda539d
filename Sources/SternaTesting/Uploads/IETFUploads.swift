import SternaPlatform

/// The server's side of draft-ietf-httpbis-resumable-upload, interop versions 3 (draft -01) to 8 (-09 to -11).
struct IETFUploads: Sendable {
    let server: UploadServer

    /// An interop version, and how it differs from later ones.
    struct Version: Sendable, Hashable {
        let number: Int

        var hasLimits: Bool { number >= 6 }
        var hasProblems: Bool { number >= 6 }
        var hasPartialType: Bool { number >= 6 }
        /// Whether a 104 may report progress.
        var hasProgress: Bool { number >= 4 }
        /// Whether responses that leave the upload open have its offset, and the status 201.
        var alwaysHasOffset: Bool { number <= 6 }
        var refusesFieldsElsewhere: Bool { number <= 6 }

        func isComplete(_ headers: ServerHeaders) -> Bool? {
            number == 3
                ? UploadText.boolean(headers["Upload-Incomplete"]).map { !$0 }
                : UploadText.boolean(headers["Upload-Complete"])
        }

        func completeness(_ isComplete: Bool) -> (String, String) {
            number == 3
                ? ("Upload-Incomplete", isComplete ? "?0" : "?1") : ("Upload-Complete", isComplete ? "?1" : "?0")
        }
    }

    /// The number of bytes between two reports of progress.
    private static let progressStep: Int64 = 1 << 20

    // MARK: The target

    func create(_ request: ServerRequest) async throws -> ServerResponse {
        let faults = try UploadFaults(request.query ?? "")
        if let refusal = try server.refusal(request, request.method, faults, nil) { return refusal }
        let version: Version
        switch self.version(request, faults) {
        case .success(let found): version = found
        case .failure(let refusal): return refusal.response
        }
        switch request.method {
        case "OPTIONS":
            var headers = limits(version, faults, server.options.lifetime.components.seconds)
            if version.number == 8 { headers.add("Accept-Patch", "application/partial-upload") }
            return ServerResponse(status: 204, headers: headers)
        case "POST", "PUT", "PATCH": return try await create(request, version, faults)
        default: return .message("uploads are created by POST, PUT or PATCH", status: 405)
        }
    }

    private func create(
        _ request: ServerRequest, _ version: Version, _ faults: UploadFaults
    ) async throws -> ServerResponse {
        guard let completes = version.isComplete(request.headers) else {
            return .message("the request has no Upload-Complete", status: 400)
        }
        guard UploadText.number(request.headers["Upload-Offset"]) ?? 0 == 0 else {
            return .message("a creation has no Upload-Offset", status: 400)
        }
        let content = UploadText.number(request.headers["Content-Length"])
        let told = version.hasLimits ? UploadText.number(request.headers["Upload-Length"]) : nil
        if completes, let content, let told, content != told { return inconsistent(version) }
        let length = told ?? (completes ? content : nil)
        if let length, length > most(faults) {
            return .message(
                "the upload is too large", status: 413,
                headers: limits(version, faults, server.options.lifetime.components.seconds))
        }
        if let refusal = oversize(content, version, faults) { return refusal }
        let upload = try server.add(
            UploadRecord(
                dialect: .ietf, query: request.query ?? "", length: length, expires: server.expiry(faults)))
        let location = ("Location", server.location(upload, request, faults))
        do {
            var first = limits(version, faults, remaining(upload))
            first.add(location.0, location.1)
            first.add("Upload-Draft-Interop-Version", "\(version.number)")
            try await request.inform(104, first)
        } catch {
            // The client has closed and does not know the upload.
            server.remove(upload)
            throw error
        }
        return try await take(request, upload, version, faults, completes: completes) { response in
            if !upload.record.isComplete {
                response.status = 201
                response.headers.fields += limits(version, faults, remaining(upload)).fields
            }
            response.headers.add(location.0, location.1)
        }
    }

    // MARK: One upload

    func answer(_ request: ServerRequest, _ upload: StoredUpload) async throws -> ServerResponse {
        let faults = try UploadFaults(upload.record.query)
        let version: Version
        switch self.version(request, faults) {
        case .success(let found): version = found
        case .failure(let refusal): return refusal.response
        }
        if server.removeIfExpired(upload) {
            return .message("the upload has expired", status: version.number <= 6 ? 404 : 410)
        }
        if let refusal = try server.refusal(request, request.method, faults, upload) { return refusal }
        let isBare = ["Upload-Offset", "Upload-Complete", "Upload-Incomplete", "Upload-Length"].allSatisfy {
            !request.headers.contains($0)
        }
        switch request.method {
        case "HEAD", "GET":
            guard isBare || !version.refusesFieldsElsewhere else {
                return .message("\(request.method) has no fields of uploads", status: 400)
            }
            return try offset(upload, version, faults)
        case "DELETE":
            guard isBare || !version.refusesFieldsElsewhere else {
                return .message("DELETE has no fields of uploads", status: 400)
            }
            server.remove(upload)
            return ServerResponse(status: 204)
        case "PATCH": return try await append(request, upload, version, faults)
        default: return .message("\(request.method) is not allowed on uploads", status: 405)
        }
    }

    private func offset(_ upload: StoredUpload, _ version: Version, _ faults: UploadFaults) throws -> ServerResponse {
        var (_, offset) = try upload.takeClaim()
        let record = upload.record
        if let fault = faults.offset, try upload.occurs("offset", times: faults.times) {
            offset = fault == .back ? offset / 2 : (record.length ?? offset) + 1
        }
        var headers: ServerHeaders = ["Upload-Offset": "\(offset)", "Cache-Control": "no-store"]
        let (name, value) = version.completeness(record.isComplete)
        headers.add(name, value)
        if version.hasLimits {
            if let length = record.length { headers.add("Upload-Length", "\(length)") }
            headers.fields += limits(version, faults, remaining(upload)).fields
        }
        return ServerResponse(status: 204, headers: headers)
    }

    private func append(
        _ request: ServerRequest, _ upload: StoredUpload, _ version: Version, _ faults: UploadFaults
    ) async throws -> ServerResponse {
        if version.hasPartialType, request.headers["Content-Type"] != "application/partial-upload" {
            return .message("content is application/partial-upload", status: 415)
        }
        guard let offset = UploadText.number(request.headers["Upload-Offset"]) else {
            return .message("content has an Upload-Offset", status: 400)
        }
        // In version 3, content without the field is the last.
        let field = version.isComplete(request.headers)
        guard let completes = field ?? (version.number == 3 ? true : nil) else {
            return .message("content has an Upload-Complete", status: 400)
        }
        let content = UploadText.number(request.headers["Content-Length"])
        let record = upload.record
        if record.isComplete {
            // Repeats the response that was lost.
            if version.number > 6, completes, content == 0, offset == upload.offset { return done(upload, version) }
            return problem("completed-upload", 400, version)
        }
        let current = try upload.takeClaim().offset
        guard offset == current else {
            return problem(
                "mismatching-upload-offset", 409, version,
                [("expected-offset", .number("\(current)")), ("provided-offset", .number("\(offset)"))],
                ["Upload-Offset": "\(current)"])
        }
        if version.hasLimits, let length = UploadText.number(request.headers["Upload-Length"]) {
            guard record.length ?? length == length, length >= current else { return inconsistent(version) }
            guard length <= most(faults) else { return .message("the upload is too large", status: 413) }
            try upload.update { $0.length = length }
        }
        if let content, completes, let length = upload.record.length, current + content != length {
            return inconsistent(version)
        }
        if let refusal = oversize(content, version, faults) { return refusal }
        return try await take(request, upload, version, faults, completes: completes) { response in
            if !upload.record.isComplete { response.status = version.alwaysHasOffset ? 201 : 204 }
        }
    }

    /// Stores a request's content and returns the response.
    ///
    /// - Parameter complete: adds to the response.
    private func take(
        _ request: ServerRequest, _ upload: StoredUpload, _ version: Version, _ faults: UploadFaults, completes: Bool,
        _ complete: (inout ServerResponse) -> Void
    ) async throws -> ServerResponse {
        let (claim, start) = try upload.takeClaim()
        let intake = UploadIntake(upload: upload, claim: claim, faults: faults, limit: most(faults))
        var told = start
        let outcome = try await intake.take(request, from: start) { _, offset in
            guard version.hasProgress, offset - told >= Self.progressStep else { return }
            told = offset
            try await request.inform(
                104, ["Upload-Draft-Interop-Version": "\(version.number)", "Upload-Offset": "\(offset)"])
        }
        switch outcome {
        case .cut, .broken: return .cut
        case .tooLong: return inconsistent(version)
        case .stored(let end):
            if completes {
                guard upload.record.length ?? end == end else { return inconsistent(version) }
                try upload.update { ($0.length, $0.isComplete) = (end, true) }
            }
            if completes || end > start {
                if faults.isAnswerLost, try upload.occurs("lost", times: faults.times) { return .cut }
                try await faults.inform(request, version: version.number, offset: end)
            }
            var response = completes ? done(upload, version) : ServerResponse(status: 204)
            if !completes {
                let (name, value) = version.completeness(false)
                response.headers.add(name, value)
                if version.alwaysHasOffset { response.headers.add("Upload-Offset", "\(end)") }
            }
            complete(&response)
            return response
        }
    }

    /// The response of the target resource, which has all of the content.
    private func done(_ upload: StoredUpload, _ version: Version) -> ServerResponse {
        let (name, value) = version.completeness(true)
        var headers: ServerHeaders = [name: value]
        if version.alwaysHasOffset { headers.add("Upload-Offset", "\(upload.offset)") }
        return .text("\(upload.offset) bytes\n", headers: headers)
    }

    // MARK: Versions, limits, problems

    private struct Refusal: Error {
        let response: ServerResponse
    }

    private func version(_ request: ServerRequest, _ faults: UploadFaults) -> Result<Version, Refusal> {
        let number = UploadText.number(request.headers["Upload-Draft-Interop-Version"])
        let spoken = faults.interop.map { [$0] } ?? Array(3...8)
        if let number, let found = spoken.first(where: { Int64($0) == number }) {
            return .success(Version(number: found))
        }
        let headers: ServerHeaders =
            faults.namesInterop ? ["Upload-Draft-Interop-Version": "\(spoken.last ?? 8)"] : [:]
        return .failure(
            Refusal(response: .message("interop version \(spoken.last ?? 8) only", status: 400, headers: headers)))
    }

    /// The largest upload.
    private func most(_ faults: UploadFaults) -> Int64 { min(faults.maxSize ?? .max, server.options.largest) }

    private func remaining(_ upload: StoredUpload) -> Int64 {
        max(0, (upload.record.expires ?? server.now) - server.now)
    }

    private func limits(_ version: Version, _ faults: UploadFaults, _ seconds: Int64) -> ServerHeaders {
        guard version.hasLimits else { return [:] }
        var parts = ["min-size=0", "max-size=\(most(faults))"]
        if let most = faults.maxAppend { parts.append("max-append-size=\(most)") }
        parts.append("\(version.number == 6 ? "expires" : "max-age")=\(seconds)")
        return ["Upload-Limit": parts.joined(separator: ", ")]
    }

    private func oversize(_ content: Int64?, _ version: Version, _ faults: UploadFaults) -> ServerResponse? {
        guard let content, let most = faults.maxAppend, content > most else { return nil }
        return .message(
            "the content is too large", status: 413,
            headers: limits(version, faults, server.options.lifetime.components.seconds))
    }

    private func inconsistent(_ version: Version) -> ServerResponse {
        problem("inconsistent-upload-length", 400, version)
    }

    private func problem(
        _ name: String, _ status: Int, _ version: Version, _ members: [(String, EchoJSON)] = [],
        _ fields: ServerHeaders = [:]
    ) -> ServerResponse {
        var headers = fields
        if status == 409 {
            let (name, value) = version.completeness(false)
            headers.add(name, value)
        }
        guard version.hasProblems else { return ServerResponse(status: status, headers: headers) }
        headers.add("Content-Type", "application/problem+json")
        let type = EchoJSON.string("https://iana.org/assignments/http-problem-types#\(name)")
        let text = EchoJSON.object([("type", type), ("title", .string(name))] + members).text()
        return ServerResponse(status: status, headers: headers, body: .bytes(Array(text.utf8)))
    }
}
