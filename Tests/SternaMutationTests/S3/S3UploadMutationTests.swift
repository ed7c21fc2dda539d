import MutationKit
import NIOCore
import Sterna
import Testing

@testable import SternaS3
@testable import SternaTestSupport

@Suite("Mutations: uploads to S3")
struct S3UploadMutationTests {
    static let reader = MutatedReader(
        "answers and notes of uploads to S3",
        seeds: [
            "<InitiateMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><UploadId>VXBs/b2Fk+=</UploadId></InitiateMultipartUploadResult>",
            "<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>2</NextPartNumberMarker><Part><PartNumber>2</PartNumber><ETag>&quot;e&quot;</ETag><Size>7</Size><ChecksumSHA256>c=</ChecksumSHA256></Part></ListPartsResult>",
            " \n<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>",
            "  <Error><Code>SlowDown</Code></Error>",
            #"{"isCompleting":true,"length":25,"objectTag":"ab-3","partBytes":10,"parts":[{"c":"c=","e":"a","n":1,"s":10},{"e":"b","n":3,"s":5}],"restarts":0,"uploadID":"id"}"#,
        ],
        tokens: [
            "<Part>", "</Part>", "<PartNumber>", "<Size>", "<ETag/>", "10000", "10001", "-1", "9223372036854775807",
            "<IsTruncated>", "false", "<UploadId>", "</UploadId>", "&lt;", "&#0;", "<!DOCTYPE a [", "]]>", "\u{0}", " ",
            "\"n\":", "\"s\":", "null", "1e9", "[]", "{", "}", "\"partBytes\":0",
        ]
    ) { bytes in
        let buffer = Bytes(bytes: bytes)
        var isAccepted = S3XML.completion(buffer) != .unclear
        if let id = try? S3XML.uploadID(buffer) {
            guard S3UploadState.isID(id) else { throw MutationFailure("An identifier that cannot be sent: \(id)") }
            isAccepted = true
        }
        if let page = try? S3XML.parts(buffer, checksum: "ChecksumSHA256") {
            for part in page.parts {
                guard (1...10_000).contains(part.number), part.size >= 0, S3Part.isEntityTag(part.entityTag) else {
                    throw MutationFailure("A part that cannot be: \(part)")
                }
            }
            guard S3XML.rootName(Bytes(string: S3XML.completion(of: page.parts, checksum: "ChecksumSHA256"))) != nil
            else {
                throw MutationFailure("Parts that make no XML: \(page)")
            }
            isAccepted = true
        }
        if let state = S3UploadState(note: String(decoding: bytes, as: UTF8.self), length: 25, smallest: 1) {
            guard let plan = S3PartPlan(length: 25, partBytes: state.partBytes, smallest: 1), state.confirmed <= 25,
                S3UploadState(note: state.note, length: 25, smallest: 1) == state
            else { throw MutationFailure("A note that is not read again: \(state)") }
            _ = S3UploadRule.inventory(plan, noted: state.parts, listed: state.parts)
            isAccepted = true
        }
        return isAccepted ? .accepted : .refused
    }

    @Test("No mutated answer or note ends the process, and what is read makes sense")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await S3UploadMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
