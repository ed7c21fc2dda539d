import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: identifiers")
struct TransferIDTests {
    @Test("Identifiers are random, and are restored as they were written")
    func random() {
        let ids = (0..<100).map { _ in TransferID() }
        expectEqual(Set(ids).count, 100)
        for id in ids { expectEqual(TransferID(id.text), id) }
    }

    @Test("Any other text is refused", arguments: ["", "a", "../../etc/passwd", String(repeating: "A", count: 32)])
    func refused(text: String) { expectNil(TransferID(text)) }
}
