/// A token of CSS as far as references need it (CSS Syntax Level 3, 4).
enum CSSToken: Sendable, Hashable {
    /// A value with the bytes that stand for it: with the quotes of a string, without the parentheses of a URL.
    struct Text: Sendable, Hashable {
        var range: Range<Int>
        var value: String
    }

    case space
    case comment
    case string(Text)
    /// A string that a line ends.
    case badString
    /// `url(…)` without quotes.
    case url(Text)
    case badURL
    /// A name in lower case with a parenthesis behind it.
    case function(String)
    /// A name in lower case behind `@`.
    case atKeyword(String)
    case semicolon
    case openCurly
    case closeCurly
    case openRound
    case closeRound
    case openSquare
    case closeSquare
    /// A name, a number, a colon or anything else.
    case other
}
