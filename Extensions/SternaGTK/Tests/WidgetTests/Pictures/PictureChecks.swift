import CSternaLibGTK
import PictureSite
import Sterna
import SternaGTK
import SternaImages

/// A picture shows the image that was set last.
@MainActor enum PictureChecks {
    static var all: [Check] {
        [
            Check("A picture shows a placeholder, then the image") { findings in
                try await Pictures.with { pictures in
                    pictures.site.hold()
                    let picture = RemotePicture(pictures.images)
                    picture.fadeDuration = .zero
                    let window = TestWindow(picture.widget, width: 160, height: 120)
                    try await window.frames(2)
                    let grey = Paintable(try NumberedPicture.pixels(of: 1023))
                    var answers: [Result<DecodedImage, SternaError>] = []
                    picture.setImage(Pictures.url(5), placeholder: grey, size: PixelSize(width: 160, height: 120)) {
                        answers.append($0)
                    }
                    findings.expect(picture.isLoading, "it is not loading")
                    try await window.frames(2)
                    findings.expect(Drawing(picture.widget)?.number, is: 1023)
                    pictures.site.release()
                    try await findings.waits(for: "the image") { !picture.isLoading }
                    try await window.frames(2)
                    findings.expect(Drawing(picture.widget)?.number, is: 5)
                    findings.expect(answers.count, is: 1)
                    findings.expect(picture.image?.pixelSize, is: PixelSize(width: 160, height: 120))
                }
            },
            Check("An image in memory is shown before setImage returns") { findings in
                try await Pictures.with { pictures in
                    _ = try await pictures.images.image(Pictures.url(6))
                    let picture = RemotePicture(pictures.images)
                    var isAnswered = false
                    picture.setImage(Pictures.url(6)) { _ in isAnswered = true }
                    findings.expect(isAnswered && picture.number == 6, "it was not shown at once")
                    findings.expect(!picture.isLoading, "it still loads")
                    findings.expect(pictures.site.requests, is: [6: 1])
                }
            },
            Check("What comes late is not shown, and its request is cancelled") { findings in
                try await Pictures.with({ $0.abandonedTransfers = .cancel }) { pictures in
                    pictures.site.hold()
                    let picture = RemotePicture(pictures.images)
                    var answers: [String] = []
                    picture.setImage(Pictures.url(1)) { answers.append(Self.text($0)) }
                    try await findings.waits(for: "the request") { pictures.site.requests[1] == 1 }
                    picture.setImage(Pictures.url(2)) { answers.append(Self.text($0)) }
                    findings.expect(answers, is: ["cancelled"])
                    try await findings.waits(for: "the cancellation") { pictures.site.cancelled == 1 }
                    pictures.site.release()
                    try await findings.waits(for: "the image") { !picture.isLoading }
                    findings.expect(answers, is: ["cancelled", "image"])
                    findings.expect(picture.number, is: 2)
                }
            },
            Check("Clearing and releasing a picture cancel its request") { findings in
                try await Pictures.with({ $0.abandonedTransfers = .cancel }) { pictures in
                    pictures.site.hold()
                    var picture: RemotePicture? = RemotePicture(pictures.images)
                    var answers: [String] = []
                    picture?.setImage(Pictures.url(1)) { answers.append(Self.text($0)) }
                    try await findings.waits(for: "the request") { pictures.site.requests[1] == 1 }
                    picture?.clear()
                    findings.expect(picture?.request == nil, "the request is still there")
                    picture?.setImage(Pictures.url(2)) { answers.append(Self.text($0)) }
                    try await findings.waits(for: "the request") { pictures.site.requests[2] == 1 }
                    picture = nil
                    try await findings.waits(for: "the cancellations") { pictures.site.cancelled == 2 }
                    findings.expect(answers, is: ["cancelled", "cancelled"])
                }
            },
            Check("A picture that fails keeps its placeholder, says why, and can be tried again") { findings in
                try await Pictures.with { pictures in
                    pictures.site.fail(3, with: 404)
                    let picture = RemotePicture(pictures.images)
                    let window = TestWindow(picture.widget, width: 160, height: 120)
                    var answers: [String] = []
                    picture.setImage(Pictures.url(3), placeholder: Paintable(try NumberedPicture.pixels(of: 9))) {
                        answers.append(Self.text($0))
                    }
                    try await findings.waits(for: "the failure") { picture.error != nil }
                    findings.expect(picture.error?.response?.status.code, is: 404)
                    try await window.frames(2)
                    findings.expect(Drawing(picture.widget)?.number, is: 9)
                    pictures.site.fail(3, with: nil)
                    picture.retry { answers.append(Self.text($0)) }
                    try await findings.waits(for: "the image") { picture.number == 3 }
                    findings.expect(answers, is: ["unacceptableStatus", "image"])
                }
            },
            Check("An image that was fetched fades in, and one in memory does not") { findings in
                try await Pictures.with { pictures in
                    let picture = RemotePicture(pictures.images)
                    picture.fadeDuration = .milliseconds(300)
                    let window = TestWindow(picture.widget, width: 160, height: 120)
                    try await window.frames(3)
                    picture.setImage(Pictures.url(1022), placeholder: Paintable(try NumberedPicture.pixels(of: 0)))
                    try await findings.waits(for: "the image") { !picture.isLoading }
                    // The last field but one is dark in the placeholder, and light in the image.
                    var seen: [Int] = []
                    try await findings.waits(for: "the end of the fade") {
                        if let light = Drawing(picture.widget)?.brightness(100, 100) { seen.append(light) }
                        return Drawing(picture.widget)?.number == 1022
                    }
                    let (first, last) = (seen.first ?? 0, seen.last ?? 0)
                    findings.expect(seen.contains { $0 > first + 30 && $0 < last - 30 }, "no value between: \(seen)")
                    picture.clear()
                    picture.setImage(Pictures.url(1022))
                    try await window.frames(2)
                    findings.expect(Drawing(picture.widget)?.number, is: 1022)
                }
            },
            Check("A texture shares the memory of its pixels, and gives it back") { findings in
                weak var memory: PixelMemory?
                do {
                    let pixels = try NumberedPicture.pixels(of: 77)
                    memory = pixels.memory
                    let (one, other) = (Paintable(pixels), Paintable(pixels))
                    findings.expect(one.pointer == other.pointer, "the same pixels have two textures")
                }
                try await findings.waits(for: "the end of the memory") { memory == nil }
            },
            Check("An image is decoded no larger than the widget needs") { findings in
                try await Pictures.with { pictures in
                    let (whole, part) = (RemotePicture(pictures.images), RemotePicture(pictures.images, fit: .cover))
                    whole.setImage(Pictures.url(1), size: PixelSize(width: 100, height: 100))
                    part.setImage(Pictures.url(1), size: PixelSize(width: 90, height: 90))
                    try await findings.waits(for: "both") { whole.number == 1 && part.number == 1 }
                    findings.expect(whole.image?.pixelSize, is: PixelSize(width: 100, height: 75))
                    findings.expect(part.image?.pixelSize, is: PixelSize(width: 120, height: 90))
                    findings.expect(pictures.site.requests, is: [1: 1])
                }
            },
        ]
    }

    static func text(_ result: Result<DecodedImage, SternaError>) -> String {
        switch result {
        case .success: "image"
        case .failure(let error): "\(error.kind)"
        }
    }
}
