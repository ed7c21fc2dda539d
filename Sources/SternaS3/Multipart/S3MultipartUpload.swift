import NIOCore
import Sterna
import SternaPlatform
import SternaTransfers
import Synchronization

/// Runs a multipart upload until it is complete.
struct S3MultipartUpload: Sendable {
    let client: S3UploadClient
    let plan: S3PartPlan
    let checksum: S3UploadFields.Checksum?
    let concurrency: Int

    /// Records a state; awaited before anything that depends on it is sent.
    let record: @Sendable (S3UploadState) async throws -> Void

    let progress: @Sendable (TransferProgress) -> Void

    private var job: UploadJob { client.job }

    /// Returns the response to the complete upload, or that of a HEAD request if the former was lost.
    ///
    /// - Parameter noted: the last recorded state; nil for a new upload.
    func run(from noted: S3UploadState?) async throws -> Response? {
        guard noted != nil || plan.length > plan.partBytes else { return try await whole() }
        var state = noted ?? S3UploadState(plan)
        var isListed = state.uploadID == nil
        // The parts that this run has sent, whose entity tags are reliable.
        var own: [Int: S3Part] = [:]
        while true {
            let before = state
            do {
                return try await attempt(&state, &own, isListed: isListed)
            } catch let error as SternaError {
                switch S3UploadRule.verdict(error) {
                case .gone where state.uploadID != nil:
                    if state.isCompleting, let response = try await existing(state) { return response }
                    guard state.restarts < S3UploadState.mostRestarts else { throw error }
                    state = state.forgotten()
                    (own, isListed) = ([:], true)
                    try await record(state)
                    continue
                case .partsUnknown where own.count < plan.count && state.isCompleting:
                    // The list of parts was wrong.
                    state.isCompleting = false
                    state.parts = Self.sorted(own)
                    isListed = true
                    continue
                default: break
                }
                if S3UploadFailure.endsUpload(error), let id = state.uploadID {
                    await farewell(id)
                    state.drop()
                }
                if state != before { try? await record(state) }
                throw error
            }
        }
    }

    /// - Parameters:
    ///   - own: the parts that this run has sent.
    ///   - isListed: whether the state has all parts that the server has.
    private func attempt(
        _ state: inout S3UploadState, _ own: inout [Int: S3Part], isListed: Bool
    ) async throws -> Response {
        let id: String
        if let known = state.uploadID { id = known } else { id = try await create(&state) }
        let listed = isListed ? state.parts : try await list(id)
        let inventory = S3UploadRule.inventory(plan, noted: state.parts, listed: listed)
        var kept = inventory.kept
        state.parts = Self.sorted(kept)
        progress(TransferProgress(completed: state.confirmed, total: plan.length))
        defer { state.parts = Self.sorted(kept) }
        try await send(inventory.missing, id, &kept, &own, state)
        state.parts = Self.sorted(kept)
        return try await complete(&state, &kept, id)
    }

    private static func sorted(_ parts: [Int: S3Part]) -> [S3Part] { parts.values.sorted { $0.number < $1.number } }

    // MARK: Creation

    private func create(_ state: inout S3UploadState) async throws -> String {
        var call = S3UploadClient.Call(purpose: .create, method: .post, query: [("uploads", "")])
        if let algorithm = checksum?.algorithm { call.headers["x-amz-checksum-algorithm"] = algorithm }
        let (id, created) = try await client.persist(call) { response throws(SternaError) in
            (
                try S3XML.uploadID(response.body.whole ?? Bytes()),
                response[.date].flatMap { HTTPDate.seconds($0) }
            )
        }
        (state.uploadID, state.created) = (id, created)
        do {
            try await record(state)
        } catch {
            // The identifier could not be recorded, so that no later run could abort the upload.
            await farewell(id)
            state.uploadID = nil
            throw error
        }
        return id
    }

