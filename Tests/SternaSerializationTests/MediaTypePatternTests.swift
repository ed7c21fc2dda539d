import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Media types: patterns, images, empty bodies")
struct MediaTypePatternTests {
    static let patterns: [(pattern: String, type: String, fits: Bool)] = [
        ("*/*", "image/png", true), ("*/*", "application/problem+json", true),
        ("image/*", "image/png", true), ("image/*", "image/svg+xml", true), ("image/*", "IMAGE/PNG", true),
        ("image/*", "images/png", false), ("image/*", "text/image", false),
        ("application/*+json", "application/problem+json", true), ("application/*+json", "application/json", false),
        ("application/*+json", "text/problem+json", false), ("application/*+json", "application/a+json+x", false),
        ("*/*+json", "text/x+json", true), ("*/*+json", "text/json", false), ("*/*+json", "text/+json", false),
        ("text/html", "text/html", true), ("text/html", "text/htm", false), ("text/ht*", "text/html", false),
        ("*", "text/html", false), ("*/html", "text/html", true),
        ("*/json", "application/json", true), ("*/json", "text/json", true), ("*/json", "text/html", false),
        ("*/json", "application/problem+json", false), ("*/JSON", "application/json", true),
        ("application/json; charset=utf-8", "application/json", true), ("Application/JSON", "application/json", true),
        (" text/html ;q=1", "text/html", true), ("text/html; charset=utf-8", "text/plain", false),
        ("*/**", "text/html", false), ("*html/*", "text/html", false), ("*/*json", "text/json", false),
        ("", "text/html", false), ("/", "text/html", false),
    ]

    @Test("Media types that a pattern matches", arguments: patterns)
    func pattern(pattern: String, type: String, fits: Bool) throws {
        try expectEqual(#require(MediaType(type)).matches(pattern), fits)
        let serializer = DataResponseSerializer(validation: ResponseValidation(mediaTypes: [pattern]))
        for field in [type, "\(type); charset=utf-8"] {
            let error = GivenAnswer("x", type: field).error(of: serializer)
            expectEqual(error?.kind, (fits ? nil : .unacceptableMediaType))
        }
    }

    @Test("A response without a media type fits */* alone", arguments: ["", "text", "text/", "*", nil])
    func noType(type: String?) {
        let serializer = DataResponseSerializer(validation: ResponseValidation(mediaTypes: ["*/json", "text/*"]))
        expectEqual(GivenAnswer("x", type: type).error(of: serializer)?.kind, .unacceptableMediaType)
        expectNil(GivenAnswer("", type: type).error(of: serializer))
        for any: Set<String> in [["*/*"], ["text/*", "*/*"], ["*/*; q=0.1"]] {
            let serializer = JSONResponseSerializer(validation: ResponseValidation(mediaTypes: any))
            expectNil(GivenAnswer("[1]", type: type).error(of: serializer))
        }
    }

    @Test("Validations are equal if they accept the same, however their types are written")
    func normalized() throws {
        let validation = ResponseValidation(mediaTypes: ["Text/HTML; charset=utf-8", "text/html"])
        expectEqual(validation, ResponseValidation(mediaTypes: ["text/html"]))
        expectEqual(validation.mediaTypes, ["text/html"])
        expectEqual(Set([validation, ResponseValidation(mediaTypes: ["text/html"])]).count, 1)
        let archived = try JSONDecoder().decode(ResponseValidation.self, from: JSONEncoder().encode(validation))
        expectEqual(archived, validation)
    }

    static let common: [(Set<String>?, Set<String>?, Set<String>?)] = [
        (["image/*"], ["image/png", "text/plain"], ["image/png"]), (["image/*"], ["*/png"], ["image/png"]),
        (["*/*"], ["text/*"], ["text/*"]), (["*/*+json"], ["application/*"], ["application/*+json"]),
        (["*/*+json"], ["application/a+json", "application/json"], ["application/a+json"]),
        (["*/*+a+json"], ["*/*+json"], ["*/*+a+json"]), (["*/*+xml"], ["*/*+json"], []),
        (["text/html"], ["image/*"], []), (["*/json"], ["*/json"], ["*/json"]), (["*/json"], ["text/*+x"], []),
        (nil, ["text/*"], ["text/*"]), (["text/*"], nil, ["text/*"]), (nil, nil, nil), ([], ["*/*"], []),
        (["", "text/*"], ["", "text/a"], ["", "text/a"]), (["", "text/a"], ["*/*"], ["", "text/a"]),
        (["", "text/a"], ["text/*"], ["text/a"]), (["*/*"], ["*/*"], ["*/*"]),
        (["text/*", "image/png"], ["image/*", "text/a", "text/b"], ["image/png", "text/a", "text/b"]),
    ]

    @Test("Chained validations of media types leave what both cover, in either order", arguments: common)
    func both(first: Set<String>?, second: Set<String>?, expected: Set<String>?) {
        let json = JSONResponseSerializer()
        let forward = json.validating(mediaTypes: first).validating(mediaTypes: second)
        let backward = json.validating(mediaTypes: second).map { $0 }.validating(mediaTypes: first)
        expectEqual(forward.validation.mediaTypes, expected)
        expectEqual(backward.validation.mediaTypes, expected)
    }

    @Test("validating takes patterns in any case, and nil for all")
    func validated() {
        let images = DataResponseSerializer().validating(mediaTypes: ["IMAGE/*"])
        expectNil(GivenAnswer("x", type: "image/png").error(of: images))
        expectEqual(GivenAnswer("x", type: "text/html").error(of: images)?.kind, .unacceptableMediaType)
        expectNil(
            GivenAnswer("[1]", type: "text/html").error(of: JSONResponseSerializer().validating(mediaTypes: nil)))
        let none = DataResponseSerializer().validating(mediaTypes: [])
        expectEqual(GivenAnswer("x", type: "text/html").error(of: none)?.kind, .unacceptableMediaType)
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
            expectEqual(answer.error(of: .imageData)?.kind, .unacceptableMediaType)
        }
    }

