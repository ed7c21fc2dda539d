/// Describes the errors of Foundation's parser, which carry only a libxml2 code.
enum XMLReason {
    static let truncated = "the document is cut off, or not XML. Ask for it again, or look at the bytes with data()."

    /// Returns the reason for a code, and the remedy.
    static func text(code: Int) -> String {
        (reasons[code] ?? "it is not well-formed (libxml2's error \(code))")
            + "; correct it at its source, or take the bytes with data()."
    }

    private static let reasons: [Int: String] = [
        1: "the parser gave up",
        4: "there is something other than an element at the start",
        5: "an element is not closed, or something follows the root element",
        9: "a character that XML does not allow",
        38: "“<” in an attribute's value",
        39: "an attribute's value is not in quotation marks",
        40: "an attribute's value does not end",
        41: "an attribute has no value",
        42: "an attribute is repeated",
        46: "a processing instruction has no target",
        47: "a processing instruction does not end",
        62: "“]]>” outside a CDATA section; write “]]&gt;”",
        64: "a name that is reserved for the XML declaration, which is allowed only at the very start",
        65: "white space is missing",
        68: "a name is missing or contains an invalid character",
        73: "a tag does not end with “>”",
        76: "an end tag has another name than the start tag",
        77: "an element is not closed",
        80: "two hyphens within a comment",
        110: "a name is too long",
        99: "a namespace name is not a URI",
        100: "a namespace name is a relative URI",
        200: "a namespace declaration that is not allowed",
        201: "the prefix of a name is not declared; declare it with xmlns",
        202: "a name has its colon in the wrong place",
        203: "two attributes have the same name in the same namespace",
        204: "a namespace declaration that is not allowed",
    ]
}
