import Sterna
import SternaPlatform
import SternaRecorder
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("HAR: secrets", .timeLimit(.minutes(5)))
struct HARRedactionTests {
    private static func secret(_ number: Int) -> String { "s3cret\(number)x" }

    /// An entry with 24 secrets, each in a place of its own.
    static let entry: HARDocument.Entry = {
        let url = "https://ada:\(secret(1))@api.example/login?token=\(secret(2))&page=1#access_token=\(secret(3))"
        let fields = [
            ("Authorization", "Bearer \(secret(4))"), ("Cookie", "sid=\(secret(5)); theme=dark"),
            ("Proxy-Authorization", "Basic \(secret(6))"), ("X-Api-Key", secret(7)),
            ("Referer", "https://api.example/?code=\(secret(8))"), (":path", "/login?token=\(secret(9))"),
        ]
        var request = HARDocument.Request(
            method: "POST", url: url, headers: fields.map { .init(name: $0.0, value: $0.1) },
            postData: .init(
                mediaType: "application/x-www-form-urlencoded", bytes: Array("user=ada&password=\(secret(10))".utf8)))
        request.url = url
        request.postData?.params = [.init(name: "user", value: "ada"), .init(name: "password", value: secret(11))]
        let json = #"{"user":{"name":"ada","refresh_token":"\#(secret(12))"},"items":[{"apiKey":"\#(secret(13))"}]}"#
        var response = HARDocument.Response(
            status: 302,
            headers: [
                .init(name: "Set-Cookie", value: "sid=\(secret(14)); HttpOnly"),
                .init(name: "Location", value: "https://app.example/cb?code=\(secret(15))&state=7"),
                .init(name: "Link", value: "</next?token=\(secret(16))>; rel=next"),
            ], content: .init(mediaType: "application/json", bytes: Array(json.utf8)))
        response.json["content"]["encoding"] = "base64"
        response.json["content"]["text"] = JSON(Data(json.utf8).base64EncodedString())
        var entry = HARDocument.Entry(started: Date(timeIntervalSince1970: 0), request: request, response: response)
        entry.webSocketMessages = [
            .init(isSent: true, time: 0, text: #"42["login",{"token":"\#(secret(17))"}]"#),
            .init(isSent: false, time: 0, bytes: Array(#"{"session":"\#(secret(18))"}"#.utf8)),
        ]
        entry.events = [.init(event: "login", id: "1", time: 0, data: #"{"access_token":"\#(secret(19))"}"#)]
        entry.json["_trailers"] = [["name": "X-Auth-Token", "value": JSON(secret(20))]]
        entry.json["_attempts"] = [
            [
                "url": JSON("https://api.example/a?api_key=\(secret(21))"), "authorization": JSON(secret(22)),
                "status": 401,
            ]
        ]
        entry.json["comment"] = JSON("sent again to https://api.example/b?token=\(secret(23)) after 401")
        entry.json["_initiator"] = ["stack": [["url": JSON("https://u:\(secret(24))@cdn.example/app.js")]]]
        return entry
    }()

    @Test("24 secrets are in no written document, export and description unless asked")
    func planted() throws {
        let har = HARDocument(entries: [Self.entry])
        let shown = String(decoding: try har.serialized(), as: UTF8.self)
        let decoded = Self.decodingBase64(shown)
        for number in 1...24 { #expect(!decoded.contains(Self.secret(number)), "secret \(number)") }
        #expect(!decoded.contains("dark") && decoded.contains("page=1") && decoded.contains("state=7"))
        #expect(decoded.contains(#"\"name\":\"ada\""#) || decoded.contains(#""name":"ada""#))
        let all = Self.decodingBase64(String(decoding: try har.serialized(showsSecrets: true), as: UTF8.self))
        for number in 1...24 { #expect(all.contains(Self.secret(number)), "secret \(number)") }
        for format in HARDocument.ExportFormat.allCases {
            let text = try Self.entry.exported(as: format)
            for number in 1...24 { #expect(!text.contains(Self.secret(number)), "secret \(number) in \(text)") }
        }
    }

    /// Appends what the values in base64 hold.
    private static func decodingBase64(_ text: String) -> String {
        var result = text
        for word in text.split(whereSeparator: { $0 == "\"" }) where word.count > 20 {
            if let data = Data(base64Encoded: String(word)) { result += String(decoding: data, as: UTF8.self) }
        }
        return result
    }

    @Test("Redacting twice is the same, and leaves an entry without secrets as it is")
    func stable() throws {
        let once = Self.entry.redacted()
        expectEqual(once.redacted(), once)
        for text in [HARFixtures.mitmproxy, HARFixtures.chromium] {
            for entry in try HARDocument(parsing: text.utf8).entries where entry.response.cookies.isEmpty {
                var shown = entry.redacted()
                // Cookies are secrets, whatever they are called.
                shown.response.headers = entry.response.headers
                expectEqual(shown, entry)
            }
        }
    }

    @Test("Multipart bodies and event streams")
    func formats() {
        let form = "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3cret\r\n--b--\r\n"
        let stream =
            "event: login\r\ndata: {\"user\":\"ada\",\r\ndata: \"token\":\"s3cret\"}\r\n\r\ndata: hello\r\n\r\n"
        var entry = HARDocument.Entry(
            started: Date(timeIntervalSince1970: 0),
            request: .init(
                method: "POST", url: "http://h/",
                postData: .init(mediaType: "multipart/form-data; boundary=b", bytes: Array(form.utf8))),
            response: .init(status: 200, content: .init(mediaType: "text/event-stream", bytes: Array(stream.utf8))))
        entry = entry.redacted()
        #expect(!entry.json.description.contains("s3cret"), "\(entry.json)")
        #expect(entry.response.content.text?.contains("data: hello") == true)
        #expect(entry.response.content.text?.contains("ada") == true)
    }

    @Test("Controls, direction overrides and markup are escapes in a written document, and the same when read")
    func harmless() throws {
        let evil = "\u{1B}[2J\u{202E}\u{9B}31m</script><script>\u{7F}\u{2028}é😀"
        var entry = HARDocument.Entry(
            started: Date(timeIntervalSince1970: 0), request: .init(method: evil, url: evil),
            response: .init(status: 200))
        entry.json["_\(evil)"] = JSON(evil)
        let har = HARDocument(entries: [entry], creator: evil)
        let bytes = try har.serialized(showsSecrets: true)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("<") && text.contains("é😀"))
        for scalar in text.unicodeScalars where scalar != "\n" {
            #expect(
                ![.control, .format, .lineSeparator].contains(scalar.properties.generalCategory), "\(scalar.value)")
        }
        try expectEqual(HARDocument(parsing: bytes), har)
    }
}