    private func list(_ id: String) async throws -> [S3Part] {
        var (parts, marker) = ([S3Part](), 0)
        // A page has 1,000 parts; other servers may have smaller ones.
        for _ in 0..<Self.mostPages {
            var call = S3UploadClient.Call(purpose: .list, method: .get, query: [("max-parts", "1000")])
            if marker > 0 { call.query.append(("part-number-marker", "\(marker)")) }
            call.query.append(("uploadId", id))
            let page = try await client.persist(call) { [element = checksum?.element] response throws(SternaError) in
                try S3XML.parts(response.body.whole ?? Bytes(), checksum: element)
            }
            parts += page.parts
            guard let next = page.next else { return parts }
            guard next > marker, parts.count <= 2 * Int(S3PartPlan.Limits.parts) else { break }
            marker = next
        }
        throw S3XML.malformed("The list of the upload's parts does not end").at(job.url)
    }

    private static let mostPages = 1_000

    // MARK: Parts

    private func send(
        _ missing: [Int], _ id: String, _ kept: inout [Int: S3Part], _ own: inout [Int: S3Part], _ state: S3UploadState
    ) async throws {
        var waiting = missing[...]
        let counter = S3UploadProgress(done: state.confirmed, total: plan.length, progress)
        let stop = S3UploadStop()
        var failure: SternaError?
        var unnoted: Int64 = 0
        try await withThrowingTaskGroup(of: Result<S3Part, SternaError>.self) { group in
            for number in waiting.prefix(concurrency) {
                group.addTask { await part(number, id, counter, stop) }
            }
            waiting = waiting.dropFirst(concurrency)
            while let result = try await group.next() {
                switch result {
                case .success(let part):
                    (kept[part.number], own[part.number]) = (part, part)
                    unnoted += part.size
                    if S3UploadRule.isNoteDue(after: unnoted, length: plan.length) {
                        var next = state
                        next.parts = Self.sorted(kept)
                        try await record(next)
                        unnoted = 0
                    }
                    if failure == nil, let number = waiting.popFirst() {
                        group.addTask { await self.part(number, id, counter, stop) }
                    }
                case .failure(let error):
                    failure = failure ?? error
                    // Running parts may finish, unless the failure is permanent.
                    stop.set()
                    if S3UploadRule.verdict(error) != .again { group.cancelAll() }
                }
            }
        }
        if let failure { throw failure }
    }

    private func part(
        _ number: Int, _ id: String, _ counter: S3UploadProgress, _ stop: S3UploadStop
    ) async -> Result<S3Part, SternaError> {
        let range = plan.range(number)
        let size = range.upperBound - range.lowerBound
        do throws(SternaError) {
            var call = S3UploadClient.Call(
                purpose: .part, method: .put, query: [("partNumber", "\(number)"), ("uploadId", id)])
            let sum = try await digest(range, &call.headers)
            call.body = job.body(range)
            call.progress = { counter.sent($0.completed, of: number, size: size) }
            let isKept = checksum?.algorithm != nil
            let part = try await client.persist(call, unless: { stop.isSet }) { response throws(SternaError) in
                guard let tag = response[.eTag], S3Part.isEntityTag(tag) else {
                    throw SternaError(
                        .unacceptableResponse, phase: .read,
                        "The server accepted part \(number) of the upload without an ETag, so that it cannot be joined to the others. Check that the URL is that of an object of S3."
                    )
                }
                return S3Part(number: number, entityTag: tag, size: size, checksum: isKept ? sum : nil)
            }
            counter.finished(number, size: size)
            return .success(part)
        } catch {
            counter.failed(number)
            return .failure(error)
        }
    }

