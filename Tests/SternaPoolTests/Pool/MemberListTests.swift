import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("A list whose members know their indices")
struct MemberListTests {
    private final class Item: ListMember {
        var listIndex: Int?
    }

    @Test("Members are removed in any order, each once")
    func anyOrder() {
        for step in [1, 3, 7] {
            var list = MemberList<Item>()
            let items = (0..<10).map { _ in Item() }
            for item in items { list.add(item) }
            for (number, index) in (0..<10).map({ $0 * step % 10 }).enumerated() {
                let wasListed = list.remove(items[index])
                let isListed = list.remove(items[index])
                #expect(wasListed)
                #expect(!isListed)
                expectNil(items[index].listIndex)
                expectEqual(list.count, 9 - number)
                #expect(list.members.enumerated().allSatisfy { $1.listIndex == $0 })
            }
            #expect(list.isEmpty)
        }
    }
}
