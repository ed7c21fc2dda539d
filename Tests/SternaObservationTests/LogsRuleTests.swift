import HTTPTypes
import Logging
import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The table of docs/Observability.md: each event and its line.
@Suite("Logs: the line of each event")
struct LogsRuleTests {
    private struct Row {
        let kind: SternaEvent.Kind
        let line: String
        var outcome = LogOutcome()

        init(_ kind: SternaEvent.Kind, _ line: String = "", _ outcome: LogOutcome = LogOutcome()) {
            (self.kind, self.line, self.outcome) = (kind, line, outcome)
        }
    }

    private let url: HTTPURL
    private let shown = "url.full=https://api.example.com/users?page=2&token=***"
    private let request: Request

    init() throws {
        url = try HTTPURL("https://ada:lovelace@api.example.com/users?page=2&token=s3cret#part")
        request = Request(.get, url, headers: [.authorization: "Bearer s3cret", .accept: "text/csv"])
    }

    private func response(_ status: Int = 200) -> Response {
        Response(
            status: .init(code: status), section: FieldSection([.setCookie: "a=s3cret", .server: "x"]), url: url)
    }

    private let lost = SternaError(.connectionClosed, phase: .wait, "The server closed the connection.")
    private let cancelled = SternaError.cancelled(phase: .wait)

    private func outcome(_ error: SternaError? = nil, status: Int? = nil) -> LogOutcome {
        var outcome = LogOutcome()
        outcome.status = status
        outcome.source = status == nil ? nil : .cache
        outcome.bodySize = status == nil ? nil : 7
        outcome.failure = error.map { LogOutcome.Failure($0) }
        return outcome
    }

    private var networkRows: [Row] {
        let lostKeys = "error.type=connectionClosed"
        let lostText = "sterna.error=The server closed the connection."
        let ended = "http.request.method=GET http.request.size=0"
        return [
            Row(.requestBegan, "debug Request began http.request.method=GET \(shown)"),
            Row(
                .attemptBegan(.hedge, request),
                "debug Attempt began http.request.method=GET sterna.reason=hedge \(shown)"),
            Row(
                .hostResolved(
                    host: "api.example.com", addresses: [IPAddress("192.0.2.1"), IPAddress("::1")].compactMap(\.self)),
                "trace Host resolved server.address=api.example.com sterna.addresses=192.0.2.1, ::1"),
            Row(.connected(to: "[::1]:443"), "trace Connected network.peer.address=::1 network.peer.port=443"),
            Row(.connected(to: "/run/a.socket"), "trace Connected network.peer.address=/run/a.socket"),
            Row(
                .proxyConnected(proxy: "http://proxy.example:3128", response: response()),
                "trace Proxy connected http.response.status_code=200 sterna.proxy=http://proxy.example:3128"),
            Row(.tlsEstablished(version: "TLS 1.3"), "trace TLS established tls.protocol.version=1.3"),
            Row(.connectionAcquired(isReused: true), "trace Connection acquired sterna.connection.reused=true"),
            Row(.requestSent(bytes: 120), "trace Request sent http.request.size=120"),
            Row(
                .informationalReceived(InformationalResponse(status: 103, headers: [:])),
                "trace Informational response received http.response.status_code=103"),
            Row(
                .responseBegan(response()),
                "debug Response began http.response.status_code=200 network.protocol.version=1.1"),
            Row(.responseEnded(bytes: 300), "trace Response ended http.response.size=300"),
            Row(.attemptFailed(lost), "debug Attempt failed \(lostKeys) \(lostText)"),
            Row(
                .retryScheduled(ScheduledRetry(reason: .status(503), delay: .milliseconds(250), number: 2)),
                "debug Retry scheduled sterna.retry.delay=0.250000 sterna.retry.number=2 sterna.retry.reason=\(RetryReason.status(503))"
            ),
            Row(
                .requestEnded(RequestMetrics(id: 7)),
                "debug Request ended http.request.method=GET http.request.size=0 http.response.body.size=7 "
                    + "http.response.size=0 http.response.status_code=200 sterna.attempts=0 sterna.source=cache \(shown)",
                outcome(status: 200)),
            Row(
                .requestEnded(RequestMetrics(id: 7)),
                "warning Request failed \(lostKeys) \(ended) http.response.size=0 sterna.attempts=0 \(lostText) \(shown)",
                outcome(lost)),
            Row(
                .requestEnded(RequestMetrics(id: 7)),
                "debug Request cancelled error.type=cancelled \(ended) http.response.size=0 sterna.attempts=0 "
                    + "sterna.error=The request was cancelled. \(shown)",
                outcome(cancelled)),
        ]
    }

