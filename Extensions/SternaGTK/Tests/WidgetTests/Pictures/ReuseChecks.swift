import CSternaLibGTK
import PictureSite
import Sterna
import SternaGTK
import SternaImages
import SternaPlatform

/// Many images in few pictures.
@MainActor enum ReuseChecks {
    static var all: [Check] {
        [
            Check("10,000 images of 500 URLs in 40 pictures: 500 transfers, each the right one, each answered once") {
                findings in
                try await Pictures.with { pictures in
                    let box: WidgetPointer = gtk_flow_box_new()
                    let views = (0..<40).map { _ in RemotePicture(pictures.images) }
                    for view in views { gtk_flow_box_append(OpaquePointer(box), view.widget) }
                    let window = TestWindow(box)
                    let seed = UInt64(getenv("STERNA_GTK_SEED").flatMap { UInt64(String(cString: $0)) } ?? 20_261_126)
                    var random = SeededGenerator(seed: seed)
                    var answers = [Int](repeating: 0, count: 10_000)
                    var set = [Int?](repeating: nil, count: views.count)
                    var wrong = 0
                    @MainActor func look() {
                        for (view, number) in zip(views, set) {
                            if let shown = view.number, shown != number { wrong += 1 }
                        }
                    }
                    for index in answers.indices {
                        let (place, number) = (
                            Int.random(in: views.indices, using: &random), Int.random(in: 0..<500, using: &random)
                        )
                        set[place] = number
                        views[place].setImage(Pictures.url(number), size: PixelSize(width: 16, height: 12)) { result in
                            answers[index] += 1
                            if case .success(let image) = result, NumberedPicture.number(in: image.pixels) != number {
                                wrong += 1
                            }
                        }
                        // As a list that is scrolled: some cells, then a frame.
                        if Int.random(in: 0..<25, using: &random) == 0 { try await window.frames(1) }
                        if index % 50 == 0 { look() }
                    }
                    try await findings.waits(for: "the last images") { views.allSatisfy { !$0.isLoading } }
                    look()
                    for (view, number) in zip(views, set) { findings.expect(view.number, is: number) }
                    findings.expect(wrong, is: 0)
                    let requests = pictures.site.requests
                    findings.expect(
                        requests.values.reduce(0, +) <= 500, "\(requests.values.reduce(0, +)) transfers, seed \(seed)")
                    findings.expect(requests.values.allSatisfy { $0 == 1 }, "an image was fetched twice, seed \(seed)")
                    for view in views { view.clear() }
                    findings.expect(answers.allSatisfy { $0 == 1 }, "a completion was not called once, seed \(seed)")
                }
            }
        ]
    }
}

/// Random numbers that can be repeated (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
