import MutationKit
import NIOCore
import Sterna
import Testing

@testable import SternaS3
@testable import SternaTestSupport

@Suite("Mutations: S3's XML")
struct S3XMLMutationTests {
    static let reader = MutatedReader(
        "S3's XML",
        seeds: [
            "<Error><Code>NoSuchKey</Code><Message>M &amp; N</Message><Resource>/b/k</Resource><RequestId>1</RequestId></Error>",
            "<ErrorResponse><Error><Code>SlowDown</Code></Error></ErrorResponse>",
            "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><IsTruncated>true</IsTruncated><EncodingType>url</EncodingType><Contents><Key>a%20b+c</Key><Size>12</Size><LastModified>2009-10-12T17:50:30.000Z</LastModified><ETag>&quot;e&quot;</ETag></Contents><CommonPrefixes><Prefix>p/</Prefix></CommonPrefixes><NextContinuationToken>t</NextContinuationToken></ListBucketResult>",
            "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>é</Key><Size>0</Size></Contents></ListBucketResult>",
            "<CopyObjectResult/>",
        ],
        tokens: [
            "<Contents>", "</Contents>", "<Key>", "</Key>", "<Size>", "</Size>", "-1", "9223372036854775807", "%",
            "%C3", "%2F",
            "true", "false", "<IsTruncated>", "</IsTruncated>", "<LastModified>", "</LastModified>",
            "2009-10-12T17:50:30Z",
            "<Prefix/>", "<!DOCTYPE a [", "&e;", "&#0;", "<Error>", "</Error>", "<Code/>", "url", "]]>", "\u{0}",
        ]
    ) { bytes in
        let bytes = Bytes(bytes: bytes)
        let error = S3XML.error(bytes)
        if let error, error.code.isEmpty || error.message.unicodeScalars.contains(where: { $0.value < 0x20 }) {
            throw MutationFailure("An error without a code, or with control characters: \(error)")
        }
        let isCopy = S3XML.rootName(bytes) == "CopyObjectResult"
        guard let page = try? S3XML.page(bytes) else { return error == nil && !isCopy ? .refused : .accepted }
        guard page.objects.allSatisfy({ $0.size >= 0 && !$0.key.isEmpty }), page.next?.isEmpty != true else {
            throw MutationFailure("A page with an object without a key or size: \(page)")
        }
        return .accepted
    }

    @Test("No mutated document ends the process, and what is read makes sense")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await S3XMLMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
