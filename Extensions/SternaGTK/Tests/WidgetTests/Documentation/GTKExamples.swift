import PictureSite
import Sterna
import SternaGTK
import SternaImageCodecs
import SternaImages
import SternaTesting

/// The examples of docs/GTK.md.
@MainActor enum GTKExamples {
    static var all: [Check] {
        [
            Check("Documentation: pictures") { findings in
                try await site { api, box in
                    let images = ImageDownloader(session: api, decoder: ImageCodecs())

                    let picture = RemotePicture(images, label: "A harbour at dusk")
                    picture.setImage("pictures/1.png", size: PixelSize(width: 320, height: 240)) { result in
                        if case .failure(let error) = result { print(error.message) }
                    }
                    gtk_box_append(box, picture.widget)

                    try await findings.waits(for: "the picture") { picture.number == 1 }

                    var request = ImageRequest(
                        "pictures/2.png", target: .fill(width: 96, height: 96), filter: CircleFilter())
                    request.priority = .high
                    picture.setImage(request, placeholder: Paintable(icon: "image-loading"))

                    try await findings.waits(for: "the filtered picture") { picture.image != nil }
                    findings.expect(picture.image?.pixelSize.height, is: 96)
                }
            },
            Check("Documentation: buttons") { findings in
                try await site { api, box in
                    let images = ImageDownloader(session: api, decoder: ImageCodecs())
                    var plays = 0

                    let button = RemoteButton(images, label: "Play") { plays += 1 }
                    let size = PixelSize(width: 24, height: 24)
                    button.setImage("pictures/3.png", for: .normal, size: size)
                    button.setImage("pictures/4.png", for: .disabled, size: size)
                    button.setBackgroundImage("pictures/5.png", for: .pressed)
                    button.isEnabled = false
                    gtk_box_append(box, button.widget)

                    findings.expect(button.shownState, is: .disabled)
                    findings.expect(plays, is: 0)
                }
            },
            Check("Documentation: tasks") { findings in
                try await site { api, box in
                    var reloads = 0

                    let spinner = TaskSpinner(label: "Loading the news")
                    let bar = TaskProgressBar(label: "Download")
                    let task = api.dataTask(.get("pictures/6.png"))
                    spinner.follow(task)
                    bar.follow(downloadOf: task)
                    TaskAlert.show(ifFails: task, over: nil)

                    let refresh = RefreshAction(label: "Refresh") { api.dataTask(.get("pictures/7.png")) }
                    refresh.ended = { error in if error == nil { reloads += 1 } }
                    gtk_box_append(box, refresh.widget)

                    gtk_box_append(box, bar.widget)
                    refresh.refresh()
                    _ = try await task.value
                    try await findings.waits(for: "the refresh") { reloads == 1 && !spinner.isSpinning }
                }
            },
            Check("Documentation: lists") { findings in
                try await site { api, box in
                    let images = ImageDownloader(session: api, decoder: ImageCodecs())
                    let opened = Opened()
                    @MainActor func open(_ item: PictureItem) { opened.items.append(item) }

                    let items = (0..<500).map { PictureItem(url: "pictures/\($0).png", label: "Picture \($0)") }
                    let grid = RecycledList(.grid(columns: 2...5), items: items, label: "Pictures") {
                        PictureCell(images, size: PixelSize(width: 160, height: 120))
                    }
                    grid.activated = { position in open(grid.items[position]) }
                    gtk_box_append(box, grid.widget)

                    try await findings.waits(for: "cells") { grid.madeCells > 0 }
                    grid.activated?(3)
                    findings.expect(opened.items.map(\.label), is: ["Picture 3"])
                    grid.activated = nil
                }
            },
        ]
    }

    @MainActor private final class Opened { var items: [PictureItem] = [] }

    /// A box in a window, and a session.
    private static func site(_ body: @MainActor (Session, UnsafeMutablePointer<GtkBox>) async throws -> Void)
        async throws
    {
        try await Pictures.with { pictures in
            let widget: WidgetPointer = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
            let window = TestWindow(widget)
            try await body(pictures.api, UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkBox.self))
            try await window.frames(1)
        }
    }
}

/// An application, which is compiled alone: a program has one main loop.
enum ApplicationExample {
    @MainActor struct Viewer {
        static func main() throws {
            try MainLoop.start()
            let window = ViewerWindow()
            try MainLoop.run()
            withExtendedLifetime(window) {}
        }
    }

    @MainActor final class ViewerWindow {}
}