    /// Adds the fields of a range's digest, and returns it in Base64; nil for uploads without digests.
    private func digest(_ range: Range<Int64>, _ headers: inout Headers) async throws(SternaError) -> String? {
        guard let checksum, let kind = job.options.checksum else { return nil }
        let bytes: [UInt8]
        do {
            bytes = try await job.digest(range, by: kind)
        } catch is CancellationError {
            throw SternaError.cancelled(phase: .prepare)
        } catch {
            throw .wrap(error, as: .fileUnreadable, phase: .prepare, "The file cannot be read: \(error)")
        }
        let text = Data(bytes).base64EncodedString()
        headers[checksum.field] = text
        if kind == .sha256 {
            // The signature uses the same digest, which need not be computed again.
            headers["x-amz-content-sha256"] = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        return text
    }

    // MARK: Completion

    private func complete(
        _ state: inout S3UploadState, _ kept: inout [Int: S3Part], _ id: String
    ) async throws -> Response {
        if checksum?.element != nil {
            // Lists of parts need not have checksums.
            for (number, part) in kept where part.checksum == nil {
                var unused: Headers = [:]
                kept[number]?.checksum = try await digest(plan.range(number), &unused)
            }
        }
        let parts = Self.sorted(kept)
        (state.isCompleting, state.parts, state.objectTag) = (true, parts, S3UploadRule.objectTag(parts))
        try await record(state)
        var call = S3UploadClient.Call(purpose: .complete, method: .post, query: [("uploadId", id)])
        call.body = .text(S3XML.completion(of: parts, checksum: checksum?.element), mediaType: "application/xml")
        // S3 responds at once, and sends white space while it joins the parts.
        call.time = .seconds(1_800)
        return try await client.persist(call) { response throws(SternaError) in
            switch S3XML.completion(response.body.whole ?? Bytes()) {
            case .complete: return response
            case .error(let error): throw S3UploadFailure.carried(error, by: response)
            case .unclear:
                throw SternaError(
                    .truncated, phase: .read,
                    "The response of S3 does not say whether the upload is complete. The request is repeated.")
            }
        }
    }

    /// Returns the response to a HEAD request if the object is the result of an upload that the server no longer knows; nil
    /// otherwise.
    private func existing(_ state: S3UploadState) async throws -> Response? {
        do {
            return try await client.persist(.init(purpose: .head, method: .head)) { [plan] response in
                let object = S3ObjectInfo(key: "", response, isStored: false)
                return S3UploadRule.isObject(object, of: state, parts: plan.count) ? response : nil
            }
        } catch {
            switch S3UploadRule.verdict(error) {
            case .gone: return nil
            case .again: throw error
            default:
                var unknown = SternaError(
                    .unacceptableStatus, phase: .read,
                    "All parts were sent, but the response to the completion was lost, and the server no longer knows the upload. The HEAD request for the object failed: \(error.detail) Check whether the object exists before you upload again."
                )
                (unknown.response, unknown.value, unknown.requestSent) = (error.response, error.value, true)
                throw unknown.at(job.url)
            }
        }
    }

    /// Has the server abort an upload that cannot continue, for at most 10 s. The outcome is ignored.
    private func farewell(_ id: String) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await client.abort(id) }
            group.addTask { [session = job.session] in try? await session.loopClock.wait(.seconds(10)) }
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: One request

    /// Sends the whole file in one request (PutObject), which may be repeated.
    private func whole() async throws -> Response {
        var call = S3UploadClient.Call(purpose: .whole, method: .put)
        let range = 0..<plan.length
        _ = try await digest(range, &call.headers)
        (call.body, call.progress) = (job.body(range), progress)
        return try await client.persist(call) { response throws(SternaError) in
            guard response[.eTag] != nil else {
                throw SternaError(
                    .unacceptableResponse, phase: .read,
                    "The server accepted the file without an ETag. Check that the URL is that of an object of S3.")
            }
            return response
        }
    }
}

/// A flag that stops the retries of an upload's parts.
final class S3UploadStop: Sendable {
    private let flag = Atomic<Bool>(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }

    func set() { flag.store(true, ordering: .relaxed) }
}
