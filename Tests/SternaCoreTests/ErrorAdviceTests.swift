import Foundation
import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("What to do about an error")
struct ErrorAdviceTests {
    private struct Cause: Error {}

    /// An error of one kind, and what else the rule looks at.
    struct Row: Sendable {
        var error: SternaError
        var advice: ErrorAdvice?

        init(
            _ kind: SternaError.Kind, _ advice: ErrorAdvice?, phase: SternaError.Phase = .read,
            _ change: (inout SternaError) -> Void = { _ in }
        ) {
            error = SternaError(kind, phase: phase, "What happened.")
            change(&error)
            self.advice = advice
        }

        /// A response of that status.
        init(_ status: Int, _ advice: ErrorAdvice?, _ change: (inout SternaError) -> Void = { _ in }) throws {
            let response = Response(status: .init(code: status), url: try HTTPURL("https://example.com/"))
            self.init(.unacceptableStatus, advice, phase: .decode) {
                $0.response = response
                change(&$0)
            }
        }

        /// A fault of the request's body.
        init(fault: BodyFault, _ advice: ErrorAdvice?) {
            self.init(.fileUnreadable, advice, phase: .prepare) { $0.underlying = fault }
        }

        /// A proxy's refusal.
        init(proxy status: Int, _ advice: ErrorAdvice) throws {
            let response = Response(status: .init(code: status), url: try HTTPURL("https://example.com/"))
            self.init(.proxyFailed, advice, phase: .proxy) { $0.proxyResponse = response }
        }
    }

    static let kinds: [Row] = [
        Row(.invalidURL, nil, phase: .prepare), Row(.cancelled, nil), Row(.trafficLimited, nil, phase: .prepare),
        Row(.encodingFailed, nil, phase: .prepare),
        Row(.encodingFailed, .otherValue, phase: .prepare) { $0.underlying = Cause() },
        Row(.identityUnusable, .checkIdentity, phase: .prepare),
        Row(.timedOut, .moreTime, phase: .wait), Row(.timedOut, nil, phase: .queue),
        Row(.hostNotFound, .checkName, phase: .resolve), Row(.connectionFailed, .checkServer, phase: .connect),
        Row(.proxyFailed, .checkProxy, phase: .proxy), Row(.tlsFailed, nil, phase: .tls),
        Row(.certificateRejected, .nameRoots, phase: .tls),
        Row(.certificateRejected, nil, phase: .tls) { $0.underlying = Cause() },
        Row(.truncated, .incomplete), Row(.writeFailed, nil), Row(.limitExceeded, nil),
        Row(.tooManyRedirects, .checkRedirects), Row(.redirectRefused, .readRedirect),
        Row(.unacceptableStatus, nil), Row(.unacceptableMediaType, .otherSerializer, phase: .decode),
        Row(.decodingFailed, nil, phase: .decode),
        Row(.decodingFailed, .readBody, phase: .decode) { $0.body = Bytes() },
        Row(.contentCodingFailed, .readCodedBody, phase: .decode), Row(.interceptorFailed, nil),
    ]

    @Test("By kind, phase and cause", arguments: kinds)
    func kind(_ row: Row) { expectEqual(ErrorAdvice(for: row.error), row.advice, "\(row.error)") }

    /// Whether it is the connection's first response, the URL, the advice for a lost connection and for an invalid response.
    static let ports: [(Bool, String?, ErrorAdvice, ErrorAdvice)] = [
        (true, "http://a.test/", .requireHTTPS, .checkProtocol), (true, nil, .requireHTTPS, .checkProtocol),
        (true, "https://a.test/", .sendAgain, .reportServer), (false, "http://a.test/", .sendAgain, .reportServer),
    ]

    @Test("A port may require https only over http, and before its first response", arguments: ports)
    func port(isFirst: Bool, url: String?, closed: ErrorAdvice, invalid: ErrorAdvice) {
        for (kind, advice) in [(SternaError.Kind.connectionClosed, closed), (.malformedResponse, invalid)] {
            let row = Row(kind, advice) {
                $0.url = url
                $0.isOfFirstResponse = isFirst
            }
            self.kind(row)
        }
    }

