public import HTTPTypes

extension HTTPResponse.Status {
    /// The registered phrase for the code (RFC 9110, 15); empty for an unregistered code, and for most of WebDAV's, such as 207.
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
        var phrases: [Int: String] = [402: "Payment Required", 508: "Loop Detected"]
        for status in registered { phrases[status.code] = status.reasonPhrase }
        return phrases
    }()
}
