import Sterna
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// The drawing of a request's timings.
@Suite struct WaterfallTests {
    private static func span(_ start: Int, _ end: Int) -> AttemptMetrics.Span {
        AttemptMetrics.Span(start: .milliseconds(start), end: .milliseconds(end))
    }

    private static func attempt(
        _ start: Int, _ end: Int, reason: AttemptMetrics.Reason = .first, _ url: String = "https://a.test/",
        _ change: (inout AttemptMetrics) -> Void = { _ in }
    ) -> AttemptMetrics {
        guard let url = try? HTTPURL(url) else { preconditionFailure(url) }
        var attempt = AttemptMetrics(reason: reason, method: "GET", url: url, start: .milliseconds(start))
        attempt.whole = span(start, end)
        change(&attempt)
        return attempt
    }

    private static func metrics(_ attempts: AttemptMetrics...) -> RequestMetrics {
        var metrics = RequestMetrics(id: 1)
        metrics.attempts = attempts
        return metrics
    }

    private static let plain = metrics(
        attempt(0, 170) {
            $0.resolve = span(0, 10)
            $0.connect = span(10, 40)
            $0.tls = span(40, 100)
            $0.write = span(100, 101)
            $0.wait = span(101, 150)
            $0.read = span(150, 170)
            $0.status = 200
            $0.version = .http11
            $0.tlsVersion = "TLS 1.3"
            $0.remoteAddress = "127.0.0.1:443"
            $0.bytesSent = 120
            $0.bytesReceived = 1_500
            $0.decodedBytes = 4_000
        })

