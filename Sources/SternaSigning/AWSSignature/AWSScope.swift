import Crypto
import Sterna
import SternaPlatform

/// The scope of a version 4 signature: a time, a region, a service, and the vendor's names.
package struct AWSScope: Sendable, Hashable {
    /// The names that a vendor uses in place of Amazon's: `AWS4-HMAC-SHA256`, `X-Amz-Date`.
    package struct Vendor: Sendable, Hashable {
        /// The name of the algorithm and of the key: `aws`.
        package let name: String

        /// The name within header fields and parameters: `amz`.
        package let fieldName: String

        /// The prefix of header fields, in lower case: `x-amz-`.
        let prefix: String

        /// The algorithm: `AWS4-HMAC-SHA256`.
        let algorithm: String

        package init(name: String, fieldName: String) {
            self.name = name.lowercased()
            self.fieldName = fieldName.lowercased()
            prefix = "x-\(self.fieldName)-"
            algorithm = "\(name.uppercased())4-HMAC-SHA256"
        }

        /// Amazon's own names.
        package static let aws = Vendor(name: "aws", fieldName: "amz")

        /// The prefix of parameters: `X-Amz-`.
        var parameterPrefix: String { "X-\(fieldName.prefix(1).uppercased())\(fieldName.dropFirst())-" }
    }

    let vendor: Vendor
    private let region: String
    private let service: String

    /// The day, as `20130524`.
    private let day: String

    /// The time, as `20130524T000000Z`.
    let timestamp: String

    /// The scope as it is written: `20130524/us-east-1/s3/aws4_request`.
    let text: String

    /// Makes the scope of a time in seconds since 1970.
    init(vendor: Vendor = .aws, region: String, service: String, seconds: Int64) {
        self.vendor = vendor
        self.region = region
        self.service = service
        timestamp = AWSTime.text(of: seconds)
        day = String(Substring(timestamp.utf8.prefix(8)))
        text = "\(day)/\(region)/\(service)/\(vendor.name)4_request"
    }

    var algorithm: String { vendor.algorithm }

    /// Returns the key that signs in this scope, derived from a secret key and ready for the text.
    func key(_ secret: String) -> HMAC<SHA256> {
        var key = SymmetricKey(data: Data("\(vendor.name.uppercased())4\(secret)".utf8))
        for part in [day, region, service, "\(vendor.name)4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Data(part.utf8), using: key))
        }
        return HMAC(key: key)
    }

    /// Returns the text that is signed for a canonical request.
    func stringToSign(_ canonicalRequest: String) -> String {
        "\(algorithm)\n\(timestamp)\n\(text)\n\(Self.hash(canonicalRequest.utf8))"
    }

    /// Returns the signature of a text in hexadecimal digits.
    static func signature(of text: String, _ key: HMAC<SHA256>) -> String {
        var (text, code) = (text, key)
        text.withUTF8 { code.update(data: $0) }
        return HexText.text(of: code.finalize())
    }

    /// Returns the SHA-256 of bytes in hexadecimal digits.
    package static func hash(_ bytes: some Sequence<UInt8>) -> String {
        let digest = bytes.withContiguousStorageIfAvailable { SHA256.hash(data: $0) }
        return HexText.text(of: digest ?? SHA256.hash(data: Data(bytes)))
    }

    /// The hash of no bytes.
    package static let emptyHash = hash([])
}

/// Formats times for version 4 signatures.
enum AWSTime {
    /// Returns a time in UTC as `20130524T000000Z`, clamped to the years 1970 to 9999.
    static func text(of seconds: Int64) -> String {
        let seconds = min(max(0, seconds), 253_402_300_799)
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        // Years begin in March here, so that the leap day is the last day of a year.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        // The leading 1 preserves the zeros of the hour.
        let time = 1_000_000 + rest / 3_600 * 10_000 + rest / 60 % 60 * 100 + rest % 60
        return "\(year * 10_000 + month * 100 + day)T\(String(time).dropFirst())Z"
    }

    /// Returns the current time in seconds since 1970, by the system's clock.
    static func now() -> Int64 { Int64(Date().timeIntervalSince1970) }
}