    @Test("By status") func status() throws {
        let rows = [
            try Row(400, .compareRequest), try Row(401, .giveCredentials), try Row(403, .otherCredentials),
            try Row(404, .checkPath), try Row(405, .checkMethod), try Row(407, .checkProxyCredentials),
            try Row(410, .checkPath), try Row(413, .shorterBody), try Row(415, .otherBodyType), try Row(422, nil),
            try Row(429, .sendLater), try Row(500, .sendLater), try Row(503, .sendLater), try Row(304, nil),
            try Row(404, nil) { $0.serverMessage = "no such bird" },
            try Row(401, .giveCredentials) { $0.serverMessage = "No." },
            try Row(401, nil) { $0.response?.note = "No credentials were sent." },
            try Row(504, nil) { $0.response?.source = .cache },
        ]
        for row in rows { kind(row) }
    }

    @Test("By a proxy's status") func proxy() throws {
        let rows = [
            try Row(proxy: 401, .checkProxyCredentials), try Row(proxy: 407, .checkProxyCredentials),
            try Row(proxy: 403, .chooseProxy), try Row(proxy: 405, .chooseProxy), try Row(proxy: 502, .checkTarget),
        ]
        for row in rows { kind(row) }
    }

    static let faults: [Row] = [
        Row(fault: .notAFileURL(scheme: "https"), .fileURL), Row(fault: .unreachable(path: "/a", code: 2), .checkFile),
        Row(fault: .unreadable(path: "/a", code: 13), .checkFile), Row(fault: .directory(path: "/a"), .regularFile),
        Row(fault: .notAFile(path: "/a"), .regularFile), Row(fault: .changed(path: "/a"), .quietFile),
        Row(fault: .tooShort(delivered: 1, declared: 2), .declareLength),
        Row(fault: .tooLong(declared: 1), .declareLength),
        Row(fault: .methodWithoutBody("GET"), .methodWithBody),
        Row(fault: .controlCharacter(in: "a"), .removeCharacter),
        Row(fault: .notInCharset("a"), .useUTF8), Row(fault: .invalidBoundary, .otherBoundary),
        Row(fault: .notReplayable, nil), Row(fault: .negativeRange(lowerBound: -1), nil),
    ]

    @Test("By the fault of a body", arguments: faults)
    func fault(_ row: Row) { kind(row) }

    @Test("Stated advice comes first, and ends with the kind that it was stated for")
    func stated() {
        var error = SternaError(.timedOut, phase: .wait, "Nothing came.").advised(.raiseFirstByte)
        expectEqual(error.advice, ErrorAdvice.raiseFirstByte.text)
        error.detail = "Nothing came in time."
        expectEqual(error.advice, ErrorAdvice.raiseFirstByte.text)
        error.kind = .truncated
        expectEqual(error.advice, ErrorAdvice.incomplete.text)
        expectNil(SternaError(.truncated, phase: .read, "Send it again.").advised(.inDetail).advice)
    }

    @Test("A sentence or two on one line, each of its own", arguments: ErrorAdvice.allCases)
    func text(_ advice: ErrorAdvice) {
        guard advice != .inDetail else { return expectEqual(advice.text, "") }
        #expect(advice.text.hasSuffix(".") && advice.text.count < 130)
        #expect(advice.text.first?.isUppercase == true && !advice.text.contains { $0.isNewline })
        expectEqual(ErrorAdvice.allCases.filter { $0.text.contains(advice.text) }, [advice])
    }

    @Test("For a WebSocket no advice names http or https", arguments: ErrorAdvice.allCases)
    func webSocket(_ advice: ErrorAdvice) {
        #expect(!advice.forWebSocket.text.contains("http"))
        expectEqual(advice.forWebSocket != advice, advice.text.contains("http"))
    }

    @Test("Stands between what happened and what the server says")
    func description() throws {
        let row = try Row(401, .giveCredentials) { $0.serverMessage = "No." }
        expectEqual(
            row.error.description,
            "What happened. \(ErrorAdvice.giveCredentials.text) The server says: No. [phase: decode]")
        expectEqual(row.error.localizedDescription, "What happened. The server says: No.")
        expectEqual(row.error.recoverySuggestion, ErrorAdvice.giveCredentials.text)
    }
}
