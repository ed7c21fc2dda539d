import Testing

@testable import SternaGTK

@Suite("The image that a button shows")
struct ButtonImageRuleTests {
    @Test(
        "The most particular state that has an image wins, then the normal one",
        arguments: [
            ([], [.normal], .normal), ([.hovered], [.normal], .normal), ([.hovered], [.normal, .hovered], .hovered),
            ([.hovered, .pressed], [.normal, .hovered, .pressed], .pressed),
            ([.pressed, .checked], [.checked, .normal], .checked),
            ([.disabled, .checked], [.normal, .checked, .disabled], .disabled), ([.pressed], [.hovered], nil),
            ([], [], nil),
        ] as [(Set<ButtonState>, Set<ButtonState>, ButtonState?)])
    func shown(states: Set<ButtonState>, set: Set<ButtonState>, expected: ButtonState?) {
        #expect(ButtonImageRule.shown(in: states, of: set) == expected)
    }
}
