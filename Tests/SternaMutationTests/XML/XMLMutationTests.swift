import MutationKit
import NIOCore
import Sterna
import SternaXML
import Testing

@testable import SternaTestSupport
@testable import SternaXMLTests

@Suite("Mutations: XML")
struct XMLMutationTests {
    static let reader = MutatedReader(
        "XML",
        seeds: [
            #"<?xml version="1.0" encoding="UTF-8"?><feed xmlns:dc="http://x/"><dc:title a="1" b='2'>A &amp; B</dc:title><!-- c --><x/></feed>"#,
            #"<!DOCTYPE a [<!ENTITY e "text &#65; &f;"><!ENTITY f 'more'><!-- c -->]><a>&e;</a>"#,
            #"<!DOCTYPE html PUBLIC "-//W3C//DTD" "http://x/"><a><![CDATA[<raw>]]>&#x1F600;&lt;</a>"#,
            "<a><b><c><d>5</d></c></b><b/></a>", "\u{FEFF}<?pi data?><a t=\"&#10;&quot;\"/>",
        ],
        tokens: [
            "<", ">", "</", "/>", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "&", ";", "&#", "&#x", "&e;",
            "<!DOCTYPE a [",
            "]>", "<!ENTITY e \"", "<!ENTITY % p '", "%p;", "<!ATTLIST a ", "xmlns:", "xmlns=\"", "<a>", "</a>", "<a ",
            "=\"",
            "'", "\"", "encoding=\"", "utf-16", "iso-8859-1", "\u{0}", "\u{FFFE}", "é", "]]", "SYSTEM \"",
        ]
    ) { bytes in
        var limits = XMLLimits(allowsDocumentType: true)
        limits.entityBytes = 1 << 16
        var events = 0
        _ = try? XMLEvents.parse(Bytes(bytes: bytes), limits: limits) { _ in events += 1 }
        _ = try? XMLElement(parsing: Bytes(bytes: bytes), charset: "iso-8859-1")
        guard let element = try? XMLElement(parsing: Bytes(bytes: bytes), limits: limits) else { return .refused }
        let text = element.description
        guard let again = try? XMLElement(parsing: text) else {
            throw MutationFailure("Its description is not read: \(text)")
        }
        guard again == element else { throw MutationFailure("Its description, read again, differs: \(text)") }
        guard again.hashValue == element.hashValue else { throw MutationFailure("Equal, but not by hash.") }
        _ = (element.text, element.elements, element.localName, element.prefix)
        return .accepted
    }

    @Test("No mutated document ends the process, and what is read is described alike")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await XMLMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
