import Sterna
import Testing

@testable import SternaTestSupport
@testable import TernCLI

@Suite struct ExitStatusTests {
    private static let table: [SternaError.Kind: Int32] = [
        .invalidURL: 3, .invalidHeader: 2, .invalidMethod: 2, .invalidRequest: 1, .encodingFailed: 1,
        .fileUnreadable: 26, .bodyNotReplayable: 1, .originRefused: 1, .cancelled: 130, .timedOut: 28,
        .hostNotFound: 6, .connectionFailed: 7, .tlsFailed: 35, .certificateRejected: 60, .writeFailed: 55,
        .connectionClosed: 56, .truncated: 18, .malformedResponse: 56, .limitExceeded: 56, .tooManyRedirects: 47,
        .redirectRefused: 47, .contentCodingFailed: 61, .unacceptableStatus: 22, .unacceptableMediaType: 1,
        .unacceptableResponse: 1, .decodingFailed: 1, .digestMismatch: 1, .identityUnusable: 58, .addressRefused: 7,
        .proxyFailed: 97, .shutDown: 1, .interceptorFailed: 1, .trafficLimited: 1, .destinationUnusable: 23,
        .authenticationFailed: 94, .webSocketClosed: 56,
    ]

    @Test(arguments: SternaError.Kind.allCases)
    func hasANumber(_ kind: SternaError.Kind) {
        expectEqual(ExitStatus.code(for: SternaError(kind, phase: .prepare, "")), Self.table[kind])
    }

    @Test func looksAtTheCauseOfOutputErrors() {
        let cause = OutputError(name: "standard output", code: 28)
        let error = SternaError(.interceptorFailed, phase: .prepare, "", underlying: cause)
        expectEqual(ExitStatus.code(for: error), 23)
        let full = DestinationFault.noSpace(path: "/a", code: 28)
        expectEqual(ExitStatus.code(for: SternaError(.writeFailed, phase: .read, "", underlying: full)), 23)
        expectEqual(ExitStatus.code(for: cause as any Error), 23)
        expectEqual(ExitStatus.code(for: UsageError("x") as any Error), 2)
        expectEqual(ExitStatus.code(for: HTTPURL.ParseError.empty as any Error), 3)
        expectEqual(ExitStatus.code(for: CancellationError() as any Error), 130)
    }

    @Test(arguments: SternaError.Kind.allCases)
    func isSaidInOneLine(_ kind: SternaError.Kind) {
        var error = SternaError(kind, phase: .read, "First\nsecond\u{1B}[31m.")
        error.serverMessage = "No\r\nsuch \u{1B}]0;title\u{7}bird"
        let line = ErrorLine.text(for: error)
        expectEqual(line?.contains { $0.isNewline }, false)
        expectEqual(line?.unicodeScalars.contains { $0.value < 0x20 }, false)
        expectEqual(line?.isEmpty, (kind == .cancelled))
    }

    @Test func carriesTheServersMessage() {
        var error = SternaError(.unacceptableStatus, phase: .read, "The server answered 404.")
        error.serverMessage = "no such bird"
        error.method = .get
        error.url = "http://a/"
        #expect(ErrorLine.text(for: error) == "The server answered 404: no such bird [GET http://a/]")
    }
}