    private var taskRows: [Row] {
        let lostKeys = "error.type=connectionClosed"
        let lostText = "sterna.error=The server closed the connection."
        let status = "http.response.status_code=302 network.protocol.version=1.1"
        return [
            Row(.taskCreated(request), "debug Task created http.request.method=GET \(shown)"),
            Row(.taskCreated(nil), "debug Task created"),
            Row(.taskResumed, "debug Task resumed"),
            Row(.taskSuspended, "debug Task suspended"),
            Row(.taskCancelled, "debug Task cancelled"),
            Row(.requestAdapted(from: request, to: request), "trace Request adapted http.request.method=GET \(shown)"),
            Row(
                .adaptationFailed(request, lost),
                "debug Adaptation failed \(lostKeys) http.request.method=GET \(lostText) \(shown)"),
            Row(
                .redirectDecided(response(302), .follow(request)),
                "debug Redirect decided http.request.method=GET \(status) sterna.redirect=follow \(shown)"),
            Row(.redirectDecided(response(302), .deliver), "debug Redirect decided \(status) sterna.redirect=deliver"),
            Row(.redirectDecided(response(302), .refuse), "debug Redirect decided \(status) sterna.redirect=refuse"),
            Row(
                .newBodyNeeded(request, isProvided: false),
                "debug New body needed http.request.method=GET sterna.body.provided=false \(shown)"),
            Row(
                .challengeReceived(
                    ObservedChallenge(scheme: "Basic", realm: "a\u{1B}[2J", previousFailures: 0, disposition: .none)),
                "debug Challenge received sterna.challenge.disposition=none sterna.challenge.realm=a\\u{1B}[2J "
                    + "sterna.challenge.scheme=Basic"),
            Row(
                .bodyDataSent(TransferProgress(completed: 5, total: 10)),
                "trace Body data sent sterna.progress.completed=5 sterna.progress.total=10"),
            Row(.responseReceived(response(302)), "debug Response received \(status)"),
            Row(.dataReceived(bytes: 9), "trace Data received sterna.bytes=9"),
            Row(.responseValidated(response(302), nil), "trace Response validated \(status)"),
            Row(.responseValidated(response(302), lost), "trace Response validated \(lostKeys) \(status) \(lostText)"),
            Row(.valueParsed(.success(1)), "trace Value parsed"),
            Row(.valueParsed(.failure(lost)), "trace Value parsed \(lostKeys) \(lostText)"),
            Row(.becameDownload(8), "debug Became a download sterna.download=8"),
            Row(.bytesWritten(TransferProgress(completed: 5)), "trace Bytes written sterna.progress.completed=5"),
            Row(
                .downloadResumed(offset: 5, length: 10),
                "debug Download resumed sterna.progress.completed=5 sterna.progress.total=10"),
            Row(.destinationChosen("/tmp/a"), "debug Destination chosen file.path=/tmp/a"),
            Row(.downloadFinished("/tmp/a"), "debug Download finished file.path=/tmp/a"),
            Row(
                .downloadNotMoved("/tmp/a", lost), "warning Download not moved \(lostKeys) file.path=/tmp/a \(lostText)"
            ),
            Row(.taskCompleted(nil), "debug Task completed"),
            Row(.taskCompleted(lost), "warning Task failed \(lostKeys) \(lostText)"),
            Row(
                .taskCompleted(cancelled),
                "debug Task completed error.type=cancelled sterna.error=The request was cancelled."),
            Row(.sessionInvalidated, "debug Session invalidated"),
        ]
    }