    @Test("An empty body is no image", arguments: ["image/png", "text/html"])
    func noImage(type: String) {
        let error = GivenAnswer("", type: type).error(of: .imageData)
        expectEqual(error?.kind, .decodingFailed)
        expectEqual(error?.status, 200)
    }

    @Test("Only an empty body suits .empty, any body .ignored", arguments: [("", true), (" ", false), ("{}", false)])
    func empty(body: String, isEmpty: Bool) throws {
        for status in [200, 204, 205] {
            let answer = GivenAnswer(body, type: "text/html", status: status)
            let error = answer.error(of: .empty)
            expectEqual(error?.kind, (isEmpty ? nil : .decodingFailed))
            expectEqual(error?.body?.text, (isEmpty ? nil : body))
            expectNil(answer.error(of: .ignored))
        }
        expectEqual(GivenAnswer(body, status: 404).error(of: .ignored)?.kind, .unacceptableStatus)
        expectEqual(GivenAnswer(body, status: 404).error(of: .empty)?.kind, .unacceptableStatus)
    }

    static let ranges: [(Range<Int>, Int, Bool)] = [
        (200..<300, 299, true), (200..<300, 300, false), (200..<600, 500, true), (404..<405, 404, true),
        (404..<405, 200, false), (0..<0, 200, false), (-5..<2_000, 200, true),
    ]

    @Test("Statuses of one's own", arguments: ranges)
    func statuses(range: Range<Int>, status: Int, fits: Bool) {
        let answer = GivenAnswer("x", type: "text/plain", status: status)
        let kind: SternaError.Kind? = fits ? nil : .unacceptableStatus
        expectEqual(
            answer.error(of: DataResponseSerializer(validation: ResponseValidation(statuses: range)))?.kind, kind)
        expectEqual(answer.error(of: .data.validating(statuses: range))?.kind, kind)
    }
}
