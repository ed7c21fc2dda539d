import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Uploads: fields")
struct UploadFieldTests {
    @Test(
        "Integers of structured fields are read, and others refused",
        arguments: [
            (["0"], 0), (["123"], 123), (["7;a=b"], 7), (["999999999999999"], 999_999_999_999_999), ([" 5 "], 5),
            ([], nil), (["-1"], nil), (["1.0"], nil), (["?1"], nil), (["1000000000000000"], nil), (["1", "2"], nil),
            (["\"1\""], nil), (["1e3"], nil), ([""], nil),
        ] as [([String], Int64?)])
    func integers(lines: [String], expected: Int64?) { expectEqual(StructuredUploadField.integer(lines), expected) }

    @Test(
        "Booleans of structured fields are read, and others refused",
        arguments: [
            (["?1"], true), (["?0"], false), (["?1;x"], true), (["1"], nil), (["true"], nil), (["?1", "?0"], nil),
            ([], nil), (["?2"], nil),
        ] as [([String], Bool?)])
    func booleans(lines: [String], expected: Bool?) { expectEqual(StructuredUploadField.boolean(lines), expected) }

    @Test(
        "The limits of Upload-Limit are read",
        arguments: [
            (["max-size=10, min-size=1"], "10 1 - - -"), (["max-append-size=5", "min-append-size=2"], "- - 5 2 -"),
            (["max-age=60, unknown=\"x\""], "- - - - 60"), (["expires=7"], "- - - - 7"),
            (["max-size=1, max-size=2"], "2 - - - -"), (["max-size=\"1\""], nil), (["max-size=-1"], nil),
            (["max-size"], nil), (["max-size=1.5"], nil), ([], nil), (["max-size=1,,"], nil),
            ([String(repeating: "a=1, ", count: 1_000) + "max-size=1"], nil),
        ] as [([String], String?)])
    func limits(lines: [String], expected: String?) {
        let field = UploadLimits.Field(lines)
        let text = field.map { field in
            let limits = field.limits
            return [limits.maxSize, limits.minSize, limits.maxAppend, limits.minAppend, field.maxAge]
                .map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ")
        }
        expectEqual(text, expected)
    }

    @Test(
        "Problem details are read",
        arguments: [
            (
                "application/problem+json",
                #"{"type":"https://iana.org/assignments/http-problem-types#mismatching-upload-offset","expected-offset":5,"title":"No"}"#,
                UploadProblem(kind: .mismatchingOffset, text: "No", expectedOffset: 5)
            ),
            (
                "application/problem+json; charset=utf-8", #"{"type":"x","title":"a","detail":"b"}"#,
                UploadProblem(text: "b")
            ),
            ("application/problem+json", #"{"expected-offset":-1}"#, UploadProblem()),
            ("application/problem+json", #"{"expected-offset":1e400}"#, UploadProblem()),
            ("application/json", "{}", nil), ("application/problem+json", "[]", nil),
            ("application/problem+json", "{", nil), (nil, "{}", nil),
        ] as [(String?, String, UploadProblem?)])
    func problems(type: String?, body: String, expected: UploadProblem?) {
        expectEqual(UploadProblem(mediaType: type, body: Bytes(string: body)), expected)
    }

    @Test(
        "Only digits are a number of tus",
        arguments: [
            ("0", 0), ("100", 100), ("-1", nil), ("+1", nil), (" 1", nil), ("", nil), ("None", nil), ("１", nil),
            ("9999999999999999999999", nil),
        ] as [(String, Int64?)])
    func numbers(text: String, expected: Int64?) { expectEqual(UploadNumber.value([text]), expected) }

    @Test(
        "Upload-Expires is read, also in forms that servers write",
        arguments: [
            ("Wed, 25 Jun 2014 16:00:00 GMT", 1_403_712_000), ("Wed, 25 Jun 2014 16:00:00 UTC", 1_403_712_000),
            ("Wed, 25 Jun 2014 16:00:00 ", 1_403_712_000), ("2014-06-25T16:00:00Z", nil), ("", nil),
        ] as [(String, Int64?)])
    func expiry(text: String, expected: Int64?) { expectEqual(TusField.expires([text]), expected) }

    @Test("Lists of tus are in lower case, and only tokens are kept")
    func lists() {
        expectEqual(TusField.list(["creation, Checksum", "a b,,x"]), ["creation", "checksum", "x"])
        expectEqual(TusField.list([String(repeating: "a,", count: 3_000)]), [])
    }

    @Test("Metadata is written in Base64; keys without a value are left out")
    func metadata() throws {
        let pairs = [("filename", "wör.txt"), ("empty", ""), ("filetype", "text/plain")]
            .map { UploadPlan.Pair(name: $0.0, value: $0.1) }
        try expectEqual(TusField.metadata(pairs), "filename d8O2ci50eHQ=,filetype dGV4dC9wbGFpbg==")
        try expectNil(TusField.metadata([]))
    }

    @Test(
        "Invalid keys of metadata are refused", arguments: [["a b"], [""], ["a,b"], ["ä"], ["a", "a"]])
    func badMetadata(names: [String]) {
        #expect(throws: SternaError.self) {
            try TusField.metadata(names.map { UploadPlan.Pair(name: $0, value: "1") })
        }
    }

    @Test("The capabilities of a tus server are read")
    func support() throws {
        let response = try UploadScene.response(
            204,
            [
                ("Tus-Version", "1.0.0,0.2.2"), ("Tus-Extension", "creation,checksum,new-one"),
                ("Tus-Checksum-Algorithm", "md5,sha1"), ("Tus-Max-Size", "100"),
            ])
        let support = try #require(TusSupport(response.fields))
        expectEqual(support, TusSupport(extensions: [.creation, .checksum], checksums: ["md5", "sha1"], maxSize: 100))
        expectNil(TusSupport(try UploadScene.response(204, [("Tus-Version", "0.2.2")]).fields))
    }

    @Test("Digests are written in the form of each protocol")
    func digests() {
        let digest = UploadDigest(algorithm: .sha256, bytes: [1, 2, 3])
        expectEqual(UploadDigestField.text(digest), "sha-256=:AQID:")
        expectEqual(TusField.checksum(digest), "sha256 AQID")
        expectNil(UploadDigestField.text(UploadDigest(algorithm: .sha1, bytes: [1])))
    }
}