    private var otherRows: [Row] {
        let lostKeys = "error.type=connectionClosed"
        let lostText = "sterna.error=The server closed the connection."
        let status = "http.response.status_code=200 network.protocol.version=1.1"
        return [
            Row(.transferStarted, "debug Transfer started"),
            Row(.transferHeadersReceived(response()), "debug Transfer headers received \(status)"),
            Row(
                .transferRedirected(response(), request),
                "debug Transfer redirected http.request.method=GET \(status) \(shown)"),
            Row(
                .transferRetryScheduled(lost, pause: .seconds(2)),
                "debug Transfer retry scheduled \(lostKeys) \(lostText) sterna.retry.delay=2.000000"),
            Row(.transferFinished, "debug Transfer finished"),
            Row(.transferFailed(lost), "warning Transfer failed \(lostKeys) \(lostText)"),
            Row(
                .transferFailed(cancelled),
                "debug Transfer cancelled error.type=cancelled sterna.error=The request was cancelled."),
            Row(
                .queueFinished(finished: 3, failed: 1),
                "debug Queue finished sterna.queue.failed=1 sterna.queue.finished=3"),
            Row(.dropped(4), "warning Events dropped sterna.dropped=4"),
        ]
    }

    /// Returns the line of an event of call 7 without what all lines have.
    private func line(_ row: Row, isTrace: Bool = false, bodies: Int = 0) -> String {
        let rule = LogRule(isTrace: isTrace, bodyLimit: bodies, outcome: row.outcome)
        let event = SternaEvent(
            row.kind, call: ObservedCall(id: 7, request), attempt: 2, time: .microseconds(12_345))
        var metadata = rule.metadata(event)
        expectEqual(metadata.removeValue(forKey: "sterna.call"), "7")
        expectEqual(metadata.removeValue(forKey: "sterna.attempt"), "2")
        expectEqual(metadata.removeValue(forKey: "sterna.elapsed"), "0.012345")
        let (level, message) = rule.head(row.kind)
        return (["\(level) \(message)"] + [metadata.shown]).filter { !$0.isEmpty }.joined(separator: " ")
    }

    @Test("Each event has its line")
    func table() {
        for row in networkRows + taskRows + otherRows { expectEqual(line(row), row.line) }
    }

    @Test("No event is without a row")
    func complete() {
        let names = Set((networkRows + taskRows + otherRows).map(\.kind.name))
        // The families' numbers of cases in docs/Events.md, and `dropped`.
        expectEqual(names.count, 14 + 22 + 7 + 1)
    }

    @Test("At trace heads have their fields, and requests the curl command")
    func trace() {
        let sent = line(Row(.attemptBegan(.first, request)), isTrace: true)
        #expect(sent.contains("http.request.header=[accept=text/csv authorization=***]"), "\(sent)")
        #expect(sent.contains("sterna.curl=curl --http1.1 'https://api.example.com/users?page=2&token=***'"), "\(sent)")
        #expect(sent.contains("-H 'authorization: ***'") || sent.contains("-H 'Authorization: ***'"), "\(sent)")
        let received = line(Row(.responseBegan(response())), isTrace: true)
        #expect(received.contains("http.response.header=[server=x set-cookie=***]"), "\(received)")
    }

    @Test("Fields that a session marks as secret are hidden, of requests and responses")
    func marked() {
        var outcome = LogOutcome()
        outcome.secretHeaders = ["server", "accept"]
        let sent = line(Row(.attemptBegan(.first, request), "", outcome), isTrace: true)
        #expect(sent.contains("[accept=*** authorization=***]"), "\(sent)")
        let received = line(Row(.responseBegan(response()), "", outcome), isTrace: true)
        #expect(received.contains("[server=*** set-cookie=***]"), "\(received)")
    }

    @Test("Line breaks, escapes of terminals and bidirectional text are escaped")
    func safe() {
        let rows: [(String, String)] = [
            ("plain é 日本 👍", "plain é 日本 👍"), ("a\r\nb\tc", "a\\r\\nb\\tc"), ("\u{1B}[31mred", "\\u{1B}[31mred"),
            ("\u{9B}2J\u{7F}\u{0}", "\\u{9B}2J\\u{7F}\\u{0}"), ("a\u{202E}gpj.exe", "a\\u{202E}gpj.exe"),
            ("\u{2066}x\u{2069}\u{200F}\u{61C}", "\\u{2066}x\\u{2069}\\u{200F}\\u{61C}"),
            ("\u{2028}\u{2029}\u{85}", "\\u{2028}\\u{2029}\\u{85}"), ("\u{E0041}", "\\u{E0041}"),
        ]
        for (text, shown) in rows { expectEqual(LogText.safe(text), shown) }
    }

