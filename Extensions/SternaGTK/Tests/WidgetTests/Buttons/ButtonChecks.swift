import CSternaLibGTK
import PictureSite
import Sterna
import SternaGTK
import SternaImages

/// A button shows the image of its state.
@MainActor enum ButtonChecks {
    static var all: [Check] {
        [
            Check("A button shows the image of its state, and the normal one where there is none") { findings in
                try await Pictures.with { pictures in
                    let button = RemoteButton(pictures.images, label: "Play", isToggle: true)
                    let window = TestWindow(button.widget, width: 200, height: 150)
                    let size = PixelSize(width: 32, height: 24)
                    button.setImage(Pictures.url(1), for: .normal, size: size)
                    button.setImage(Pictures.url(2), for: .disabled, size: size)
                    button.setImage(Pictures.url(3), for: .checked, size: size)
                    try await findings.waits(for: "the requests") { pictures.site.requests.count == 3 }
                    try await window.frames(2)
                    findings.expect(button.shownState, is: .normal)
                    button.isEnabled = false
                    findings.expect(button.shownState, is: .disabled)
                    button.isEnabled = true
                    gtk_widget_set_state_flags(button.widget, GTK_STATE_FLAG_CHECKED, 0)
                    findings.expect(button.shownState, is: .checked)
                    gtk_widget_set_state_flags(button.widget, GTK_STATE_FLAG_PRELIGHT, 0)
                    findings.expect(button.shownState, is: .checked)
                    button.clearImage(for: .checked)
                    findings.expect(button.shownState, is: .normal)
                }
            },
            Check("A button is drawn with its image and background") { findings in
                try await Pictures.with { pictures in
                    let button = RemoteButton(pictures.images, label: "Play")
                    let box: WidgetPointer = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0)
                    gtk_widget_set_halign(button.widget, GTK_ALIGN_CENTER)
                    gtk_widget_set_valign(button.widget, GTK_ALIGN_CENTER)
                    gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), button.widget)
                    let window = TestWindow(box)
                    var answers: [String] = []
                    button.setBackgroundImage(Pictures.url(4), for: .normal, size: PixelSize(width: 64, height: 48)) {
                        answers.append(PictureChecks.text($0))
                    }
                    try await findings.waits(for: "the background") { answers == ["image"] }
                    try await window.frames(2)
                    let layers = gtk_button_get_child(
                        UnsafeMutableRawPointer(button.widget).assumingMemoryBound(to: GtkButton.self))
                    let background = layers.flatMap { gtk_widget_get_first_child($0) }
                    findings.expect(background.flatMap { Drawing($0)?.number }, is: 4)
                    button.setImage(Pictures.url(5), for: .normal, size: PixelSize(width: 64, height: 48))
                    try await findings.waits(for: "the image") { layers.flatMap { Drawing($0)?.number } == 5 }
                    button.clearImage(for: .normal)
                    try await window.frames(2)
                    findings.expect(layers.flatMap { Drawing($0)?.number }, is: 4)
                }
            },
            Check("An image of a button that is replaced or cancelled answers once") { findings in
                try await Pictures.with({ $0.abandonedTransfers = .cancel }) { pictures in
                    pictures.site.hold()
                    let button = RemoteButton(pictures.images, label: "Play")
                    var answers: [String] = []
                    button.setImage(Pictures.url(1), for: .normal) { answers.append(PictureChecks.text($0)) }
                    try await findings.waits(for: "the request") { pictures.site.requests[1] == 1 }
                    button.setImage(Pictures.url(2), for: .normal) { answers.append(PictureChecks.text($0)) }
                    button.cancelImage(for: .normal)
                    findings.expect(answers, is: ["cancelled", "cancelled"])
                    try await findings.waits(for: "the cancellation") { pictures.site.cancelled >= 1 }
                }
            },
            Check("A button is clicked by the keyboard") { findings in
                try await Pictures.with { pictures in
                    var clicks = 0
                    let button = RemoteButton(pictures.images, label: "Play") { clicks += 1 }
                    let window = TestWindow(button.widget, width: 100, height: 80)
                    try await window.frames(2)
                    try await window.press("Tab", "space", "Return")
                    try await findings.waits(for: "two clicks") { clicks == 2 }
                }
            },
        ]
    }
}
