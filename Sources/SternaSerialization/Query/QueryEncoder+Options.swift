public import SternaPlatform

extension QueryEncoder {
    /// The format of an array element's name, made from the array's name.
    public enum ArrayStyle: Sendable {
        /// `tags[]=a&tags[]=b`.
        case brackets
        /// `tags=a&tags=b`.
        case none
        /// `tags[0]=a&tags[1]=b`.
        case indices
        /// The name that the closure returns for the array's name and the element's index, which counts from 0.
        case custom(@Sendable (_ name: String, _ index: Int) -> String)
    }

    /// The format of booleans.
    public enum BooleanStyle: String, Sendable, Hashable, Codable, CaseIterable {
        /// `1` and `0`.
        case numeric
        /// `true` and `false`.
        case literal
    }

    /// The format of bytes, in queries, forms, and JSON made from parameters.
    public enum DataStyle: Sendable {
        /// Base64 with padding (RFC 4648, section 4).
        case base64
        /// An array of numbers, as `Data` encodes itself: `key[]=1&key[]=255`, or `{"key":[1,255]}` in JSON. In a multipart form,
        /// data stays data.
        case numbers
        /// The text that the closure returns; if it throws, encoding fails with the value's key path.
        case custom(@Sendable (Data) throws -> String)
    }

    /// The format of dates.
    public enum DateStyle: Sendable {
        /// `2020-01-02T03:04:05Z` in UTC, with milliseconds only when they are not zero (RFC 3339).
        case iso8601
        /// Seconds since 1970 in UTC, with at most three decimals: `1577934245`.
        case seconds
        /// Whole milliseconds since 1970 in UTC: `1577934245000`.
        case milliseconds
        /// Seconds since 2001 in UTC, as `Date` encodes itself: `599627045`.
        case deferred
        /// `2020-01-02 03:04:05 +0000`, NSDate's description, which AFNetworking wrote.
        case description
        /// The text that the closure returns; if it throws, encoding fails with the value's key path.
        case custom(@Sendable (Date) throws -> String)
    }

    /// The conversion of keys.
    public enum KeyStyle: Sendable {
        /// Keeps keys unchanged.
        case asIs
        /// Writes `oneTwoThree` as `one_two_three`, `myURLPath` as `my_url_path`.
        case snakeCase
        /// Writes `oneTwoThree` as `one-two-three`.
        case kebabCase
        /// Writes `oneTwoThree` as `OneTwoThree`, at every level: `Outer[Inner]`.
        case capitalized
        /// Writes `oneTwoThree` as `OneTwoThree`, only at the first level: `Outer[inner]`.
        case capitalizedFirst
        /// Uses the key that the closure returns.
        case custom(@Sendable (_ key: String) -> String)
    }

    /// The format of a nested value's name, made from the dictionary's name and the value's key.
    public enum NestingStyle: Sendable {
        /// `phone[mobile]`.
        case brackets
        /// `phone.mobile`.
        case dots
        /// The name that the closure returns.
        case custom(@Sendable (_ name: String, _ key: String) -> String)
    }

    /// The format of null.
    public enum NullStyle: String, Sendable, Hashable, Codable, CaseIterable {
        /// `key`.
        case bareKey
        /// `key=`.
        case emptyValue
        /// `key=null`.
        case literal
        /// Nothing.
        case omitted
    }

    /// The format of floating point numbers, and of dates written as numbers.
    public enum NumberStyle: String, Sendable, Hashable, Codable, CaseIterable {
        /// The shortest text: `1`, `0.5`.
        case shortest
        /// With a fraction, `1.0` and `0.5`, unless the text has an exponent: `1e+20`.
        case fraction
    }

    /// The format of sets.
    public enum SetStyle: String, Sendable, Hashable, Codable, CaseIterable {
        /// The key for each value, ordered by their text, as in AFNetworking: `tags=a&tags=b`.
        case repeatedKey
        /// An array in ascending order of its elements, formatted by ``QueryEncoder/arrays``.
        case array
    }

    /// The escape of spaces.
    public enum SpaceStyle: String, Sendable, Hashable, Codable, CaseIterable {
        /// `%20`, as in a URI (RFC 3986, section 2.1).
        case percent
        /// `+`, as in the form format of the URL Standard; a plus sign itself is `%2B` in either style.
        case plus
    }

    /// The treatment of characters that the character set lacks.
    public enum UnencodableStyle: String, Sendable, Hashable, Codable, CaseIterable {
        /// The encoding fails.
        case fail
        /// `&#8224;`, percent-encoded, as browsers send it (URL Standard, 1.3).
        case characterReference
    }
}
