public import HTTPTypes

extension HTTPResponse.Status {
    /// The registered phrase for the code (IANA's registry of status codes; RFC 9110, 16.2.1); empty for an unregistered code.
    ///
    /// The server's own phrase is ``Response/reasonPhrase``.
    public var registeredPhrase: String { Self.phrases[code] ?? "" }

    private static let phrases: [Int: String] = {
        let registered: [HTTPResponse.Status] = [
            .continue, .switchingProtocols, .earlyHints, .ok, .created, .accepted, .nonAuthoritativeInformation,
            .noContent,
            .resetContent, .partialContent, .multipleChoices, .movedPermanently, .found, .seeOther, .notModified,
            .temporaryRedirect, .permanentRedirect, .badRequest, .unauthorized, .forbidden, .notFound,
            .methodNotAllowed,
            .notAcceptable, .proxyAuthenticationRequired, .requestTimeout, .conflict, .gone, .lengthRequired,
            .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType, .rangeNotSatisfiable,
            .expectationFailed, .misdirectedRequest, .unprocessableContent, .tooEarly, .upgradeRequired,
            .preconditionRequired, .tooManyRequests, .requestHeaderFieldsTooLarge, .unavailableForLegalReasons,
            .internalServerError, .notImplemented, .badGateway, .serviceUnavailable, .gatewayTimeout,
            .httpVersionNotSupported, .networkAuthenticationRequired,
        ]
        // Those that the type has no name for.
        var phrases: [Int: String] = [
            102: "Processing", 104: "Upload Resumption Supported", 207: "Multi-Status", 208: "Already Reported",
            226: "IM Used", 305: "Use Proxy", 402: "Payment Required", 423: "Locked", 424: "Failed Dependency",
            506: "Variant Also Negotiates", 507: "Insufficient Storage", 508: "Loop Detected", 510: "Not Extended",
        ]
        for status in registered { phrases[status.code] = status.reasonPhrase }
        return phrases
    }()
}
