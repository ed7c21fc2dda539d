import SternaPlatform
import Synchronization

/// A server of resumable uploads for a ``TestServer``: draft-ietf-httpbis-resumable-upload in its interop versions 3 to 8, and tus
/// 1.0.0 with creation, creation-with-upload, creation-defer-length, checksum, checksum-trailer, expiration, termination and
/// concatenation.
///
/// | route | purpose |
/// |---|---|
/// | `/uploads/ietf` | creates uploads by the IETF's protocol, with POST, PUT or PATCH |
/// | `/uploads/tus` | creates uploads by tus, with POST |
/// | `/uploads/{id}` | one upload |
/// | `/uploads/{id}/status` | its state as JSON: `id`, `protocol`, `offset`, `length`, `complete`, `received`, `sha256` |
///
/// `received` is the number of body bytes that the server has read for the upload; those of a refused request are not read. The
/// query of the creation URL asks for faults: `cut`, `lost`, `status` with `on` and `retry-after`, `interop` with `unnamed`,
/// `interim`, `offset`, `location` and `slow`, each of them described in docs/Testing.md.
public final class UploadServer: Sendable {
    /// The options of a server.
    public struct Options: Sendable {
        /// The folder of the uploads' files, so that they survive the process; created if it is missing. `nil`, the default, keeps
        /// them in memory.
        public var folder: String?
        /// The number of uploads at a time; 1,000 by default, and at most 100 in memory.
        public var uploads = 1_000
        /// The largest upload in bytes: 1 TiB by default in files, at most 999,999,999,999,999, and at most 64 MiB in memory.
        public var largest: Int64 = 1 << 40
        /// How long an upload is kept after its creation; one day by default. One that has expired is removed with its files when a
        /// request asks for it, when the server begins, and to make room for another.
        public var lifetime = Duration.seconds(86_400)

        /// Options with the defaults above.
        public init(folder: String? = nil) { self.folder = folder }
    }

    private struct State {
        var uploads: [String: StoredUpload] = [:]
        /// How often a fault of a creation URL has occurred before an upload exists.
        var faults: [String: Int] = [:]
        /// When the uploads in the folder that were not requested yet expire, in seconds since 1970.
        var stored: [String: Int64] = [:]
    }

    let options: Options
    private let clock: @Sendable () -> Int64
    private let state: Mutex<State>

    /// The largest upload in memory, in bytes, and the number of those.
    private static let largestInMemory: Int64 = 64 << 20
    private static let mostInMemory = 100

    /// Creates a server without routes.
    ///
    /// - Throws: The system's error if the folder cannot be made.
    public convenience init(_ options: Options = Options()) throws {
        try self.init(options) { Int64(Date().timeIntervalSince1970) }
    }

    /// - Parameter clock: the seconds since 1970.
    init(_ options: Options, clock: @escaping @Sendable () -> Int64) throws {
        var options = options
        var state = State()
        if let folder = options.folder {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            state.stored = try UploadFiles.sweep(folder, now: clock())
        } else {
            options.largest = min(options.largest, Self.largestInMemory)
            options.uploads = min(options.uploads, Self.mostInMemory)
        }
        options.largest = min(options.largest, UploadText.most)
        self.options = options
        self.clock = clock
        self.state = Mutex(state)
    }

    /// Adds the routes to a server.
    public func serve(on server: TestServer) {
        let (ietf, tus) = (IETFUploads(server: self), TusUploads(server: self))
        server.route(nil, "/uploads/{id}") { request in
            try await Self.catching {
                guard let upload = try self.upload(request.parameters["id"] ?? "") else {
                    return .message("no such upload", status: 404)
                }
                return switch upload.record.dialect {
                case .ietf: try await ietf.answer(request, upload)
                case .tus: try await tus.answer(request, upload)
                }
            }
        }
        server.route(nil, "/uploads/ietf") { request in try await Self.catching { try await ietf.create(request) } }
        server.route(nil, "/uploads/tus") { request in try await Self.catching { try await tus.create(request) } }
        server.route("GET", "/uploads/{id}/status") { request in
            try await Self.catching {
                guard let upload = try self.upload(request.parameters["id"] ?? ""), !self.removeIfExpired(upload) else {
                    return .message("no such upload", status: 404)
                }
                return try Self.describe(upload)
            }
        }
    }

    /// The uploads that were created or requested since the server began, in no particular order.
    public var statuses: [UploadStatus] { state.withLock { Array($0.uploads.values) }.map(\.status) }

