import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaS3
@testable import SternaTestSupport

@Suite("S3: permitted redirects of signed requests")
struct S3RedirectTests {
    static let services = [
        "s3.amazonaws.com", "photos.s3.amazonaws.com", "my.photos.s3.amazonaws.com", "s3.eu-central-1.amazonaws.com",
        "photos.s3.eu-central-1.amazonaws.com", "photos.s3.us-gov-west-1.amazonaws.com",
        "photos.s3.dualstack.us-west-2.amazonaws.com", "s3-fips.us-east-1.amazonaws.com",
        "photos.s3-fips.dualstack.us-east-1.amazonaws.com", "photos.s3-eu-west-1.amazonaws.com",
        "s3-fips-us-gov-west-1.amazonaws.com", "photos.s3-external-1.amazonaws.com",
        "photos.s3-accelerate.amazonaws.com", "photos.s3-accelerate.dualstack.amazonaws.com",
        "ec2-1-2-3-4.s3.eu-west-1.amazonaws.com",
    ]

    @Test("Hosts of the service are recognized, with and without a bucket", arguments: services)
    func service(host: String) {
        #expect(S3Host.isService(host, isChina: false))
        #expect(!S3Host.isService(host, isChina: true))
    }

    static let others = [
        "amazonaws.com", "ec2-1-2-3-4.eu-west-1.compute.amazonaws.com", "ec2-1-2-3-4.compute-1.amazonaws.com",
        "lb-1.eu-west-1.elb.amazonaws.com", "s3.eu-west-1.elb.amazonaws.com", "s3.elb.amazonaws.com",
        "abc.execute-api.eu-west-1.amazonaws.com", "abc.s3-object-lambda.eu-west-1.amazonaws.com",
        "abc.s3-accesspoint.eu-west-1.amazonaws.com", "photos.s3-website-eu-west-1.amazonaws.com",
        "photos.s3-website.eu-west-1.amazonaws.com", "s3.abc.eu-west-1.amazonaws.com", "eu-west-1.amazonaws.com",
        "dualstack.eu-west-1.amazonaws.com", "photos.dualstack.amazonaws.com", "xs3.eu-west-1.amazonaws.com",
        "s3.eu-west-1.amazonaws.com.evil.example", "s3.eu-west-1.xamazonaws.com", "s3.eu-west-.amazonaws.com",
        "s3.eu--1.amazonaws.com", "s3.cn-north-1.amazonaws.com", "s3.cn-north-1.amazonaws.com.cn", ".s3.amazonaws.com",
        "a..s3.amazonaws.com", ".amazonaws.com", "", "s3.eu-west-1.amazonaws.com.",
    ]

    @Test("Hosts that customers' machines can have are not the service's", arguments: others)
    func other(host: String) { #expect(!S3Host.isService(host, isChina: false)) }

    @Test("Regions in China have their own domain")
    func china() {
        #expect(S3Host.isService("photos.s3.cn-north-1.amazonaws.com.cn", isChina: true))
        #expect(!S3Host.isService("s3.amazonaws.com.cn", isChina: true))
        #expect(!S3Host.isService("ec2-1.cn-north-1.compute.amazonaws.com.cn", isChina: true))
    }

    @Test(
        "A redirect to another region is signed, one to a customer's machine is not",
        arguments: [
            ("https://photos.s3.us-west-2.amazonaws.com/a", true),
            ("https://lb-1.eu-west-1.elb.amazonaws.com/a", false),
        ])
    func redirect(target: String, isSigned: Bool) async throws {
        let mock = MockTransport(responses: [.redirect(to: target, status: 307), .init()])
        let keys = AWSCredentials(accessKey: "AKID", secretKey: "secret")
        let s3 = try S3(region: "eu-central-1", credentials: keys) { $0.network.transport = mock }
        _ = try await s3.session.send(RequestDraft(.head, try s3.bucket("photos").url(of: "a")))
        expectEqual(mock.requests.map { $0.headers[.authorization] != nil }, [true, isSigned])
    }
}
