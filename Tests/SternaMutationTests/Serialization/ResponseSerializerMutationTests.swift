import MutationKit
import SternaCore
import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Mutations: response serializers")
struct ResponseSerializerMutationTests {
    private struct Post: Decodable, Sendable {
        struct Author: Decodable, Sendable {
            var name: String?
            var age: Int8?
        }

        var id: Int?
        var rating: Float?
        var size: UInt16?
        var made: Date?
        var data: Data?
        var tags: [String]?
        var author: Author?
        var any: JSON?
    }

    /// The first line is the status and the media type, the rest the body.
    static let reader = MutatedReader(
        "ResponseSerializers",
        seeds: [
            #"200 application/json\n{"id":1,"rating":1.5,"size":3,"made":"2020-01-02T03:04:05Z","data":"AQID","any":[1e5]}"#,
            #"404 application/problem+json\n{"title":"Gone","detail":"It was deleted.","status":410}"#,
            #"500 application/json; charset=utf-8\n{"errors":[{"detail":"Name is missing."}],"a":1e5}"#,
            ##"422 application/json\n{"message":"No.","errors":[{"field":"password","message":"'x' is short"},{"pointer":"#/a"}]}"##,
            #"422 application/json\n{"errors":{"email":["is taken","is long"],"":["No."],"a":[{"message":"b"}]}}"#,
            #"400 \n{"detail":[{"loc":["body",2],"msg":"“x” is short"}],"invalid-params":[{"name":"a","reason":"b"}]}"#,
            #"200 text/json\n)]}',\n{"tags":["a"],"author":{"name":"Ada","age":36}}"#,
            #"503 text/plain\n\nNot here.\nSecond line"#, #"200 text/html; charset="iso-8859-1"\nKäse"#,
            #"200 application/x-plist\n<?xml version="1.0"?><plist version="1.0"><dict><key>id</key><integer>7</integer><key>made</key><date>2020-01-02T03:04:05Z</date></dict></plist>"#,
            #"204 image/png\n"#, #"200 application/json\n "#, #"304 \nnull"#,
        ].map { $0.replacing("\\n", with: "\n") },
        tokens: [
            "{", "}", "[", "]", ",", ":", "\"", "null", "1e5", "message", "error", "errors", "detail", "field",
            "source", "pointer", "#/", "password", "'", "“", "+json",
            "charset=",
            "application/json\n", "utf-16", "\u{FEFF}", "<integer>", "</integer>", "<real>", ")]}'", "\n", "bplist00",
        ], acceptsSeeds: false
    ) { bytes in
        let head = bytes.prefix { $0 != 0x0A }
        let words = String(decoding: head, as: UTF8.self).split(separator: " ", maxSplits: 1)
        let status = words.first.flatMap { Int($0) }.flatMap { (100...999).contains($0) ? $0 : nil } ?? 200
        let type = words.count > 1 ? String(words[1]) : nil
        let answer = GivenAnswer(
            bytes: Array(bytes.dropFirst(head.count + 1)), type: type.flatMap { FieldSyntax.isValue($0) ? $0 : nil },
            status: status)
        var accepted = 0
        func read(_ serializer: some ResponseSerializer) throws {
            guard let error = answer.error(of: serializer) else {
                accepted += 1
                return
            }
            _ = (error.description, error.decode(Post.self))
            guard let message = error.serverMessage else { return }
            guard message.unicodeScalars.count <= 1_001, !message.contains(where: \.isNewline) else {
                throw MutationFailure("The server's message is too long, or has several lines.")
            }
        }
        try read(JSONResponseSerializer(removesNulls: true, preprocessors: [.googlePrefix]))
        try read(PropertyListResponseSerializer())
        try read(.text)
        try read(.decodable(Post.self))
        try read(.propertyList(Post.self))
        try read(ImageDataResponseSerializer())
        try read(EmptyResponseSerializer())
        return accepted > 0 ? .accepted : .refused
    }

    @Test("No mutated answer ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await ResponseSerializerMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
