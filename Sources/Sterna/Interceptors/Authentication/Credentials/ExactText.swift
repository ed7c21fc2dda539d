/// A text that equals only the same bytes. Strings compare by canonical equivalence, but servers take other bytes for another user or
/// realm.
struct ExactText: Sendable, Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactText, right: ExactText) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
