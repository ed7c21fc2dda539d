import MutationKit
import Sterna
import SternaRecorder
import Testing

@testable import SternaTestSupport

@Suite("Mutations: HAR")
struct HARMutationTests {
    static let reader = MutatedReader(
        "HAR",
        seeds: [
            #"""
            {"log":{"version":"1.2","entries":[{"startedDateTime":"2026-11-30T09:00:00.5+01:00","time":1e3,
            "request":{"method":"POST","url":"https://u:p@h/a?token=1","headers":[{"name":"Host","value":"h"}],"bodySize":4,
            "postData":{"mimeType":"application/json","text":"{\"password\":1}"},"cookies":[{"name":"a","value":"b"}]},
            "response":{"status":200,"headers":[],"content":{"size":2,"mimeType":"text/plain; charset=gbk","text":"AAE=",
            "encoding":"base64"},"bodySize":-1},"timings":{"blocked":-1,"send":1,"wait":1e308}}]}}
            """#,
            #"""
            {"log":{"entries":[{"request":{"method":"GET","url":"ws://h/"},"_webSocketMessages":[{"type":"send","opcode":2,
            "data":"AA=="},{"opcode":1,"data":"42[{\"token\":1}]"}],"_x":{"key":[1,{"name":"pin","value":9}]}},
            {"request":{"method":"GET","url":"http://h/"},"response":{"content":{"mimeType":"text/event-stream",
            "text":"data: {\"token\":1}\r\n\ndata: x"}}}]}}
            """#,
            #"{"log":{"entries":[{"request":{"method":"PUT","url":"http://h/","postData":{"params":[{"name":"a","value":"%"}]}}}]}}"#,
        ],
        tokens: [
            "{", "}", "[", "]", ",", ":", "\"", "\"text\"", "\"name\"", "\"value\"", "\"content\"", "\"postData\"",
            "-1",
            "1e308", "null", "base64", "http://", "\\u0000", "\\n", "{{", "###", "\u{FEFF}", "***", "=", "&", "@", "?",
            "%",
        ]
    ) { bytes in
        guard let har = try? HARDocument(parsing: bytes) else { return .refused }
        let written = try har.serialized(showsSecrets: true)
        guard try HARDocument(parsing: written) == har else {
            throw MutationFailure("Written and read again it differs.")
        }
        guard try HARDocument(parsing: har.serialized()).entries.count == har.entries.count else {
            throw MutationFailure("Redacted it has other entries.")
        }
        for entry in har.entries {
            _ = (entry.started, entry.time, entry.timings.sum, entry.serverIPAddress, entry.failure, entry.connection)
            _ = (entry.request.bodySize, entry.response.content.size, entry.response.content.bytes)
            _ = entry.webSocketMessages?.map(\.bytes)
            for format in HARDocument.ExportFormat.allCases { _ = try? entry.exported(as: format, showsSecrets: true) }
        }
        return .accepted
    }

    @Test("No mutated input ends the process, and what is read is written alike")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await HARMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
