import MutationKit
import SternaXML
import Testing

@testable import SternaTestSupport

@Suite("XML: trees of any depth")
struct DeepElementTests {
    private static func nested(_ levels: Int, _ text: String) -> XMLElement {
        (0..<levels).reduce(XMLElement("bottom", children: [.text(text)])) { inner, level in
            XMLElement("e", attributes: ["level": "\(level)"], children: [.element(inner), "tail"])
        }
    }

    // Made and released on a thread with a stack for it: a nested array is released by recursion.
    @Test("They are compared, hashed and described", arguments: [100, 5_000, 50_000])
    func elements(levels: Int) {
        SmallStack.run(stack: 256 << 20) {
            let (one, same, other) = (Self.nested(levels, "1"), Self.nested(levels, "1"), Self.nested(levels, "2"))
            SmallStack.run {
                expectEqual(one, same)
                #expect(one != other)
                expectEqual(one.hashValue, same.hashValue)
                expectEqual(one.description, same.description)
                #expect(one.description != other.description)
                expectEqual(XMLElement.Node.element(one).description, one.description)
                expectEqual(Set([one, same, other]).count, 2)
                #expect(one.text.hasPrefix("1tail"))
            }
        }
    }
}
