/// Text that can be compared in linear time.
///
/// Swift compares and hashes strings by their canonical form, which requires sorting the combining marks after a letter. A name
/// of a hundred thousand marks takes minutes. Unicode's Stream-Safe Text Format (UAX #15, 13) allows 30 in a row, more than any
/// language has.
package enum StreamSafe {
    /// The maximum number of consecutive combining marks.
    package static let limit = 30

    /// Returns whether a text from outside may be a dictionary key.
    package static func isSafe(_ text: String) -> Bool {
        // No mark is shorter than two bytes.
        guard text.utf8.count > 2 * limit else { return true }
        var run = 0
        for scalar in text.unicodeScalars {
            run = scalar.value < 0x300 || scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
            if run > limit { return false }
        }
        return true
    }
}
