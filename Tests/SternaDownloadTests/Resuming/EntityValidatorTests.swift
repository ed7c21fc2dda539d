import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("The strong validator of a download")
struct EntityValidatorTests {
    static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let later = "Sun, 06 Nov 1994 08:49:38 GMT"

    static func section(_ fields: [(HTTPField.Name, String)]) -> FieldSection {
        FieldSection(HTTPFields(fields.map { HTTPField(name: $0.0, value: $0.1) }))
    }

    static let read: [([(HTTPField.Name, String)], EntityValidator?)] = [
        ([], nil),
        ([(.eTag, "\"a\"")], .entityTag("\"a\"")),
        ([(.eTag, "\"\"")], .entityTag("\"\"")),
        ([(.eTag, "\"a\\b\"")], .entityTag("\"a\\b\"")),
        ([(.eTag, "W/\"a\"")], nil), ([(.eTag, "a")], nil), ([(.eTag, "\"")], nil), ([(.eTag, "\"a b\"")], nil),
        ([(.eTag, "\"a\"b\"")], nil), ([(.eTag, "\"a\u{FFFD}\"")], nil),
        ([(.eTag, "\"\(String(repeating: "a", count: 2_000))\"")], nil),
        ([(.eTag, "\"a\""), (.eTag, "\"a\"")], .entityTag("\"a\"")),
        ([(.eTag, "\"a\""), (.eTag, "\"b\"")], nil),
        ([(.eTag, "\"a\""), (.lastModified, modified), (.date, later)], .entityTag("\"a\"")),
        ([(.lastModified, modified), (.date, later)], .lastModified(modified)),
        ([(.lastModified, modified), (.date, modified)], nil),
        ([(.lastModified, later), (.date, modified)], nil),
        ([(.lastModified, modified)], nil),
        ([(.lastModified, modified), (.date, "now")], nil),
        ([(.lastModified, "yesterday"), (.date, later)], nil),
        (
            [(.lastModified, "Sunday, 06-Nov-94 08:49:37 GMT"), (.date, later)],
            .lastModified("Sunday, 06-Nov-94 08:49:37 GMT")
        ),
        // With any entity tag the date must not be in If-Range.
        ([(.eTag, "W/\"a\""), (.lastModified, modified), (.date, later)], nil),
    ]

    @Test("The validator of a response is its strong tag, or a strong date without any tag", arguments: read)
    func reads(fields: [(HTTPField.Name, String)], expected: EntityValidator?) {
        expectEqual(EntityValidator(Self.section(fields)), expected)
    }

    static let stated: [(EntityValidator, [(HTTPField.Name, String)], Bool)] = [
        (.entityTag("\"a\""), [(.eTag, "\"a\"")], true),
        (.entityTag("\"a\""), [(.eTag, "W/\"a\"")], false),
        (.entityTag("\"a\""), [(.eTag, "\"b\"")], false),
        (.entityTag("\"a\""), [(.lastModified, modified)], false),
        (.entityTag("\"a\""), [], false),
        (.lastModified(modified), [(.lastModified, modified)], true),
        (.lastModified(modified), [(.lastModified, modified), (.eTag, "\"a\"")], true),
        (.lastModified(modified), [(.lastModified, later)], false),
        (.lastModified(modified), [], false),
    ]

    @Test("A part is of the same representation only if it has the validator", arguments: stated)
    func isStated(validator: EntityValidator, fields: [(HTTPField.Name, String)], expected: Bool) {
        expectEqual(validator.isStated(in: Self.section(fields)), expected)
    }
}
