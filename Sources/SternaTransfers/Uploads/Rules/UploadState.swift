import SternaCore

/// The state of an upload: a value that a journal stores, so that the upload can resume after a kill.
///
/// Any program that knows the upload's URL can change the upload. So the URL is a secret: it is encoded, but neither printed nor
/// mirrored.
struct UploadState: Sendable, Hashable {
    enum Stage: String, Sendable, Hashable, Codable {
        /// Nothing was created.
        case begun
        /// A request with content that creates the upload is being sent.
        case creating
        /// The server has the upload, under its URL.
        case open
        /// The last bytes, or the empty request that completes the upload, are being sent.
        case completing
        case complete
    }

    var stage = Stage.begun

    /// The protocol; nil until it is discovered.
    var dialect: UploadDialect?

    /// The URL that creates the upload, after redirects.
    var target: HTTPURL

    /// The upload's URL.
    var url: HTTPURL?

    /// The number of bytes that the server has confirmed.
    var offset: Int64 = 0

    /// The largest offset that the server has ever confirmed.
    var reached: Int64 = 0

    /// The end of the content that requests without a response have carried, as far as known; not above ``offset`` if there is
    /// none.
    var sent: Int64 = 0

    /// How often the upload was created again because the server had forgotten it before it expired.
    var restarts = 0

    /// The length of the content in bytes.
    var length: Int64

    /// Whether the server receives the length only with the first content, and whether it has received it.
    var defersLength: Bool
    var isLengthTold: Bool

    var limits = UploadLimits()

    /// When the server forgets the upload, in seconds since 1970.
    var expires: Int64?

    /// The capabilities of a tus server; nil if it was not asked.
    var tus: TusSupport?

    // MARK: For this run only

    /// Whether the offset is up to date, so that content may be sent.
    var isCurrent = false

    /// The interop versions that the server has refused.
    var refused: Set<IETFVersion> = []

    /// The maximum content of a request after a 413.
    var largestAppend: Int64?

    /// Whether content in the creating request was refused.
    var createsEmpty = false

    /// The URL of only the next request, after a temporary redirect.
    var detour: HTTPURL?

    /// How often the offset has decreased.
    var rewinds = 0

    /// How many OPTIONS requests reached the server without a response.
    var unanswered = 0

    /// Creates the state of a new upload.
    init(_ plan: UploadPlan) {
        target = plan.target
        length = plan.length
        defersLength = plan.defersLength
        isLengthTold = !plan.defersLength
        if case .named(let dialect) = plan.choice { self.dialect = dialect }
    }
}

extension UploadState {
    /// Returns the state for creating the same upload again.
    func startedAnew() -> UploadState {
        var state = self
        state.stage = .begun
        (state.url, state.expires, state.detour) = (nil, nil, nil)
        (state.offset, state.reached, state.sent, state.rewinds) = (0, 0, 0, 0)
        (state.isLengthTold, state.isCurrent) = (!state.defersLength, false)
        return state
    }

    /// Returns the state after a failure: the offset must be requested.
    func unsure() -> UploadState {
        var state = self
        (state.isCurrent, state.detour) = (false, nil)
        if state.stage == .creating, state.url != nil { state.stage = .open }
        return state
    }

    /// Returns the state after a request without a response whose content the network has taken up to a position.
    func carried(_ step: UploadStep, to end: Int64) -> UploadState {
        guard !step.content.isEmpty, end > offset else { return self }
        var state = self
        state.sent = min(max(sent, end), length)
        return state
    }

    /// Returns the state while a step's request is running.
    func beginning(_ step: UploadStep) -> UploadState {
        var state = self
        switch step {
        case .create(let content, let completes) where !content.isEmpty || completes: state.stage = .creating
        case .append(_, completes: true): state.stage = .completing
        default: break
        }
        return state
    }

    /// The state as a journal stores it, without what holds for one run only.
    var stored: UploadState {
        var state = self
        (state.isCurrent, state.detour) = (false, nil)
        (state.refused, state.largestAppend, state.createsEmpty) = ([], nil, false)
        (state.rewinds, state.unanswered) = (0, 0)
        return state
    }

    /// How often an offset may decrease before the upload fails.
    static let longestRewinds = 3

