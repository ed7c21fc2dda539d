import MutationKit
import Sterna
import SternaSerialization
import Testing

@testable import SternaRecorder
@testable import SternaTestSupport

@Suite("Mutations: recorder")
struct RecorderMutationTests {
    static let reader = MutatedReader(
        "a recorder's folder",
        seeds: [
            #"""
            {"id":"7","started":1796029200.5,"duration":1500000,"request":{"method":"POST","url":"http://h/a","headers":[{"name":"A","value":"b"}]},"attempts":[{"entry":{"startedDateTime":"2026-11-30T09:00:00.500Z","request":{"method":"POST","url":"http://h/a","headers":[],"postData":{"mimeType":"text/plain","text":"a","size":1},"bodySize":1},"response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","headers":[{"name":"Content-Encoding","value":"gzip"}],"content":{"size":2,"mimeType":"","text":"AAE=","encoding":"base64"},"bodySize":3,"_error":"x"},"_trailers":[{"name":"T","value":"1"}],"_interimResponses":[{"status":103,"headers":[]}]},"metrics":{"reason":"first","whole":[0,10],"wait":[1,9],"bytesSent":9223372036854775807,"version":"HTTP/1.1","status":200,"failure":"timedOut","tlsVersion":"TLS 1.3","reused":true}}],"decisions":["a"],"marked":["x-a"],"response":{"status":200,"headers":[],"content":{"size":1,"mimeType":"text/plain","text":"a"},"bodySize":0},"url":"http://h/b","source":"cache","error":"x"}
            {"id":"8"}
            """#
        ],
        tokens: [
            "{", "}", "[", "]", ",", ":", "\"", "\n", "-1", "1e308", "9223372036854775807", "null", "base64", "http://",
            "\"metrics\"", "\"whole\"", "\"status\"", "\"headers\"", "\\u0000", "gzip", "HTTP/999", "\u{FEFF}",
        ]
    ) { bytes in
        let found = RecorderFolder.exchanges(bytes, limits: Recorder.Limits())
        guard !found.isEmpty else { return .refused }
        for (exchange, size) in found {
            guard size >= 0 else { throw MutationFailure("A negative size.") }
            _ = (exchange.request, exchange.response, exchange.attempts.map(\.responseContent))
            var room = 1 << 20
            let entries = exchange.entries(showsSecrets: false, room: &room)
            guard room >= 0 else { throw MutationFailure("More is decoded than there is room.") }
            let times = entries.flatMap { [$0.timings.send, $0.timings.wait, $0.timings.receive] }
            guard times.allSatisfy({ $0 != nil }) else { throw MutationFailure("A negative duration.") }
            let line = try exchange.json(showsSecrets: true).serialized()
            guard RecorderFolder.exchanges(line, limits: Recorder.Limits()).count == 1 else {
                throw MutationFailure("Written it is not read again.")
            }
        }
        return .accepted
    }

    @Test("No mutated line ends the process, and what is read is written alike")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await RecorderMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
