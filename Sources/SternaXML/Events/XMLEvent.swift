/// An event of an XML document, in document order.
///
/// Names are as written, with their prefix; a namespace declaration is an attribute.
public enum XMLEvent: Sendable, Hashable {
    /// An element begins. An element without content has a start and an end, too, in either notation.
    case start(String, XMLAttributes)

    /// An element ends.
    case end(String)

    /// Text with references replaced; never empty, and never two in a row. White space between elements is text, too.
    case text(String)

    /// The text of a CDATA section. Directly adjacent sections are one event.
    case cdata(String)

    /// The text between `<!--` and `-->`.
    case comment(String)

    /// A processing instruction; its data may be empty. The XML declaration is not one.
    case instruction(target: String, data: String)
}
