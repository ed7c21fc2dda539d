import NIOCore
import Sterna
import SternaPlatform
import Testing

@testable import SternaS3
@testable import SternaTestSupport

@Suite("S3: XML")
struct S3XMLTests {
    @Test("An error has code and message")
    func error() {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <Error><Code>NoSuchKey</Code><Message>The key\u{A}is gone</Message><Resource>/b/k</Resource><RequestId>42</RequestId></Error>
            """
        let error = S3XML.error(Bytes(text: text))
        expectEqual(error?.code, "NoSuchKey")
        expectEqual(error?.message, "The key\u{FFFD}is gone")
        expectEqual(error?.resource, "/b/k")
        expectEqual(error?.requestID, "42")
        expectEqual(
            S3XML.error(Bytes(text: "<ErrorResponse><Error><Code>A</Code></Error></ErrorResponse>"))?.code, "A")
    }

    @Test(
        "Other documents are not errors",
        arguments: [
            "", "no XML", "<Error/>", "<Error><Code/></Error>", "<Error><Code>a b</Code></Error>",
            "<a><Code>A</Code></a>",
            "<Error><Code>A</Code>", "<!DOCTYPE a [<!ENTITY e \"x\">]><Error><Code>&e;</Code></Error>",
            "<Error><Code>\(String(repeating: "A", count: 200))</Code></Error>",
            "<Error><Code>A</Code>\(String(repeating: " ", count: 70_000))</Error>",
            String(repeating: "<a>", count: 40) + String(repeating: "</a>", count: 40),
        ])
    func noError(text: String) {
        expectNil(S3XML.error(Bytes(text: text)))
    }

    static func page(_ inner: String, truncated: String = "false") -> Bytes {
        Bytes(text: "<ListBucketResult><IsTruncated>\(truncated)</IsTruncated>\(inner)</ListBucketResult>")
    }

    @Test("A page has decoded objects and prefixes")
    func page() throws {
        let page = try S3XML.page(
            Self.page(
                """
                <EncodingType>url</EncodingType><NextContinuationToken>t+1</NextContinuationToken>
                <Contents><Key>a%2Fb+c%2B%C3%A9</Key><Size>12</Size><ETag>&quot;e&quot;</ETag>
                <LastModified>2009-10-12T17:50:30.500Z</LastModified><StorageClass>STANDARD</StorageClass></Contents>
                <Contents><Key>z</Key><Size>0</Size><LastModified>2009-10-12T17:50:30Z</LastModified></Contents>
                <CommonPrefixes><Prefix>p%20q/</Prefix></CommonPrefixes>
                """, truncated: "true"))
        expectEqual(page.objects.map(\.key), ["a/b c+é", "z"])
        expectEqual(page.objects.map(\.size), [12, 0])
        expectEqual(page.objects.first?.entityTag, "\"e\"")
        expectEqual(page.objects.first?.lastModified, Date(timeIntervalSince1970: 1_255_369_830.5))
        expectEqual(page.objects.last?.lastModified, Date(timeIntervalSince1970: 1_255_369_830))
        expectEqual(page.prefixes, ["p q/"])
        expectEqual(page.next, "t+1")
    }

    @Test("Keys without an encoding are unchanged")
    func plainKeys() throws {
        let page = try S3XML.page(Self.page("<Contents><Key>a%20+</Key><Size>1</Size></Contents>"))
        expectEqual(page.objects.map(\.key), ["a%20+"])
        expectNil(page.next)
    }

    @Test(
        "An invalid page is refused",
        arguments: [
            "<Error/>", "<ListBucketResult/>", "<ListBucketResult><IsTruncated>maybe</IsTruncated></ListBucketResult>",
            "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
            "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Size>1</Size></Contents></ListBucketResult>",
            "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key></Contents></ListBucketResult>",
            "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>-1</Size></Contents></ListBucketResult>",
            "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>99999999999999999999</Size></Contents></ListBucketResult>",
            "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>1</Size><LastModified>now</LastModified></Contents></ListBucketResult>",
            "<ListBucketResult><IsTruncated>false</IsTruncated><EncodingType>url</EncodingType><Contents><Key>%zz</Key><Size>1</Size></Contents></ListBucketResult>",
            "<ListBucketResult><IsTruncated>false</IsTruncated><EncodingType>url</EncodingType><Contents><Key>%FF</Key><Size>1</Size></Contents></ListBucketResult>",
            "<ListBucketResult><IsTruncated>false</IsTruncated><EncodingType>zip</EncodingType></ListBucketResult>", "",
        ])
    func refused(text: String) {
        let error = #expect(throws: SternaError.self) { try S3XML.page(Bytes(text: text)) }
        expectEqual(error?.kind, .decodingFailed)
    }
}
