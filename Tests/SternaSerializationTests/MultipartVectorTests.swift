import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

/// Whole forms, byte for byte.
@Suite("Multipart forms: vectors")
struct MultipartVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        var number: Int
        var length: Int64
        var style = MultipartForm.NameStyle.whatwg
        var namesCharset = false
        var expected: String
        var fill: @Sendable (inout MultipartForm) -> Void

        var testDescription: String { "V\(number)" }
    }

    private static let start = "--B\r\nContent-Disposition: form-data; name="
    private static let end = "\r\n--B--\r\n"

    static let vectors: [Vector] = [
        Vector(number: 1, length: 59, expected: "\"a\"\r\n\r\nb") { $0.append("b", name: "a") },
        Vector(number: 2, length: 58, expected: "\"a\"\r\n\r\n") { $0.append("", name: "a") },
        Vector(number: 3, length: 111, expected: "\"a\"\r\n\r\n1\r\n\(start)\"a\"\r\n\r\n2") {
            $0.append("1", name: "a")
            $0.append("2", name: "a")
        },
        Vector(number: 4, length: 104, expected: "\"f\"; filename=\"x.txt\"\r\nContent-Type: text/plain\r\n\r\nhi") {
            $0.append(Data("hi".utf8), name: "f", fileName: "x.txt")
        },
        Vector(
            number: 5, length: 116,
            expected: "\"f\"; filename=\"e.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n"
        ) { $0.append(Data(), name: "f", fileName: "e.bin", mediaType: "application/octet-stream") },
        Vector(number: 6, length: 72, expected: "\"a%22b%0D%0Ac\\d\"\r\n\r\nv") {
            $0.append("v", name: "a\"b\r\nc\\d")
        },
        Vector(number: 7, length: 66, expected: "\"a%0D%0Ab\"\r\n\r\nv") { $0.append("v", name: "a\nb") },
        Vector(
            number: 8, length: 107, expected: "\"f\"; filename=\"a%0Ab.txt\"\r\nContent-Type: text/plain\r\n\r\nv"
        ) { $0.append(Data("v".utf8), name: "f", fileName: "a\nb.txt") },
        Vector(number: 9, length: 61, expected: "\"%22\"\r\n\r\nv") { $0.append("v", name: "%22") },
        Vector(number: 11, length: 65, expected: "\"t\"\r\n\r\nx\ny\rz\r\n") { $0.append("x\ny\rz\r\n", name: "t") },
        Vector(
            number: 12, length: 108, expected: "\"f\"; filename=\"é😀.txt\"\r\nContent-Type: text/plain\r\n\r\nv"
        ) { $0.append(Data("v".utf8), name: "f", fileName: "é😀.txt") },
        Vector(
            number: 14, length: 121,
            expected: "\"f\"; filename=\"report%5C\"\r\nContent-Type: application/octet-stream\r\n\r\nv"
        ) { $0.append(Data("v".utf8), name: "f", fileName: "report\\") },
        Vector(
            number: 16, length: 149, style: .extended,
            expected: "\"f\"; filename=\"é%22(1).txt\"; filename*=UTF-8''%C3%A9%22%281%29.txt\r\n"
                + "Content-Type: text/plain\r\n\r\nv"
        ) { $0.append(Data("v".utf8), name: "f", fileName: "é\"(1).txt") },
        Vector(
            number: 17, length: 101, namesCharset: true,
            expected: "\"a\"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\né"
        ) { $0.append("é", name: "a") },
        Vector(
            number: 18, length: 167,
            expected: "\"a\"\r\n\r\n1\r\n\(start)\"f\"; filename=\"x\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\nq\r\n"
        ) {
            $0.append("1", name: "a")
            $0.append(Data("q\r\n".utf8), name: "f", fileName: "x")
        },
    ]

    @Test("Each has its bytes and its length", arguments: vectors)
    func bytes(vector: Vector) async throws {
        var form = MultipartForm(boundary: "B", nameStyle: vector.style, namesCharset: vector.namesCharset)
        vector.fill(&form)
        let body = try #require(try form.body())
        let bytes = try await MultipartFormTests.bytes(body, pieces: 7)
        expectEqual(String(decoding: bytes, as: UTF8.self), Self.start + vector.expected + Self.end)
        expectEqual(body.length, vector.length)
        expectEqual(bytes.count, Int(vector.length))
    }

    @Test("V13: in windows-1252, with references for what it does not have, in names and values")
    func windows1252() async throws {
        var encoder = QueryEncoder()
        encoder.unencodable = .characterReference
        var form = MultipartForm(boundary: "B", encoding: .windows1252, encoder: encoder)
        form.append("é€😀", name: "é€😀")
        let bytes = try await MultipartFormTests.bytes(try #require(try form.body()))
        let text: [UInt8] = [0xE9, 0x80] + "&#128512;".utf8
        expectEqual(bytes, Array(Self.start.utf8) + [0x22] + text + "\"\r\n\r\n".utf8 + text + Self.end.utf8)
        expectEqual(bytes.count, 79)
    }

    @Test(
        "Boundaries of every character that needs quotes, or none",
        arguments: [("'+_,-./:=?", true), ("a(b)c", true), ("a b", true), ("'+_.-", false), ("aZ09", false)])
    func boundary(text: String, isQuoted: Bool) throws {
        let parameter = isQuoted ? "\"\(text)\"" : text
        expectEqual(MultipartForm(boundary: text).mediaType, "multipart/form-data; boundary=\(parameter)")
        try expectNil(MultipartForm(boundary: text).body())
    }

    @Test("Every character that filename* keeps, and every one that it escapes")
    func extended() async throws {
        var form = MultipartForm(boundary: "B", nameStyle: .extended)
        let kept = "ABCXYZabcxyz0189!#$&+-.^_`|~"
        form.append(Data(), name: "f", fileName: "é\(kept) %'()*,/:;<=>?@[\\]{}")
        let bytes = try await MultipartFormTests.bytes(try #require(try form.body()))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(
            text.contains(
                "filename*=UTF-8''%C3%A9\(kept)%20%25%27%28%29%2A%2C%2F%3A%3B%3C%3D%3E%3F%40%5B%5C%5D%7B%7D\r\n"))
    }
}
