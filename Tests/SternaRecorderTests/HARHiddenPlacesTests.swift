import Sterna
import SternaPlatform
import SternaRecorder
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("HAR: places of secrets", .timeLimit(.minutes(5)))
struct HARHiddenPlacesTests {
    private static func redacted(_ json: JSON) -> JSON { HARDocument.Entry(json: json).redacted().json }

    /// Returns the redacted value of a response's field.
    private static func field(_ name: String, _ value: String) -> String? {
        redacted(["response": ["headers": [["name": JSON(name), "value": JSON(value)]]]])["response"]["headers"][0][
            "value"
        ]
        .string
    }

    @Test("Members beside the log")
    func frame() throws {
        let text =
            #"{"token":"s3cret1","comment":"see https://h/?token=s3cret2","log":{"entries":[],"comment":"sent to https://h/?token=s3cret3"}}"#
        let shown = try HARDocument(parsing: text.utf8).redacted().json.description
        #expect(!shown.contains("s3cret"), "\(shown)")
        #expect(shown.contains("sent to"), "\(shown)")
    }

    @Test(
        "References that are no absolute URLs, in members for URLs",
        arguments: [
            ("/cb#access_token=s3cret", "/cb"), ("/cb?state=1#access_token=s3cret", "/cb?state=1"),
            ("//u:s3cret@host/", "***"), ("/cb?state=1", "/cb?state=1"), ("about:blank", "about:blank"), ("", ""),
        ])
    func references(text: String, shown: String) {
        let tree = Self.redacted(["response": ["redirectURL": JSON(text)], "_initiator": ["url": JSON(text)]])
        expectEqual(tree["response"]["redirectURL"].string, shown)
        expectEqual(tree["_initiator"]["url"].string, shown)
    }

