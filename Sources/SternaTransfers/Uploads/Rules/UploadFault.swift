import SternaCore

/// Why an upload cannot continue, or must wait.
enum UploadFault: Error, Sendable, Hashable {
    // The server and its protocol.
    case noProtocol(status: Int)
    /// The server did not respond to OPTIONS.
    case unanswered
    case versionsRefused
    case tusVersion(offered: String)
    case missingExtension(TusSupport.Extension)
    case missingAlgorithm(String)

    // The upload's URL.
    case noLocation, locationsDiffer, locationUnusable, locationInsecure

    // Offsets and lengths.
    case noOffset
    /// The server refused the request for the offset, which says nothing about the upload.
    case offsetUnknown(Int)
    case offsetBeyondEnd(Int64, length: Int64)
    case offsetWentBack(from: Int64, to: Int64)
    case completeTooEarly(Int64, length: Int64)
    case otherLength(Int64, length: Int64)
    case tooLarge(length: Int64, most: Int64?)
    case appendLimits(most: Int64)

    // Responses.
    case refused(Int, String?)
    case refusedByTarget(Int, String?)
    case redirect(Int)
    case redirectLoop(Int)
    case mismatch, locked, checksum
    case unavailable(Int)
    case contentRefused
    case waitTooLong(Int64)
    case stalled(Int64)
    /// The server has all bytes, but does not complete the upload.
    case unfinished

    // The upload's life.
    case gone(Int)
    /// The server has forgotten the upload more often than it may be created again.
    case forgotten(Int)
    case expired
    case outcomeUnknown
    case creationUnknown

    /// No response arrived.
    case noResponse

    /// A step that has no request.
    case noRequest
}

extension UploadFault {
    /// The kind of the caller's error.
    var kind: SternaError.Kind {
        switch self {
        case .refused, .refusedByTarget, .unavailable, .locked, .mismatch, .contentRefused, .gone, .forgotten,
            .offsetUnknown:
            .unacceptableStatus
        case .tooLarge, .appendLimits, .waitTooLong: .limitExceeded
        case .checksum: .digestMismatch
        case .locationInsecure, .redirect: .redirectRefused
        case .redirectLoop: .tooManyRedirects
        case .missingExtension, .missingAlgorithm, .noRequest: .invalidRequest
        case .noResponse, .unanswered: .connectionClosed
        default: .unacceptableResponse
        }
    }

    /// Whether a later attempt may succeed without a change by the program, its user or the operator of the server.
    var isTransient: Bool {
        switch self {
        case .locked, .waitTooLong, .noResponse, .noOffset, .offsetUnknown, .checksum, .unfinished, .mismatch,
            .offsetWentBack, .gone, .unanswered:
            true
        case .unavailable(let status): TransientStatus.contains(status)
        // The target did not process the content, which is sent again.
        case .refusedByTarget(let status, _): TransientStatus.contains(status) && !TransientStatus.mayHaveStored(status)
        default: false
        }
    }

    /// Whether the server supports no protocol that Sterna knows, so that the upload can be sent in one request instead.
    var hasNoProtocol: Bool {
        switch self {
        case .noProtocol, .versionsRefused, .tusVersion, .unanswered: true
        default: false
        }
    }

    /// Whether the server's copy of the upload has become useless.
    var endsUpload: Bool {
        switch self {
        case .locationsDiffer, .tooLarge, .appendLimits: true
        // The server considers the upload complete, and says so in its response to the next HEAD.
        case .refusedByTarget: true
        default: false
        }
    }

    /// The server's own explanation.
    var serverMessage: String? {
        switch self {
        case .refused(_, let text), .refusedByTarget(_, let text): text
        default: nil
        }
    }