    /// Takes an offset that the server has named. Throws a fault for an impossible one.
    ///
    /// An offset beyond what was sent is allowed: the client has the bytes, and a broken connection may have carried them.
    mutating func confirm(_ offset: Int64) throws(UploadFault) {
        guard offset >= 0, offset <= length else { throw .offsetBeyondEnd(offset, length: length) }
        if offset < self.reached, offset < self.offset {
            rewinds += 1
            guard rewinds <= Self.longestRewinds else { throw .offsetWentBack(from: self.offset, to: offset) }
        }
        self.offset = offset
        reached = max(reached, offset)
        sent = 0
    }

    /// The maximum number of times that an upload is created again because the server has forgotten it, over all runs.
    static let mostRestarts = 5
}

extension UploadState: Codable {
    private enum CodingKeys: String, CodingKey {
        case stage, dialect, target, url, offset, reached, sent, restarts, length, defersLength, isLengthTold, limits
        case expires, tus
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func url(_ key: CodingKeys) throws -> HTTPURL? {
            guard let text = try values.decodeIfPresent(String.self, forKey: key) else { return nil }
            guard let url = try? HTTPURL(text), url.scheme == .http || url.scheme == .https else {
                throw Self.corrupted(key, values)
            }
            return url.removingUserinfo()
        }
        stage = try values.decode(Stage.self, forKey: .stage)
        dialect = try values.decodeIfPresent(UploadDialect.self, forKey: .dialect)
        guard let target = try url(.target) else { throw Self.corrupted(.target, values) }
        self.target = target
        self.url = try url(.url)
        offset = try values.decode(Int64.self, forKey: .offset)
        reached = try values.decode(Int64.self, forKey: .reached)
        length = try values.decode(Int64.self, forKey: .length)
        guard (0...UploadNumber.largest).contains(length) else { throw Self.corrupted(.length, values) }
        guard (0...length).contains(reached) else { throw Self.corrupted(.reached, values) }
        guard (0...reached).contains(offset) else { throw Self.corrupted(.offset, values) }
        // Older journals lack these.
        sent = try values.decodeIfPresent(Int64.self, forKey: .sent) ?? 0
        guard (0...length).contains(sent) else { throw Self.corrupted(.sent, values) }
        restarts = try values.decodeIfPresent(Int.self, forKey: .restarts) ?? 0
        guard (0...Self.mostRestarts).contains(restarts) else { throw Self.corrupted(.restarts, values) }
        defersLength = try values.decode(Bool.self, forKey: .defersLength)
        isLengthTold = try values.decode(Bool.self, forKey: .isLengthTold)
        limits = try values.decode(UploadLimits.self, forKey: .limits)
        expires = try values.decodeIfPresent(Int64.self, forKey: .expires)
        tus = try values.decodeIfPresent(TusSupport.self, forKey: .tus)
        // An upload that is open has a protocol and a URL.
        let isOpen = stage == .open || stage == .completing
        guard !isOpen || self.url != nil && dialect != nil else { throw Self.corrupted(.stage, values) }
    }

    private static func corrupted(
        _ key: CodingKeys, _ values: KeyedDecodingContainer<CodingKeys>
    ) -> DecodingError {
        .dataCorruptedError(forKey: key, in: values, debugDescription: "It is not the state of an upload.")
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(stage, forKey: .stage)
        try values.encodeIfPresent(dialect, forKey: .dialect)
        try values.encode(target.removingUserinfo().href, forKey: .target)
        try values.encodeIfPresent(url?.removingUserinfo().href, forKey: .url)
        try values.encode(offset, forKey: .offset)
        try values.encode(reached, forKey: .reached)
        if sent > 0 { try values.encode(sent, forKey: .sent) }
        if restarts > 0 { try values.encode(restarts, forKey: .restarts) }
        try values.encode(length, forKey: .length)
        try values.encode(defersLength, forKey: .defersLength)
        try values.encode(isLengthTold, forKey: .isLengthTold)
        try values.encode(limits, forKey: .limits)
        try values.encodeIfPresent(expires, forKey: .expires)
        try values.encodeIfPresent(tus, forKey: .tus)
    }
}

extension UploadState: CustomStringConvertible, CustomReflectable {
    /// Shows the state without the upload's URL.
    var description: String {
        "\(stage.rawValue), \(offset) of \(length) bytes, \(dialect.map { "\($0)" } ?? "protocol unknown")"
    }

    var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "stage": stage, "dialect": dialect as Any, "target": Redaction.show(target),
                "hasURL": url != nil, "offset": offset, "length": length, "limits": limits,
                "expires": expires as Any,
            ], displayStyle: .struct)
    }
}
