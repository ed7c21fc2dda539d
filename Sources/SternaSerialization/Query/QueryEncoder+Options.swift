public import SternaPlatform

extension QueryEncoder {
    /// How the name of an array's element is made from the array's name.
    public enum ArrayStyle: Sendable {
        /// `tags[]=a&tags[]=b`.
        case brackets
        /// `tags=a&tags=b`.
        case none
        /// `tags[0]=a&tags[1]=b`.
        case indices
        /// The name that the closure makes from the array's name and the element's index, which counts from 0.
        case custom(@Sendable (_ name: String, _ index: Int) -> String)
    }

    /// How a boolean is written.
    public enum BooleanStyle: String, Sendable, Hashable, Codable, CaseIterable {
        /// `1` and `0`.
        case numeric
        /// `true` and `false`.
        case literal
    }

    /// How bytes are written, in queries, forms, and JSON that is made of parameters.
    public enum DataStyle: Sendable {
        /// Base64 with padding (RFC 4648, section 4).
        case base64
        /// An array of numbers, as `Data` encodes itself: `key[]=1&key[]=255`, or `{"key":[1,255]}` in JSON. In a form of several
        /// parts data stays data.
        case numbers
        /// The text that the closure makes; what it throws fails the encoding with the value's key path.
        case custom(@Sendable (Data) throws -> String)
    }

    /// How a date is written.
    public enum DateStyle: Sendable {
        /// `2020-01-02T03:04:05Z` in UTC, with milliseconds only when they are not zero (RFC 3339).
        case iso8601
        /// Seconds since 1970 in UTC, with at most three decimals: `1577934245`.
        case seconds
        /// Whole milliseconds since 1970 in UTC: `1577934245000`.
        case milliseconds
        /// Seconds since 2001 in UTC, as `Date` encodes itself: `599626656.5`.
        case deferred
        /// `2020-01-02 03:04:05 +0000`, as NSDate describes itself, which is what AFNetworking wrote.
        case description
        /// The text that the closure makes; what it throws fails the encoding with the value's key path.
        case custom(@Sendable (Date) throws -> String)
    }

    /// How a key is changed.
    public enum KeyStyle: Sendable {
        /// Not at all.
        case asIs
        /// `oneTwoThree` as `one_two_three`, `myURLPath` as `my_url_path`.
        case snakeCase
        /// `oneTwoThree` as `one-two-three`.
        case kebabCase
        /// `oneTwoThree` as `OneTwoThree`, at every level: `Outer[Inner]`.
        case capitalized
        /// `oneTwoThree` as `OneTwoThree`, at the first level alone: `Outer[inner]`.
        case capitalizedFirst
        /// The key that the closure makes.
        case custom(@Sendable (_ key: String) -> String)
    }

    /// How the name of a value in a dictionary is made from the dictionary's name and the value's key.
    public enum NestingStyle: Sendable {
        /// `phone[mobile]`.
        case brackets
        /// `phone.mobile`.
        case dots
        /// The name that the closure makes.
        case custom(@Sendable (_ name: String, _ key: String) -> String)
    }

    /// How null is written.
    public enum NullStyle: String, Sendable, Hashable, Codable, CaseIterable {
        /// `key`.
        case bareKey
        /// `key=`.
        case emptyValue
        /// `key=null`.
        case literal
        /// Nothing at all.
        case omitted
    }

    /// How a floating point number is written, and a date that is written as a number.
    public enum NumberStyle: String, Sendable, Hashable, Codable, CaseIterable {
        /// The shortest text: `1`, `0.5`.
        case shortest
        /// Always as one that is not whole: `1.0`, `0.5`.
        case fraction
    }

    /// How a set is written.
    public enum SetStyle: String, Sendable, Hashable, Codable, CaseIterable {
        /// The key for each value, ordered by their text, as AFNetworking has it: `tags=a&tags=b`.
        case repeatedKey
        /// As an array whose elements are in ascending order, by ``QueryEncoder/arrays``.
        case array
    }

    /// How a space is written.
    public enum SpaceStyle: String, Sendable, Hashable, Codable, CaseIterable {
        /// `%20`, as in a URI (RFC 3986, section 2.1).
        case percent
        /// `+`, as in the form format of the URL Standard; a plus sign itself is `%2B` in either style.
        case plus
    }

    /// What becomes of characters that the character set does not have.
    public enum UnencodableStyle: String, Sendable, Hashable, Codable, CaseIterable {
        /// The encoding fails.
        case fail
        /// `&#8224;`, percent-encoded, as browsers send it (URL Standard, 1.3).
        case characterReference
    }
}