    /// What happened, and what to do.
    var detail: String {
        switch self {
        case .noProtocol(let status):
            "The server named no protocol for resumable uploads in its response to OPTIONS (\(status)). Name the protocol, or "
                + "upload in one request."
        case .unanswered:
            "The server did not respond to OPTIONS, so its upload protocol is unknown. Name the protocol, or upload in one request."
        case .versionsRefused:
            "The server refuses every interop version of resumable uploads that Sterna has (8, 6, 5, 4 and 3). Name tus, or upload "
                + "in one request."
        case .tusVersion(let offered):
            "The server does not accept tus 1.0.0; it offers “\(FieldSyntax.printable(offered))”. Name another protocol."
        case .missingExtension(let name):
            "The server does not offer tus's extension “\(name.rawValue)”, which this upload needs. Leave out the option that needs it."
        case .missingAlgorithm(let name):
            "The server does not accept checksums by \(FieldSyntax.printable(name)). Choose another algorithm, or none."
        case .noLocation:
            "The server created the upload but named no URL for it, so it cannot be resumed. It may not have the protocol: "
                + "upload in one request."
        case .locationsDiffer:
            "The server named several URLs for the same upload. It was cancelled, since its content could be in either."
        case .locationUnusable: "The URL that the server named for the upload is not a valid http or https URL."
        case .locationInsecure:
            "The server named an http URL for an upload that began by https. It was refused because it would give up encryption."
        case .noOffset: "The server did not say how much of the upload it has. Nothing was sent; try again later."
        case .offsetUnknown(let status):
            "The server did not say how much of the upload it has, but responded with \(status). The upload is kept; try again later."
        case .offsetBeyondEnd(let offset, let length):
            "The server claims to have \(offset) bytes of an upload of \(length). Its copy must be wrong: cancel the upload and start "
                + "again."
        case .offsetWentBack(let from, let to):
            "The server confirmed \(from) bytes and now claims to have only \(to), again and again. Try again later, or start again."
        case .completeTooEarly(let offset, let length):
            "The server calls the upload complete with \(offset) of \(length) bytes. Its copy must be wrong: start again."
        case .otherLength(let other, let length):
            "The server expects an upload of \(other) bytes, but the file has \(length). If the file has changed, start again."
        case .tooLarge(let length, let most):
            "The upload's \(length) bytes are more than the server takes" + (most.map { " (\($0))" } ?? "") + "."
        case .appendLimits(let most):
            "The server takes only \(most) bytes in one request, which makes the upload impossible. Ask its operator."
        case .refused(let status, _):
            "The server refused the upload with \(status). Correct the cause and resume."
        case .refusedByTarget(let status, _): "The server has all bytes of the upload, and refused it with \(status)."
        case .redirect(let status):
            "The server redirects the upload with \(status), but not to a URL that can be followed. Use the URL that it wants."
        case .redirectLoop(let status):
            "The server redirects the upload again and again (\(status)). Use the URL that it wants."
        case .mismatch: "The server keeps refusing the offset that it names itself (409). Try again later."
        case .locked: "Another request holds the upload (423). Try again later, and do not upload twice at a time."
        case .checksum:
            "The server found another checksum than was sent: the content is damaged on the way. Try again later."
        case .unavailable(let status): "The server is not available for the upload (\(status)). Try again later."
        case .contentRefused:
            "The server takes no content of this size (413), however small. Ask its operator for its limits."
        case .waitTooLong(let seconds): "The server asks to wait \(seconds) s. Resume the upload then; nothing is lost."
        case .stalled(let offset):
            "The server accepts requests, but its offset stays at \(offset). Ask its operator, then upload again."
        case .unfinished:
            "The server has all bytes of the upload, but does not complete it. Try again later."
        case .gone(let status):
            "The server no longer has the upload (\(status)), however often it is created. Try again later."
        case .forgotten(let status):
            "The server has forgotten the upload again and again (\(status)). Ask its operator, then upload again."
        case .expired: "The time in which the server keeps the upload is over."
        case .outcomeUnknown:
            "The response to the last bytes was lost, and the server no longer knows the upload. It may be complete: "
                + "check there before you upload again."
        case .creationUnknown:
            "The request that creates the upload was sent with content, but its response was lost. The server may have it: check there "
                + "before you upload again."
        case .noResponse: "The connection was lost."
        case .noRequest: "This step of an upload has no request."
        }
    }

    /// Returns the error for the caller.
    func error(phase: SternaError.Phase = .read) -> SternaError {
        var error = SternaError(kind, phase: phase, detail)
        error.serverMessage = serverMessage
        error.requestSent = kind != .invalidRequest
        return error
    }
}
