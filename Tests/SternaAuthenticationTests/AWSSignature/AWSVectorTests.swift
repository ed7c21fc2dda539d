import HTTPTypes
import NIOCore
import Sterna
import Testing

@testable import Sterna
@testable import SternaSigning
@testable import SternaTestSupport

/// The examples that AWS publishes for S3, with the key of its documentation.
@Suite("AWS signatures: published examples")
struct AWSVectorTests {
    static let credentials = AWSCredentials(
        accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")

    /// 24 May 2013, 00:00 UTC.
    static let seconds: Int64 = 1_369_353_600

    static func signer(_ placement: AWSSigning.Placement = .header) throws -> AWSRequestSigner {
        var signing = AWSSigning.s3(region: "us-east-1", credentials: credentials)
        signing.placement = placement
        return try AWSRequestSigner(signing, credentials, seconds: seconds)
    }

    static func bytes(of body: Body?) async throws -> [UInt8] {
        var reader = BodyReader(try #require(body))
        var all: [UInt8] = []
        while let piece = try await reader.next() { all += piece.array }
        return all
    }

    @Test("The header of a GET request")
    func header() throws {
        var request = Request(.get, try HTTPURL("https://examplebucket.s3.amazonaws.com/test.txt"))
        request.headers[.range] = "bytes=0-9"
        let signed = try Self.signer().signed(request, payloadHash: AWSScope.emptyHash)
        expectEqual(
            signed.headers[.authorization],
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
                + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
        expectEqual(signed.headers["x-amz-date"], "20130524T000000Z")
        expectEqual(signed.headers["x-amz-content-sha256"], AWSScope.emptyHash)
    }

    @Test("A presigned URL")
    func presigned() throws {
        let request = Request(.get, try HTTPURL("https://examplebucket.s3.amazonaws.com/test.txt"))
        let url = try Self.signer(.query(expires: 86_400)).presigned(request, payloadHash: "UNSIGNED-PAYLOAD")
        #expect(
            url.href
                == "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    @Test("Signed chunks with a trailing checksum")
    func chunks() async throws {
        var request = Request(.put, try HTTPURL("https://s3.amazonaws.com/examplebucket/chunkObject.txt"))
        try Headers(["x-amz-storage-class": "REDUCED_REDUNDANCY"]).merge(into: &request.headers)
        let content = [UInt8](repeating: UInt8(ascii: "a"), count: 66_560)
        let signed = try Self.signer().chunked(request, .bytes(content), checksum: .crc32c)
        expectEqual(
            signed.headers[.authorization]?.hasSuffix(
                "SignedHeaders=content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;"
                    + "x-amz-storage-class;x-amz-trailer, "
                    + "Signature=106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e"), true)
        expectEqual(signed.headers[.contentEncoding], "aws-chunked")
        expectEqual(signed.headers["x-amz-decoded-content-length"], "66560")
        expectEqual(signed.headers["x-amz-trailer"], "x-amz-checksum-crc32c")
        var expected = Array(
            "10000;chunk-signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2\r\n".utf8)
        expected += content[..<65_536]
        expected += "\r\n400;chunk-signature=1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7\r\n".utf8
        expected += content[65_536...]
        expected += "\r\n0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n".utf8
        expected += "x-amz-checksum-crc32c:sOO8/Q==\r\n".utf8
        expected +=
            "x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n".utf8
        try await expectEqual(Self.bytes(of: signed.body), expected)
        expectEqual(signed.body?.length, Int64(expected.count))
    }

    @Test("Chunk after chunk continues the signature of the head")
    func chunkSignatures() throws {
        let scope = AWSScope(region: "us-east-1", service: "s3", seconds: Self.seconds)
        let coding = AWSChunkedBody(
            scope: scope, key: scope.key(Self.credentials.secretKey),
            seed: "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9", checksum: nil)
        var last = coding.seed
        var found: [String] = []
        for count in [65_536, 1_024, 0] {
            last = coding.signature(of: [UInt8](repeating: UInt8(ascii: "a"), count: count), after: last)
            found.append(last)
        }
        expectEqual(
            found,
            [
                "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
                "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
                "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
            ])
    }

    @Test(
        "The length of a body in chunks is known before it is read",
        arguments: [0, 1, 15, 16, 255, 65_535, 65_536, 65_537, 131_072, 200_000])
    func lengths(count: Int) async throws {
        for checksum in [nil] + AWSChecksum.allCases.map(Optional.some) {
            let request = Request(.put, try HTTPURL("https://s3.amazonaws.com/b/k"))
            let signed = try Self.signer().chunked(
                request, .bytes([UInt8](repeating: 7, count: count)), checksum: checksum)
            let length = try await Self.bytes(of: signed.body).count
            expectEqual(signed.body?.length, Int64(length), "\(count) bytes, \(String(describing: checksum))")
        }
    }

    @Test("A length that overflows has no coded length")
    func overflow() {
        expectNil(AWSChunkedBody.length(.max, .sha256, .aws))
        expectNil(AWSChunkedBody.length(-1, nil, .aws))
    }

    @Test(
        "Checksums of the digits 1 to 9",
        arguments: [
            (AWSChecksum.crc32, "y/Q5Jg=="), (.crc32c, "4waSgw=="), (.sha1, "98O8HYCOBHMq32eZZczDTKeuNEE="),
            (.sha256, "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU="),
        ])
    func checksums(checksum: AWSChecksum, text: String) {
        var hasher = AWSChecksumHasher(checksum)
        for piece in ["123", "", "456789"] { Array(piece.utf8).withUnsafeBytes { hasher.update($0) } }
        expectEqual(hasher.text, text)
        expectEqual(checksum.textLength, text.utf8.count)
    }

    @Test(
        "Moments are written in UTC",
        arguments: [
            (0 as Int64, "19700101T000000Z"), (951_782_400, "20000229T000000Z"), (1_440_938_160, "20150830T123600Z"),
            (4_107_542_399, "21000228T235959Z"), (-5, "19700101T000000Z"), (.max, "99991231T235959Z"),
        ])
    func moments(seconds: Int64, text: String) {
        expectEqual(AWSTime.text(of: seconds), text)
    }
}
