/// An object that a `MemberList` holds.
protocol ListMember: AnyObject {
    /// The place in the list; nil outside.
    var place: Int? { get set }
}

/// Objects in no particular order, each of which knows its place, so that it is removed in constant time.
struct MemberList<Member: ListMember> {
    private(set) var members: [Member] = []

    var isEmpty: Bool { members.isEmpty }
    var count: Int { members.count }

    mutating func add(_ member: Member) {
        member.place = members.count
        members.append(member)
    }

    /// Removes a member. Returns whether it was in the list.
    mutating func remove(_ member: Member) -> Bool {
        guard let place = member.place else { return false }
        member.place = nil
        let last = members.removeLast()
        if last !== member {
            members[place] = last
            last.place = place
        }
        return true
    }
}
