import HTTPTypes

/// Advice for errors whose detail does not say what to do, for users of the library. `tern` has its own texts for some.
///
/// The rule is a pure function of an error's kind, phase, cause and status. Code that throws an error and has more information sets
/// the advice by ``SternaError/advised(_:)``.
package enum ErrorAdvice: Sendable, Hashable, CaseIterable {
    /// No advice: the detail says what to do.
    case inDetail

    // Reaching the server.
    case checkName, checkServer, checkSocket, checkProxy, checkProxyServer, checkProxyCredentials, chooseProxy,
        checkTarget
    case useHTTP, requireHTTPS, checkProtocol, checkTLSVersions, matchTLS, checkServerName, nameRoots
    case useWS, requireWSS, checkSocketProtocol
    case checkIdentity, giveIdentity

    // Time limits.
    case raiseResolve, raiseConnect, raiseTLS, raiseProxy, raiseWrite, raiseFirstByte, raiseBetweenBytes, raiseTotal
    case lowerThroughput, laterDeadline, moreTime

    // The exchange.
    case sendAgain, incomplete, bodyRefused, reportServer

    // Redirects.
    case checkRedirects, readRedirect

    // The response.
    case compareRequest, giveCredentials, otherCredentials, checkPath, checkMethod, shorterBody, otherBodyType,
        sendLater
    case otherSerializer, readBody, readCodedBody

    // The request's body.
    case fileURL, checkFile, regularFile, quietFile, declareLength, methodWithBody, removeCharacter, useUTF8,
        otherBoundary
    case otherValue

    /// One or two sentences; empty if there is no advice.
    package var text: String {
        switch self {
        case .inDetail: ""
        case .checkName: "Check its spelling, and the connection to the network."
        case .checkServer: "Check the host and the port, and that the server runs."
        case .checkSocket: "Check the path, and that the server of this socket runs."
        case .checkProxy: "Check the proxy's URL: its kind, host and port."
        case .checkProxyServer: "Check the host and the port of the proxy, and that it runs."
        case .checkProxyCredentials: "Check the proxy's user name and password."
        case .chooseProxy: "Choose another proxy, or none for this host."
        case .checkTarget: "Check the host and the port, and the proxy's own connection."
        case .useHTTP: "If the server does not speak TLS, write http://."
        case .requireHTTPS: "Check the port and whether it requires https://, or send the request again."
        case .checkProtocol: "Check that the port speaks HTTP/1.1, and whether it requires https://."
        case .useWS: "If the server does not speak TLS, write ws://."
        case .requireWSS: "Check the port and whether it requires wss://, or open the WebSocket again."
        case .checkSocketProtocol: "Check that the port speaks HTTP/1.1, and whether it requires wss://."
        case .checkTLSVersions: "Allow another TLS version in the session's security policy, or update the server."
        case .matchTLS:
            "Set the security policy's identity if the server requires one, or allow more TLS versions and cipher suites."
        case .checkServerName: "Check the host in the URL, and the security policy's serverName."
        case .nameRoots: "Name a file of root certificates in the session's security policy."
        case .checkIdentity: "Check the files of the client's certificate and key, and their password."
        case .giveIdentity: "Set the security policy's identity to a certificate that the server accepts."
        case .raiseResolve: "Check this machine's name service, or raise timeouts.resolve."
        case .raiseConnect: "Check the host and the port, or raise timeouts.connect."
        case .raiseTLS: "Check the host and the port, or raise timeouts.tls."
        case .raiseProxy: "Check the proxy, or raise timeouts.proxy."
        case .raiseWrite: "Send it again, or raise timeouts.write."
        case .raiseFirstByte: "If the server needs longer, raise timeouts.firstByte."
        case .raiseBetweenBytes: "If the server pauses for longer, raise timeouts.betweenBytes."
        case .raiseTotal: "If the request takes longer, raise timeouts.total."
        case .lowerThroughput: "If it may be slower, lower timeouts.minimumThroughput."
        case .laterDeadline: "If the request takes longer, set a later deadline."
        case .moreTime: "Give it more time, or send it later."
        case .sendAgain: "Send it again if the server may process it twice."
        case .incomplete: "The response is incomplete; send the request again."
        case .bodyRefused: "Send it again; the server may refuse long bodies, or speak another protocol on this port."
        case .reportServer: "The server has a fault; report it to its operator."
        case .checkRedirects: "Look at the error's redirects; if they are no loop, raise the limit of redirects."
        case .readRedirect: "To read the redirect itself, set redirects to .doNotFollow."
        case .compareRequest: "Compare the parameters, fields and body with those that the server expects."
        case .giveCredentials: "Check the credentials: set the session's auth.header, or the request's."
        case .otherCredentials: "Use credentials that permit this request, or check the URL."
        case .checkPath: "Check the URL; a path that begins with “/” replaces the base URL's path."
        case .checkMethod: "Check the method and the URL."
        case .shorterBody: "Send a shorter body, or several requests."
        case .otherBodyType: "Send the body in a format that the server accepts, such as json: or form:."
        case .sendLater: "Send it again later, or report it to the server's operator."
        case .otherSerializer:
            "Check the URL, or choose a response serializer that accepts this type, such as .text or .data."
        case .readBody: "The error's body has what the server sent."
        case .readCodedBody: "Send it again, or read the coded bytes by setting decodesContent to false."
        case .fileURL: "Give a path or a file URL."
        case .checkFile: "Check the path, and that this program may read the file."
        case .regularFile: "Name a regular file."
        case .quietFile: "Send it again when no program writes to the file."
        case .declareLength: "Declare the length that the source delivers, or none."
        case .methodWithBody: "Use a method that has one, such as POST, or send parameters in the query."
        case .removeCharacter: "Remove this character."
        case .useUTF8: "Leave it out, or choose UTF-8."
        case .otherBoundary: "Choose another boundary, or none."
        case .otherValue: "Send another value there, or leave it out."
        }
    }

    /// Returns the advice for an error; nil if its detail says what to do, or if no general advice helps.
    package init?(for error: SternaError) {
        guard let advice = error.statedAdvice ?? Self.rule(error), advice != .inDetail else { return nil }
        self = advice
    }

    /// The advice for a WebSocket, in terms of ws and wss.
    package var forWebSocket: ErrorAdvice {
        switch self {
        case .useHTTP: .useWS
        case .requireHTTPS: .requireWSS
        case .checkProtocol: .checkSocketProtocol
        default: self
        }
    }

    private static func rule(_ error: SternaError) -> ErrorAdvice? {
        if let fault = error.underlying as? BodyFault { return advice(for: fault) }
        return switch error.kind {
        case .encodingFailed: error.underlying == nil ? nil : .otherValue
        case .identityUnusable: .checkIdentity
        case .timedOut: error.phase == .queue ? nil : .moreTime
        case .hostNotFound: .checkName
        case .connectionFailed: .checkServer
        case .proxyFailed: proxy(refusedWith: error.proxyResponse?.status.code)
        // A rejected certificate is the cause, and its description has the advice.
        case .certificateRejected: error.underlying == nil ? .nameRoots : nil
        case .connectionClosed: isAtPlainPort(error) ? .requireHTTPS : .sendAgain
        case .truncated: .incomplete
        case .malformedResponse: isAtPlainPort(error) ? .checkProtocol : .reportServer
        case .tooManyRedirects: .checkRedirects
        case .redirectRefused: .readRedirect
        case .unacceptableStatus: status(error)
        case .unacceptableMediaType: .otherSerializer
        case .decodingFailed: error.body == nil ? nil : .readBody
        case .contentCodingFailed: .readCodedBody
        default: nil
        }
    }

    /// Returns whether an http request's connection has never carried a response, so that the port may expect TLS.
    private static func isAtPlainPort(_ error: SternaError) -> Bool {
        error.isOfFirstResponse && error.url?.hasPrefix("https:") != true
    }

    private static func proxy(refusedWith status: Int?) -> ErrorAdvice {
        switch status {
        case 401, 407: .checkProxyCredentials
        case 403, 405: .chooseProxy
        case .some: .checkTarget
        case nil: .checkProxy
        }
    }

    /// Returns the advice for a status; nil if the server's message or the response's note says more.
    private static func status(_ error: SternaError) -> ErrorAdvice? {
        guard let response = error.response, response.source == .network, response.note == nil else { return nil }
        let status = response.status.code
        if status == 401 { return .giveCredentials }
        guard error.serverMessage == nil else { return nil }
        return switch status {
        case 400: .compareRequest
        case 403: .otherCredentials
        case 404, 410: .checkPath
        case 405, 501: .checkMethod
        case 407: .checkProxyCredentials
        case 413: .shorterBody
        case 415: .otherBodyType
        case 408, 425, 429, 500...599: .sendLater
        default: nil
        }
    }

    private static func advice(for fault: BodyFault) -> ErrorAdvice? {
        switch fault {
        case .notAFileURL: .fileURL
        case .unreachable, .unreadable: .checkFile
        case .directory, .notAFile: .regularFile
        case .changed: .quietFile
        case .tooShort, .tooLong: .declareLength
        case .methodWithoutBody: .methodWithBody
        case .controlCharacter, .backslashAtEnd: .removeCharacter
        case .notInCharset: .useUTF8
        case .invalidBoundary, .boundaryInside: .otherBoundary
        case .notReplayable, .negativeRange: nil
        }
    }
}
