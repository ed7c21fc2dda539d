/// A state of a button that may have an image of its own.
public enum ButtonState: String, Sendable, Hashable, CaseIterable {
    /// Any state without an image of its own.
    case normal
    /// The pointer is above the button.
    case hovered
    /// The button is held down.
    case pressed
    /// A toggle button is on.
    case checked
    /// The button is insensitive.
    case disabled
}

/// Which image a button shows.
enum ButtonImageRule {
    /// Returns the state whose image is shown: the most particular one that the button is in and that has an image, else the normal one.
    static func shown(in states: Set<ButtonState>, of set: Set<ButtonState>) -> ButtonState? {
        let order: [ButtonState] = [.disabled, .pressed, .checked, .hovered]
        return order.first { states.contains($0) && set.contains($0) } ?? (set.contains(.normal) ? .normal : nil)
    }
}
