/// One thing of an XML document, in the order in which they stand in it.
///
/// Names are as they are written, with their prefix; a namespace declaration is an attribute.
public enum XMLEvent: Sendable, Hashable {
    /// An element begins. One without content begins and ends too, however it is written.
    case start(String, XMLAttributes)

    /// An element ends.
    case end(String)

    /// Text, references replaced; never empty, and never two in a row. White space between elements is text too.
    case text(String)

    /// The text of a CDATA section. Sections that follow each other at once are one event.
    case cdata(String)

    /// What stands between `<!--` and `-->`.
    case comment(String)

    /// A processing instruction; its data is empty where it has none. The XML declaration is not one.
    case instruction(target: String, data: String)
}