    @Test("User information after backslashes")
    func backslashes() {
        let tree = Self.redacted(["response": ["redirectURL": #"https:\\u:s3cret@h/"#]])
        #expect(!tree.description.contains("s3cret"), "\(tree)")
    }

    private static let streams = [
        "data: {\"a\":1,\nid: 3\ndata: \"password\":\"s3cret\"}\n\n",
        "data: {\"a\":1,\r\n: comment\r\ndata\r\ndata:\"password\":\"s3cret\"}\r\n\r\n",
        "\u{FEFF}data: {\"password\":\"s3cret\"}\n\n", "data: hello\n\ndata: {\"token\":\"s3cret\"}",
    ]

    private static func content(_ stream: String) -> String? {
        redacted(["response": ["content": ["mimeType": "text/event-stream", "text": JSON(stream)]]])["response"][
            "content"][
                "text"
            ].string
    }

    @Test("Event streams with other lines between those of the data", arguments: streams)
    func eventStreams(stream: String) {
        let shown = Self.content(stream) ?? ""
        #expect(!shown.contains("s3cret") && shown.contains("***"), "\(shown)")
        for kept in ["id: 3", ": comment", "hello"] where stream.contains(kept) {
            #expect(shown.contains(kept), "\(shown)")
        }
    }

    @Test("Event streams without secrets stay as they are")
    func plainStreams() {
        for stream in streamsWithoutSecrets { expectEqual(Self.content(stream), stream) }
    }

    private let streamsWithoutSecrets = [
        "\u{FEFF}data:1\r\nid:2\r\ndata:  3\r\n\r\n", "id: 1\ndata: {\"a\":1,\nretry: 5\ndata: \"b\":2}\n\n: end",
    ]

    @Test(
        "Messages that end with NUL or a record separator",
        arguments: [
            (
                "SEND\ndestination:/a\n\n{\"password\":\"s3cret\"}\0",
                "SEND\ndestination:/a\n\n{\"password\":\"***\"}\0"
            ),
            (
                "CONNECT\r\nlogin:ada\r\npasscode:s3cret\rs3cret\r\n\r\n\0\nSEND\ntoken:s3cret\nid:[1]\n\n{\"pin\":\"s3cret\"}\0",
                "CONNECT\r\nlogin:ada\r\npasscode:***\r\n\r\n\0\nSEND\ntoken:***\nid:[1]\n\n{\"pin\":\"***\"}\0"
            ),
            ("STOMP\npasscode:s3cret", "STOMP\npasscode:***"),
            ("SEND\ndestination:/a?token=s3cret\n\nb\0", "SEND\ndestination:/a?token=***\n\nb\0"),
            ("see https://ada:s3cret@h/a now", "see https://h/a now"), ("ada@h.test a=b", "ada@h.test a=b"),
            ("token=s3cret\n\ns3cret", "token=***"), ("\n", "\n"), ("HELLO", "HELLO"),
            (
                "{\"type\":6}\u{1E}{\"arguments\":[{\"token\":\"s3cret\"}]}\u{1E}",
                "{\"type\":6}\u{1E}{\"arguments\":[{\"token\":\"***\"}]}\u{1E}"
            ), ("{\"type\":6}\u{1E}", "{\"type\":6}\u{1E}"), ("\0", "\0"),
        ])
    func messages(text: String, shown: String) {
        var entry = HARDocument.Entry(
            started: Date(timeIntervalSince1970: 0), request: .init(method: "GET", url: "wss://h/"))
        entry.webSocketMessages = [.init(isSent: true, time: 0, text: text)]
        expectEqual(entry.redacted().webSocketMessages?.first?.data, shown)
        entry.webSocketMessages = [.init(isSent: true, time: 0, bytes: Array(text.utf8))]
        let bytes = entry.redacted().webSocketMessages?.first?.bytes ?? []
        #expect(!String(decoding: bytes, as: UTF8.self).contains("s3cret"))
    }

    @Test("Secret names outside custom members")
    func names() {
        let tree = Self.redacted([
            "apiKey": "s3cret1", "request": ["password": "s3cret2", "method": "GET"],
            "response": ["content": ["accessToken": "s3cret3", "text": "a"]], "cache": ["secret": ["a": "s3cret4"]],
        ])
        #expect(!tree.description.contains("s3cret"), "\(tree)")
        expectEqual(tree["request"]["method"].string, "GET")
    }

    @Test("No name of the format marks a secret")
    func formatNames() {
        let names = """
            log version creator browser pages entries comment name startedDateTime id title pageTimings onContentLoad onLoad pageref \
            time request response cache timings serverIPAddress connection method url httpVersion cookies headers queryString postData \
            headersSize bodySize status statusText content redirectURL path domain expires httpOnly secure mimeType params text fileName \
            contentType size compression encoding beforeRequest afterRequest lastAccess eTag hitCount blocked dns connect send wait \
            receive ssl
            """
        for name in names.split(separator: " ") {
            expectEqual(Self.redacted([String(name): "a b"])[String(name)].string, "a b", "\(name)")
        }
    }

    @Test(
        "Words with URLs stay as they are where nothing is hidden",
        arguments: [
            ("Link", "<https://a.example/x?page=2#f>; rel=\"next\", <https://a.example/@scope/x>; rel=\"prev\""),
            (
                "Content-Security-Policy",
                "default-src https://a.example; img-src HTTPS://b.example data:; report-uri /r?x=1"
            ),
            ("Report-To", "{\"url\":\"https://a.example?x=1\"}"),
        ])
    func words(name: String, value: String) { expectEqual(Self.field(name, value), value) }

    @Test(
        "Words with URLs whose parts are secret",
        arguments: [
            "see https://u:s3cret@a.example/?x=1", "see (https://u:s3cret@a.example/)",
            "<https://a.example/>,<https://u:s3cret@b.example/>",
            "see https://a.example/#access_token=s3cret", "see https://a.example/?x=1&token=s3cret#f",
            "url=https://u:s3cret@a.example/",
        ])
    func secretWords(text: String) {
        let shown = Self.redacted(["comment": JSON(text)])["comment"].string ?? ""
        #expect(!shown.contains("s3cret") && !shown.isEmpty, "\(shown)")
    }
}
