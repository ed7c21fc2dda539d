import SternaImages
import Testing

@testable import SternaGTK

@Suite("The size in which an image is decoded for a widget")
struct ScaledTargetTests {
    @Test("A size counts in pixels of the screen")
    func scaled() {
        let size = PixelSize(width: 160, height: 120)
        #expect(ScaledTarget.scaled(size, by: 2, .fill) == .fill(width: 320, height: 240))
        #expect(ScaledTarget.scaled(size, by: 0, .fit) == .fit(width: 160, height: 120))
    }

    @Test("A size without pixels, or beyond any, is none", arguments: [(0, 120), (-5, 5), (Int.max, 2)])
    func none(width: Int, height: Int) {
        #expect(ScaledTarget.scaled(PixelSize(width: width, height: height), by: 2, .fit) == nil)
    }
}
