import PictureSite
import Sterna
import SternaGTK
import SternaImageCodecs
import SternaImages
import SternaTesting

/// The rows of docs/Migrating/AFNetworking.md about UIKit+AFNetworking.
@MainActor enum MigratingGTKTests {
    static var all: [Check] {
        [
            Check("Coming from UIKit+AFNetworking: pictures and buttons") { findings in
                try await Pictures.with { pictures in
                    let images = pictures.images
                    let placeholder = Paintable(icon: "image-loading")
                    var answers = 0
                    let use: @MainActor (Result<DecodedImage, SternaError>) -> Void = { _ in answers += 1 }
                    let request = ImageRequest("pictures/2.png")
                    let picture = RemotePicture(images, label: "A harbour")
                    picture.setImage("pictures/1.png")
                    picture.setImage("pictures/1.png", placeholder: placeholder)
                    picture.setImage(request, placeholder: placeholder) { result in use(result) }
                    picture.cancel()
                    picture.clear()
                    let button = RemoteButton(images, label: "Play")
                    button.setImage("pictures/1.png", for: .normal)
                    button.setImage("pictures/1.png", for: .normal, placeholder: placeholder)
                    button.setImage(request, for: .normal, placeholder: placeholder) { result in use(result) }
                    button.setBackgroundImage("pictures/1.png", for: .normal)
                    button.setBackgroundImage("pictures/1.png", for: .normal, placeholder: placeholder)
                    button.setBackgroundImage(request, for: .normal, placeholder: placeholder) { result in use(result) }
                    button.cancelImage(for: .normal)
                    button.cancelBackgroundImage(for: .normal)
                    findings.expect(answers, is: 3)
                }
            },
            Check("Coming from UIKit+AFNetworking: tasks") { findings in
                try await Pictures.with { pictures in
                    let api = pictures.api
                    let task = api.dataTask(.get("pictures/1.png"))
                    let (spinner, bar) = (TaskSpinner(), TaskProgressBar(label: "Transfer"))
                    let refresh = RefreshAction(label: "Refresh") { api.dataTask(.get("pictures/1.png")) }
                    let window: UnsafeMutablePointer<GtkWindow>? = nil
                    spinner.follow(task)
                    bar.follow(uploadOf: task)
                    bar.follow(downloadOf: task)
                    refresh.follow(task)
                    TaskAlert.show(ifFails: task, over: window)
                    try await findings.waits(for: "the end") { !refresh.isRefreshing && !spinner.isSpinning }
                    findings.expect(task.error == nil, "the task has failed")
                }
            },
            Check("A task that fails is told by an alert, one that is cancelled is not") { findings in
                try await Pictures.with { pictures in
                    pictures.site.fail(1, with: 503)
                    let before = openWindows()
                    let (failing, cancelled) = (
                        pictures.api.dataTask(.get("pictures/1.png")), pictures.api.dataTask(.get("pictures/2.png"))
                    )
                    TaskAlert.show(ifFails: cancelled, over: nil)
                    cancelled.cancel()
                    TaskAlert.show(ifFails: failing, over: nil)
                    try await findings.waits(for: "the alert") { openWindows() == before + 1 }
                    try await findings.waits(for: "both ends") { failing.isFinished && cancelled.isFinished }
                    findings.expect(openWindows(), is: before + 1)
                }
            },
        ]
    }

    private static func openWindows() -> Int {
        Int(g_list_model_get_n_items(gtk_window_get_toplevels()))
    }
}
