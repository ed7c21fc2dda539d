import Sterna

/// An error of the library, with advice that depends on the command line's options.
struct AdvisedError: Error {
    var error: SternaError
    /// The advice, as a sentence; nil if the error contains it.
    var advice: String?
}

/// The one line that reports an error and how to fix it.
enum ErrorLine {
    /// Returns the line without `tern: `; empty if no message is needed, nil for errors of the argument parser and
    /// others.
    static func text(for error: any Error) -> String? {
        switch error {
        case let error as AdvisedError: words(for: error.error, advice: error.advice)
        case let error as SternaError:
            words(for: error, advice: ErrorAdvice(for: error).flatMap { words(for: $0) })
        case let error as OutputError: error.isBrokenPipe ? "" : TerminalText.line(error.description)
        case let error as UsageError: TerminalText.line(error.message)
        case is CancellationError: ""
        default: nil
        }
    }

    private static func words(for error: SternaError, advice: String?) -> String {
        if let error = error.underlying as? OutputError { return text(for: error) ?? "" }
        if error.kind == .cancelled { return "" }
        if error.kind == .unacceptableStatus { return statusLine(error) }
        if let failure = error.underlying as? TrustFailure { return trustLine(failure) + place(error) }
        var words = error.detail
        if let advice { words += " \(advice)" }
        return TerminalText.line(words + place(error))
    }

    private static func statusLine(_ error: SternaError) -> String {
        guard let message = error.serverMessage else { return TerminalText.line(error.detail + place(error)) }
        let detail = error.detail.hasSuffix(".") ? String(error.detail.dropLast()) : error.detail
        let shown = message.count > longestMessage ? message.prefix(longestMessage) + "…" : message
        return TerminalText.line("\(detail): \(shown)" + place(error))
    }

    /// Leaves out the certificate, which is shown below.
    private static func trustLine(_ failure: TrustFailure) -> String {
        var words = "The server's certificate is not trusted: \(failure.reason)."
        if !failure.advice.isEmpty { words += " \(failure.advice)" }
        switch failure.check {
        case .issuer: words += " Name its authority with --cacert FILE; --insecure is for tests only."
        case .pin: words += " Pins are given with --pin."
        default: break
        }
        return TerminalText.line(words)
    }

    /// Returns the details that follow an error's line: the certificates of a server that is not trusted.
    static func details(of error: any Error) -> [String] {
        let error = (error as? AdvisedError)?.error ?? error as? SternaError
        guard let failure = error?.underlying as? TrustFailure else { return [] }
        return CertificateReport.summary(failure.presented)
    }

    private static let longestMessage = 300

    private static func place(_ error: SternaError) -> String {
        guard let url = error.url else { return "" }
        return " [\(error.method.map { "\($0.rawValue) " } ?? "")\(Redaction.brief(url))]"
    }

    /// Returns the library's advice in terms of this program's options; nil for advice that only a program can follow.
    static func words(for advice: ErrorAdvice) -> String? {
        switch advice {
        case .raiseResolve, .raiseConnect, .raiseTLS, .raiseProxy, .raiseWrite, .raiseFirstByte, .raiseBetweenBytes,
            .raiseTotal, .laterDeadline, .moreTime:
            "Give it more time with --timeout SECONDS."
        case .nameRoots: "Name its authority with --cacert FILE; --insecure is for tests only."
        case .checkTLSVersions: "Allow another TLS version with --tls-min or --tls-max, or update the server."
        case .giveIdentity: "Give the client's certificate with --cert and --key."
        case .matchTLS:
            "Give the client's certificate with --cert and --key if the server requires one, or check --tls-min."
        case .checkServerName: "Check the host in the URL."
        case .checkProxyCredentials: "Check the proxy's user name and password: --proxy-user USER:PASSWORD."
        case .chooseProxy: "Choose another proxy with --proxy."
        case .requireHTTPS: "Try again; check the port and whether it requires https://."
        case .requireWSS: "Try again; check the port and whether it requires wss://."
        case .sendAgain: "Try again."
        case .incomplete: "The response is incomplete; try again."
        case .checkRedirects, .readRedirect: "Look at the redirect itself with --no-follow."
        case .inDetail, .lowerThroughput, .compareRequest, .giveCredentials, .otherCredentials, .checkPath,
            .checkMethod,
            .shorterBody, .otherBodyType, .sendLater, .otherSerializer, .readBody, .readCodedBody, .fileURL,
            .declareLength,
            .methodWithBody, .otherValue:
            nil
        default: advice.text
        }
    }

    /// Prints the line to standard error, red on a terminal.
    static func show(_ line: String) {
        let isColoured = Terminal.standardError.wantsColours
        Descriptor.standardError.print(Colour.red.wrap("tern:", if: isColoured) + " \(line)")
    }
}