    @Test("A long value is cut, a thousand fields are not shown")
    func limits() {
        let long = LogText.safe(String(repeating: "a", count: 5_000))
        #expect(long.utf8.count <= LogText.longest + 4 && long.hasSuffix("…"))
        var fields = HTTPFields()
        for number in 0..<1_000 {
            if let name = HTTPField.Name("x-\(number)") { fields.append(HTTPField(name: name, value: "1")) }
        }
        guard case .dictionary(let shown) = LogText.fields(fields, []) else {
            Issue.record("The fields are no dictionary.")
            return
        }
        expectEqual(shown.count, 100)
    }

    @Test("Repeated fields are joined, hidden ones are one mark")
    func repeated() {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .accept, value: "a"))
        fields.append(HTTPField(name: .accept, value: "b"))
        fields.append(HTTPField(name: .setCookie, value: "a=1"))
        fields.append(HTTPField(name: .setCookie, value: "b=2"))
        expectEqual(["f": LogText.fields(fields, [])].shown, "f=[accept=a, b set-cookie=***]")
    }

    @Test("Bodies are shown by media type, size and content")
    func bodies() {
        let rows: [(text: String, type: String?, limit: Int, shown: String?)] = [
            ("{\"a\":1,\"password\":\"x\"}", "application/json", 100, "{\"a\":1,\"password\":\"***\"}"),
            ("a=1&token=x", "application/x-www-form-urlencoded", 100, "a=1&token=***"),
            ("{\"a\":1}", "application/problem+json; charset=utf-8", 7, "{\"a\":1}"),
            ("{\"a\":1}", "application/json", 6, nil), ("{\"a\":1}", "application/json", 0, nil),
            ("{\"a\":1}", "application/octet-stream", 100, nil), ("{\"a\":1}", nil, 100, nil),
            ("a\nb\u{1B}", "text/csv", 100, "a\\nb\\u{1B}"), ("a\u{0}b", "text/csv", 100, nil),
            ("", "text/csv", 100, nil), ("GIF", "image/gif", 100, nil), ("<a/>", "image/svg+xml", 100, "<a/>"),
        ]
        for row in rows {
            expectEqual(LogBody(Bytes(text: row.text), mediaType: row.type, limit: row.limit)?.text, row.shown)
        }
        expectNil(LogBody(Bytes(bytes: [0xFF, 0xFE]), mediaType: "text/plain", limit: 100)?.text)
    }

    @Test("The body of a request is shown up to the limit, and left out of the command beyond it")
    func requestBody() throws {
        let target = try HTTPURL("https://a.test/")
        let text = "{\"pin\":\"1234\",\n\"a\":1}"
        let request = Request(
            .post, target, headers: [.contentType: "application/json"], body: .bytes(Bytes(text: text)))
        let shown = line(Row(.attemptBegan(.first, request)), isTrace: true, bodies: 100)
        #expect(shown.contains("sterna.request.body={"), "\(shown)")
        #expect(shown.contains("http.request.body.size=\(text.utf8.count)"), "\(shown)")
        #expect(shown.contains("\"pin\":\"***\"") && !shown.contains("1234"), "\(shown)")
        #expect(!shown.contains("\n"), "\(shown)")
        for limit in [0, 20] {
            let hidden = line(Row(.attemptBegan(.first, request)), isTrace: true, bodies: limit)
            #expect(!hidden.contains("sterna.request.body={"), "\(hidden)")
            #expect(!hidden.contains("pin"), "\(hidden)")
            #expect(hidden.contains("--data-binary @-  # the body is left out: pipe its content in"), "\(hidden)")
        }
        let text2 = "a\nb\tc"
        let lines = Request(
            .post, target, headers: [.contentType: "text/csv"], body: .bytes(Bytes(text: text2)))
        let command = CurlCommand(lines, loggedBytes: 100).text
        #expect(command.hasPrefix("printf 'a\\012b\\011c' | curl"), "\(command)")
    }
}