    @Test func drawsInFortyColumns() {
        #expect(
            Waterfall(metrics: Self.plain, width: 40, isPlain: true).lines == [
                "GET https://a.test/, 200, HTTP/1.1, TLS 1.3, 127.0.0.1:443",
                "  resolve    10.0 ms  =",
                "  connect    30.0 ms   ===",
                "  TLS        60.0 ms      ======",
                "  write       1.0 ms            =",
                "  wait       49.0 ms            =====",
                "  read       20.0 ms                 ==",
                "  170 ms; sent 120 B, received 1.5 kB, decoded 4 kB",
            ])
    }

    @Test func drawsInHundredAndTwentyColumns() throws {
        let lines = Waterfall(metrics: Self.plain, width: 120).lines
        #expect(lines.first == "GET https://a.test/ · 200 · HTTP/1.1 · TLS 1.3 · 127.0.0.1:443")
        let bars = lines[1..<7].map { line in (line.prefix { $0 != "█" }.count - 22, line.filter { $0 == "█" }.count) }
        // 97 columns for 170 ms.
        expectEqual(bars.map(\.0), [0, 5, 22, 57, 57, 85])
        expectEqual(bars.map(\.1), [6, 18, 35, 1, 29, 12])
        #expect(lines[1..<7].allSatisfy { $0.count <= 119 })
    }

    @Test(arguments: [0, 1, 22, 31, 39, 40, 80, 120, 123, 200, 1_000])
    func barsStayWithinTheTerminalAndTheirOwnRoom(_ width: Int) {
        for isPlain in [false, true] {
            for line in Waterfall(metrics: Self.plain, width: width, isPlain: isPlain).lines[1..<7] {
                #expect(line.count <= max(30, min(122, width - 1)))
                #expect(line.hasSuffix(isPlain ? "=" : "█"))
            }
        }
    }

    @Test func coloursNothingUnlessAsked() {
        #expect(Waterfall(metrics: Self.plain).lines.allSatisfy { !$0.contains("\u{1B}") })
        let coloured = Waterfall(metrics: Self.plain, width: 40, isColoured: true, isPlain: true).lines
        #expect(coloured[0] == "\u{1B}[1mGET https://a.test/, 200, HTTP/1.1, TLS 1.3, 127.0.0.1:443\u{1B}[0m")
        expectEqual(coloured[1], "  resolve    10.0 ms  \u{1B}[36m=\u{1B}[0m")
        expectEqual(coloured[3], "  TLS        60.0 ms      \u{1B}[35m======\u{1B}[0m")
        #expect(coloured.allSatisfy { line in line.filter { $0 == "\u{1B}" }.count % 2 == 0 })
    }

    @Test func drawsAttemptsOneBelowTheOther() {
        let two = Self.metrics(
            Self.attempt(0, 50, "https://a.test/one") {
                $0.wait = Self.span(0, 50)
                $0.status = 302
                $0.isReused = true
            },
            Self.attempt(50, 100, reason: .redirect, "https://a.test/two") {
                $0.wait = Self.span(50, 100)
                $0.failure = .truncated
                $0.proxy = "http://proxy:3128"
            })
        #expect(
            Waterfall(metrics: two, width: 40, isPlain: true).lines == [
                "GET https://a.test/one, 302, reused connection",
                "  wait       50.0 ms  =========",
                "  50.0 ms; sent 0 B, received 0 B",
                "GET https://a.test/two, failed: truncated, via http://proxy:3128",
                "  wait       50.0 ms          =========",
                "  50.0 ms; sent 0 B, received 0 B",
                "2 attempts, 100 ms in all: the first, a redirect",
            ])
    }

    @Test(arguments: [AttemptMetrics.Reason.staleConnection, .expectationRefused, .retry])
    func saysWhyThereIsAnother(_ reason: AttemptMetrics.Reason) {
        let lines = Waterfall(metrics: Self.metrics(Self.attempt(0, 1), Self.attempt(1, 2, reason: reason))).lines
        expectEqual(lines.last?.hasPrefix("2 attempts, 2.0 ms in all: the first, again"), true)
    }

    @Test func copesWithNoTimeAtAll() {
        let none = Self.metrics(
            Self.attempt(0, 0) {
                $0.queue = Self.span(0, 0)
                $0.read = Self.span(0, 0)
            })
        #expect(
            Waterfall(metrics: none, width: 40, isPlain: true).lines == [
                "GET https://a.test/", "  queue         0 us  =", "  read          0 us  =",
                "  0 us; sent 0 B, received 0 B",
            ])
        expectEqual(Waterfall(metrics: Self.metrics()).lines, [])
    }

    @Test func copesWithPartsBeyondTheEnd() {
        // As in a request that is still running.
        let open = Self.metrics(Self.attempt(0, 0) { $0.read = Self.span(100_000_000, 200_000_000) })
        for width in [10, 40, 120] {
            let lines = Waterfall(metrics: open, width: width, isPlain: true).lines
            expectEqual(lines[1].filter { $0 == "=" }.count, 1)
            #expect(lines[1].count <= max(30, width - 1))
        }
    }

    @Test func keepsControlsFromATerminal() {
        let metrics = Self.metrics(
            Self.attempt(0, 1, "https://a.test/" + String(repeating: "x", count: 5_000)) {
                $0.remoteAddress = "/run/\u{1B}[2J.sock\nnext"
                $0.proxy = "http://\u{8}proxy\u{1B}]0;owned\u{7}\r\n\u{9B}31m\u{202E}"
            })
        for line in Waterfall(metrics: metrics, width: 40, isPlain: true).lines {
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) })
            #expect(!line.unicodeScalars.contains("\u{202E}"))
        }
    }

    @Test(
        arguments: [
            (.zero, "0 us"), (.nanoseconds(999), "0 us"), (.microseconds(999), "999 us"), (.milliseconds(1), "1.0 ms"),
            (.microseconds(99_999), "99.9 ms"), (.milliseconds(100), "100 ms"), (.milliseconds(9_999), "9999 ms"),
            (.seconds(10), "10.0 s"), (.milliseconds(61_250), "61.2 s"), (.seconds(86_400), "86400.0 s"),
        ] as [(Duration, String)])
    func saysTimes(_ duration: Duration, _ text: String) {
        expectEqual(Waterfall.time(duration), text)
    }
}
