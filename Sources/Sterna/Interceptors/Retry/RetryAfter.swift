import HTTPTypes
package import SternaCore
import SternaPlatform

/// Reads the Retry-After field (RFC 9110, 10.2.3).
package enum RetryAfter {
    /// Returns the wait that a response asks for; nil without a valid field.
    package static func delay(_ response: Response) -> Duration? { delay(response.section) }

    /// Returns the wait that a response asks for; nil without a valid field. A date in the past means no wait. The longest of
    /// several fields counts.
    ///
    /// A date is compared with the response's Date field, if it has one, so that a wrong clock has no effect.
    ///
    /// - Parameter now: returns the current time in seconds since 1970.
    static func delay(_ section: FieldSection, now: () -> Int64 = Self.now) -> Duration? {
        section[values: .retryAfter].compactMap { value in
            seconds(value) { section[.date].flatMap(HTTPDate.seconds) ?? now() }
        }.max().map { .seconds($0) }
    }

    /// Returns the seconds of a value; nil if it is neither a number nor a date.
    static func seconds(_ value: String, now: () -> Int64) -> Int64? {
        let text = value.utf8
        if !text.isEmpty, text.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            // A number that does not fit is longer than any permitted wait.
            return min(Int64(value) ?? longest, longest)
        }
        guard let moment = HTTPDate.seconds(value) else { return nil }
        return min(max(moment - now(), 0), longest)
    }

    /// The maximum wait in seconds: a hundred years.
    private static let longest: Int64 = 100 * 366 * 86_400

    private static func now() -> Int64 { Int64(Date().timeIntervalSince1970) }
}
