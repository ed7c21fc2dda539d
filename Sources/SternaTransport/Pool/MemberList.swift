/// An object that a `MemberList` holds.
protocol ListMember: AnyObject {
    /// The index in the list; nil outside.
    var listIndex: Int? { get set }
}

/// Objects in no particular order, each of which knows its index, so that it is removed in constant time.
struct MemberList<Member: ListMember> {
    private(set) var members: [Member] = []

    var isEmpty: Bool { members.isEmpty }
    var count: Int { members.count }

    mutating func add(_ member: Member) {
        member.listIndex = members.count
        members.append(member)
    }

    /// Removes a member. Returns whether it was in the list.
    mutating func remove(_ member: Member) -> Bool {
        guard let index = member.listIndex else { return false }
        member.listIndex = nil
        let last = members.removeLast()
        if last !== member {
            members[index] = last
            last.listIndex = index
        }
        return true
    }
}
