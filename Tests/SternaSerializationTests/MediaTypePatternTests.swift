import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization
import Testing

@Suite("Media types: patterns, images, nothing")
struct MediaTypePatternTests {
    static let patterns: [(pattern: String, type: String, fits: Bool)] = [
        ("*/*", "image/png", true), ("*/*", "application/problem+json", true),
        ("image/*", "image/png", true), ("image/*", "image/svg+xml", true), ("image/*", "IMAGE/PNG", true),
        ("image/*", "images/png", false), ("image/*", "text/image", false),
        ("application/*+json", "application/problem+json", true), ("application/*+json", "application/json", false),
        ("application/*+json", "text/problem+json", false), ("application/*+json", "application/a+json+x", false),
        ("*/*+json", "text/x+json", true), ("*/*+json", "text/json", false), ("*/*+json", "text/+json", false),
        ("text/html", "text/html", true), ("text/html", "text/htm", false), ("text/ht*", "text/html", false),
        ("*", "text/html", false), ("*/html", "text/html", false), ("", "text/html", false), ("/", "text/html", false),
    ]

    @Test("What a pattern stands for", arguments: patterns)
    func pattern(pattern: String, type: String, fits: Bool) throws {
        #expect(try #require(MediaType(type)).matches(pattern) == fits)
        let serializer = DataResponseSerializer(acceptance: Acceptance(mediaTypes: [pattern]))
        for field in [type, "\(type); charset=utf-8"] {
            let error = GivenAnswer("x", type: field).error(of: serializer)
            #expect(error?.kind == (fits ? nil : .unacceptableMediaType))
        }
    }

    @Test("What is no media type fits no pattern", arguments: ["", "text", "text/", "*", nil])
    func noType(type: String?) {
        let serializer = DataResponseSerializer(acceptance: Acceptance(mediaTypes: ["*/*", "text/*"]))
        #expect(GivenAnswer("x", type: type).error(of: serializer)?.kind == .unacceptableMediaType)
        #expect(GivenAnswer("", type: type).error(of: serializer) == nil)
    }

    @Test("validate takes patterns in any case, and nil for all")
    func validated() {
        let images = DataResponseSerializer().validate(mediaTypes: ["IMAGE/*"])
        #expect(GivenAnswer("x", type: "image/png").error(of: images) == nil)
        #expect(GivenAnswer("x", type: "text/html").error(of: images)?.kind == .unacceptableMediaType)
        #expect(
            GivenAnswer("[1]", type: "text/html").error(of: JSONResponseSerializer().validate(mediaTypes: nil)) == nil)
        let none = DataResponseSerializer().validate(mediaTypes: [])
        #expect(GivenAnswer("x", type: "text/html").error(of: none)?.kind == .unacceptableMediaType)
    }

    static let images: [(String, Bool)] = [
        ("image/tiff", true), ("image/jpeg", true), ("image/gif", true), ("image/png", true), ("image/ico", true),
        ("image/x-icon", true), ("image/bmp", true), ("image/x-bmp", true), ("image/x-xbitmap", true),
        ("image/x-ms-bmp", true), ("image/x-win-bitmap", true), ("image/webp", true), ("image/heic", true),
        ("Image/PNG; q=1", true), ("image/svg+xml", false), ("text/html", false), ("application/octet-stream", false),
    ]

    @Test("Images' media types", arguments: images)
    func image(type: String, fits: Bool) throws {
        let answer = GivenAnswer(bytes: [0x89, 0x50, 0x00, 0xFF], type: type)
        if fits {
            #expect(try answer.read(by: .imageData).elementsEqual([0x89, 0x50, 0x00, 0xFF]))
        } else {
            #expect(answer.error(of: .imageData)?.kind == .unacceptableMediaType)
        }
    }

    @Test("An empty body is no image", arguments: ["image/png", "text/html"])
    func noImage(type: String) {
        let error = GivenAnswer("", type: type).error(of: .imageData)
        #expect(error?.kind == .decodingFailed)
        #expect(error?.status == 200)
    }

    @Test("Nothing, and whatever there is", arguments: [("", true), (" ", false), ("{}", false)])
    func empty(body: String, isEmpty: Bool) throws {
        for status in [200, 204, 205] {
            let answer = GivenAnswer(body, type: "text/html", status: status)
            let error = answer.error(of: .empty)
            #expect(error?.kind == (isEmpty ? nil : .decodingFailed))
            #expect(error?.body?.text == (isEmpty ? nil : body))
            #expect(answer.error(of: .ignored) == nil)
        }
        #expect(GivenAnswer(body, status: 404).error(of: .ignored)?.kind == .unacceptableStatus)
        #expect(GivenAnswer(body, status: 404).error(of: .empty)?.kind == .unacceptableStatus)
    }

    static let ranges: [(Range<Int>, Int, Bool)] = [
        (200..<300, 299, true), (200..<300, 300, false), (200..<600, 500, true), (404..<405, 404, true),
        (404..<405, 200, false), (0..<0, 200, false), (-5..<2_000, 200, true),
    ]

    @Test("Statuses of one's own", arguments: ranges)
    func statuses(range: Range<Int>, status: Int, fits: Bool) {
        let answer = GivenAnswer("x", type: "text/plain", status: status)
        let kind: SternaError.Kind? = fits ? nil : .unacceptableStatus
        #expect(answer.error(of: DataResponseSerializer(acceptance: Acceptance(statuses: range)))?.kind == kind)
        #expect(answer.error(of: .data.validate(statuses: range))?.kind == kind)
    }
}
