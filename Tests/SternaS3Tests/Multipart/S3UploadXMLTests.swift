import NIOCore
import Sterna
import Testing

@testable import SternaS3
@testable import SternaTestSupport

@Suite("S3: documents of uploads")
struct S3UploadXMLTests {
    private static func list(_ content: String) -> Bytes {
        Bytes(string: "<ListPartsResult>\(content)</ListPartsResult>")
    }

    @Test("The identifier of an upload is read")
    func identifier() throws {
        let answer = { (id: String) in
            Bytes(
                string:
                    "<InitiateMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><UploadId>\(id)</UploadId></InitiateMultipartUploadResult>"
            )
        }
        try expectEqual(S3XML.uploadID(answer("VXBs/b2Fk+=")), "VXBs/b2Fk+=")
        for id in ["", "a b", "é", "a\nb", String(repeating: "a", count: 2_049)] {
            #expect(throws: SternaError.self, "\(id)") { try S3XML.uploadID(answer(id)) }
        }
        #expect(throws: SternaError.self) { try S3XML.uploadID(Bytes(string: "<a><UploadId>a</UploadId></a>")) }
    }

    @Test("A page of parts is read, with the marker of the next one")
    func parts() throws {
        let part =
            "<Part><PartNumber>2</PartNumber><ETag>&quot;e&quot;</ETag><Size>7</Size><ChecksumSHA256>c=</ChecksumSHA256></Part>"
        let page = try S3XML.parts(
            Self.list("<IsTruncated>true</IsTruncated><NextPartNumberMarker>2</NextPartNumberMarker>\(part)"),
            checksum: "ChecksumSHA256")
        #expect(page.parts == [S3Part(number: 2, entityTag: "\"e\"", size: 7, checksum: "c=")] && page.next == 2)
        try expectNil(S3XML.parts(Self.list(part)).parts.first?.checksum)
        try expectEqual(S3XML.parts(Self.list("<IsTruncated>false</IsTruncated>")), S3XML.PartPage())
        // A part without an entity tag could not be joined, and is ignored.
        #expect(try S3XML.parts(Self.list("<Part><PartNumber>2</PartNumber><Size>7</Size></Part>")).parts.isEmpty)
    }

    @Test(
        "Invalid lists of parts are refused",
        arguments: [
            "<IsTruncated>maybe</IsTruncated>", "<IsTruncated>true</IsTruncated>",
            "<IsTruncated>true</IsTruncated><NextPartNumberMarker>10001</NextPartNumberMarker>",
            "<Part><PartNumber>0</PartNumber><Size>1</Size></Part>",
            "<Part><PartNumber>10001</PartNumber><Size>1</Size></Part>",
            "<Part><PartNumber>1</PartNumber><Size>-1</Size></Part>",
            "<Part><PartNumber>1</PartNumber><Size>9223372036854775807</Size></Part>",
            "<Part><PartNumber>1</PartNumber><Size>99999999999999999999</Size></Part>",
            "<Part><PartNumber>+1</PartNumber><Size>1</Size></Part>", "<Part><Size>1</Size></Part>", "</Part>",
            String(repeating: "<a>", count: 100),
        ])
    func refused(content: String) {
        #expect(throws: SternaError.self) { try S3XML.parts(Self.list(content)) }
    }

    @Test("The body of a completion decides, not its status")
    func completion() {
        let complete = "<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>"
        expectEqual(S3XML.completion(Bytes(string: complete)), .complete)
        expectEqual(S3XML.completion(Bytes(string: " \r\n\t \n<?xml version=\"1.0\"?>\n" + complete)), .complete)
        guard case .error(let error) = S3XML.completion(Bytes(string: "  <Error><Code>InternalError</Code></Error>"))
        else {
            Issue.record("It is an error.")
            return
        }
        expectEqual(error.code, "InternalError")
        for text in ["", " ", "<html/>", "<CompleteMultipartUploadResult>", "\u{0}"] {
            expectEqual(S3XML.completion(Bytes(string: text)), .unclear, "\(text)")
        }
    }

    @Test("The list of parts to join is well-formed XML")
    func request() throws {
        let parts = [
            S3Part(number: 1, entityTag: "\"a\"", size: 1, checksum: "c=="), S3Part(number: 2, entityTag: "b", size: 1),
        ]
        #expect(
            S3XML.completion(of: parts, checksum: "ChecksumSHA1").hasSuffix(
                "<Part><PartNumber>1</PartNumber><ETag>&quot;a&quot;</ETag><ChecksumSHA1>c==</ChecksumSHA1></Part>"
                    + "<Part><PartNumber>2</PartNumber><ETag>b</ETag></Part></CompleteMultipartUpload>"))
        expectEqual(
            S3XML.rootName(Bytes(string: S3XML.completion(of: parts, checksum: nil))), "CompleteMultipartUpload")
        for tag in ["", "a b", "<", ">", "&", "é", "a\n", String(repeating: "a", count: 257)] {
            #expect(!S3Part.isEntityTag(tag), "\(tag)")
        }
    }
}