    private static func describe(_ upload: StoredUpload) throws -> ServerResponse {
        let status = upload.status
        return BuiltInRoutes.pretty(
            [
                ("id", .string(status.id)), ("protocol", .string(status.dialect)),
                ("offset", .number("\(status.offset)")),
                ("length", status.length.map { .number("\($0)") } ?? .null), ("complete", .bool(status.isComplete)),
                ("received", .number("\(status.received)")), ("sha256", .string(try upload.digest())),
            ], headers: ["Cache-Control": "no-store"])
    }

    /// Turns errors of storage, and of claims that have ended, into responses.
    private static func catching(_ work: () async throws -> ServerResponse) async throws -> ServerResponse {
        do {
            return try await work()
        } catch let error as UploadStorageError {
            throw ServerRouteError(status: 507, message: error.description)
        } catch is StoredUpload.ClaimIsOver {
            return .message("another request has taken over the upload", status: 409)
        }
    }

    // MARK: Uploads

    /// Returns an upload; nil for an id that no upload has.
    func upload(_ id: String) throws -> StoredUpload? {
        guard UploadText.isID(id) else { return nil }
        return try state.withLock { state in
            if let known = state.uploads[id] { return known }
            guard let folder = options.folder, let found = try StoredUpload(id: id, reading: folder) else { return nil }
            state.uploads[id] = found
            state.stored[id] = nil
            return found
        }
    }

    /// Creates an upload without content under an id that cannot be guessed.
    func add(_ record: UploadRecord) throws -> StoredUpload {
        let id = ASCIIText.hex((0..<16).map { _ in UInt8.random(in: 0 ... .max) })
        return try state.withLock { state in
            if state.uploads.count + state.stored.count >= options.uploads { removeExpired(&state) }
            guard state.uploads.count + state.stored.count < options.uploads else {
                throw ServerRouteError(status: 507, message: "at most \(options.uploads) uploads are kept at a time")
            }
            let upload = try StoredUpload(id: id, folder: options.folder, record: record)
            state.uploads[id] = upload
            return upload
        }
    }

    func remove(_ upload: StoredUpload) {
        upload.remove()
        state.withLock { $0.uploads[upload.id] = nil }
    }

    /// Removes an upload if it has expired; returns whether it has.
    func removeIfExpired(_ upload: StoredUpload) -> Bool {
        guard isExpired(upload) else { return false }
        remove(upload)
        return true
    }

    private func removeExpired(_ state: inout State) {
        for (id, upload) in state.uploads where isExpired(upload) {
            upload.remove()
            state.uploads[id] = nil
        }
        guard let folder = options.folder else { return }
        let now = now
        for (id, expires) in state.stored where expires <= now {
            UploadFiles(folder: folder, id: id).remove()
            state.stored[id] = nil
        }
    }

    // MARK: Faults

    /// Returns the response of the fault `status` if it occurs now.
    func refusal(_ request: ServerRequest, _ method: String, _ faults: UploadFaults, _ upload: StoredUpload?) throws
        -> ServerResponse?
    {
        guard let status = faults.status, faults.method == method else { return nil }
        if let upload {
            guard try upload.occurs("status", times: faults.times) else { return nil }
        } else {
            guard occurs(request.target, times: faults.times) else { return nil }
        }
        var headers = ServerHeaders()
        if let seconds = faults.retryAfter { headers.add("Retry-After", "\(seconds)") }
        return .message("as asked for", status: status, headers: headers)
    }

    private func occurs(_ fault: String, times: Int) -> Bool {
        state.withLock { state in
            guard state.faults[fault] ?? 0 < times, state.faults.count < 1_000 || state.faults[fault] != nil else {
                return false
            }
            state.faults[fault, default: 0] += 1
            return true
        }
    }

    /// Returns the upload's URL for a Location field.
    func location(_ upload: StoredUpload, _ request: ServerRequest, _ faults: UploadFaults) -> String {
        "\(faults.location ?? request.origin)/uploads/\(upload.id)"
    }

    var now: Int64 { clock() }

    /// Returns when an upload that is created now expires.
    func expiry(_ faults: UploadFaults) -> Int64 {
        let (second, isOver) = now.addingReportingOverflow(faults.expires ?? options.lifetime.components.seconds)
        return isOver ? .max : second
    }

    private func isExpired(_ upload: StoredUpload) -> Bool { upload.record.expires.map { $0 <= now } ?? false }
}
