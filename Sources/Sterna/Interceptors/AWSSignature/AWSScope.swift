import Crypto
import SternaPlatform

/// What a signature of version 4 is for: a moment, a region, a service, and the vendor's names.
package struct AWSScope: Sendable, Hashable {
    /// The names that a vendor uses in place of Amazon's: `AWS4-HMAC-SHA256`, `X-Amz-Date`.
    package struct Vendor: Sendable, Hashable {
        /// The name of the algorithm and of the key: `aws`.
        package var name: String

        /// The name within header fields and parameters: `amz`.
        package var fieldName: String

        package init(name: String, fieldName: String) {
            self.name = name.lowercased()
            self.fieldName = fieldName.lowercased()
        }

        /// Amazon's own names.
        package static let aws = Vendor(name: "aws", fieldName: "amz")

        /// The prefix of header fields, in lower case: `x-amz-`.
        var prefix: String { "x-\(fieldName)-" }

        /// The prefix of parameters: `X-Amz-`.
        var parameterPrefix: String { "X-\(fieldName.prefix(1).uppercased())\(fieldName.dropFirst())-" }
    }

    package var vendor: Vendor
    package var region: String
    package var service: String

    /// The moment of signing, in seconds since 1970.
    package let seconds: Int64

    /// The day, as `20130524`.
    package let day: String

    /// The moment, as `20130524T000000Z`.
    package let timestamp: String

    package init(vendor: Vendor = .aws, region: String, service: String, seconds: Int64) {
        self.vendor = vendor
        self.region = region
        self.service = service
        self.seconds = seconds
        timestamp = AWSTime.text(of: seconds)
        day = String(timestamp.prefix(8))
    }

    /// The algorithm: `AWS4-HMAC-SHA256`.
    package var algorithm: String { "\(vendor.name.uppercased())4-HMAC-SHA256" }

    /// The scope as it is written: `20130524/us-east-1/s3/aws4_request`.
    package var text: String { "\(day)/\(region)/\(service)/\(vendor.name)4_request" }

    /// Returns the key that signs in this scope, derived from a secret key.
    func key(_ secret: String) -> SymmetricKey {
        var key = SymmetricKey(data: Data("\(vendor.name.uppercased())4\(secret)".utf8))
        for part in [day, region, service, "\(vendor.name)4_request"] {
            key = SymmetricKey(data: Data(HMAC<SHA256>.authenticationCode(for: Data(part.utf8), using: key)))
        }
        return key
    }

    /// Returns the text that is signed for a canonical request.
    package func stringToSign(_ canonicalRequest: String) -> String {
        "\(algorithm)\n\(timestamp)\n\(text)\n\(Self.hash(canonicalRequest.utf8))"
    }

    /// Returns the signature of a text in hexadecimal digits.
    static func signature(of text: String, _ key: SymmetricKey) -> String {
        HexText.text(of: HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
    }

    /// Returns the SHA-256 of bytes in hexadecimal digits.
    package static func hash(_ bytes: some Sequence<UInt8>) -> String {
        HexText.text(of: SHA256.hash(data: Data(bytes)))
    }

    /// The hash of no bytes.
    package static let emptyHash = hash([])
}

/// Writes moments as signatures of version 4 do.
enum AWSTime {
    /// Returns a moment in UTC as `20130524T000000Z`; moments outside the years 1970 to 9999 become the nearest within.
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
        let date = digits(year, 4) + digits(month, 2) + digits(day, 2)
        return "\(date)T\(digits(rest / 3_600, 2))\(digits(rest / 60 % 60, 2))\(digits(rest % 60, 2))Z"
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    /// Returns the present moment in seconds since 1970, by the system's clock.
    static func now() -> Int64 { Int64(Date().timeIntervalSince1970) }
}
