import CGTKChecks
import CSternaLibGTK
import PictureSite
import Sterna
import SternaGTK
import SternaImages

/// Roles and names for screen readers.
@MainActor enum AccessibilityChecks {
    static var all: [Check] {
        [
            Check("Pictures, buttons, bars and lists have roles and names") { findings in
                try await Pictures.with { pictures in
                    let picture = RemotePicture(pictures.images, label: "A harbour at dusk")
                    findings.role(of: picture.widget, is: GTK_ACCESSIBLE_ROLE_IMG)
                    findings.label(of: picture.widget, is: "A harbour at dusk")
                    picture.label = "A harbour at dawn"
                    findings.label(of: picture.widget, is: "A harbour at dawn")

                    let button = RemoteButton(pictures.images, label: "Play")
                    findings.role(of: button.widget, is: GTK_ACCESSIBLE_ROLE_BUTTON)
                    findings.label(of: button.widget, is: "Play")

                    let bar = TaskProgressBar(label: "Download")
                    findings.role(of: bar.widget, is: GTK_ACCESSIBLE_ROLE_PROGRESS_BAR)
                    findings.label(of: bar.widget, is: "Download")

                    let spinner = TaskSpinner(label: "Loading")
                    findings.label(of: spinner.widget, is: "Loading")

                    let refresh = RefreshAction(label: "Refresh") { nil }
                    findings.role(of: refresh.widget, is: GTK_ACCESSIBLE_ROLE_BUTTON)
                    findings.label(of: refresh.widget, is: "Refresh")

                    let grid = RecycledList(.grid(columns: 1...4), items: [1], label: "Photos") { TextCell() }
                    findings.role(of: grid.list, is: GTK_ACCESSIBLE_ROLE_GRID)
                    findings.label(of: grid.list, is: "Photos")
                    let list = RecycledList(.list, items: [1], label: "Photos") { TextCell() }
                    findings.role(of: list.list, is: GTK_ACCESSIBLE_ROLE_LIST)
                }
            },
            Check("A picture is busy while it loads") { findings in
                try await Pictures.with { pictures in
                    pictures.site.hold()
                    let picture = RemotePicture(pictures.images, label: "A harbour")
                    picture.setImage(Pictures.url(1))
                    findings.busy(picture.widget, true)
                    pictures.site.release()
                    try await findings.waits(for: "the image") { picture.number == 1 }
                    findings.busy(picture.widget, false)
                    pictures.site.hold()
                    picture.setImage(Pictures.url(2))
                    findings.busy(picture.widget, true)
                    picture.cancel()
                    findings.busy(picture.widget, false)
                }
            },
            Check("A cell names its picture, and what went wrong") { findings in
                try await Pictures.with { pictures in
                    pictures.site.fail(1, with: 500)
                    let cell = PictureCell(pictures.images, size: PixelSize(width: 160, height: 120))
                    cell.show(PictureItem(url: Pictures.url(1), label: "A harbour"))
                    findings.label(of: cell.picture.widget, is: "A harbour")
                    try await findings.waits(for: "the failure") { cell.failure.error != nil }
                    findings.role(of: cell.failure.button, is: GTK_ACCESSIBLE_ROLE_BUTTON)
                    let wrong = check_accessible_text(
                        cell.failure.button, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "Server error (500)")
                    findings.expect(wrong == nil, wrong.map { String(cString: $0) } ?? "")
                    g_free(wrong)
                }
            },
        ]
    }
}

extension Findings {
    func role(of widget: WidgetPointer, is role: GtkAccessibleRole, line: Int = #line) {
        expect(check_has_role(widget, role), "the role is not \(role)", line: line)
    }

    func label(of widget: WidgetPointer, is label: String, line: Int = #line) {
        let wrong = check_accessible_text(widget, GTK_ACCESSIBLE_PROPERTY_LABEL, label)
        expect(wrong == nil, wrong.map { "the label is \(String(cString: $0)), not \(label)" } ?? "", line: line)
        g_free(wrong)
    }

    func busy(_ widget: WidgetPointer, _ isBusy: Bool, line: Int = #line) {
        let wrong = check_accessible_busy(widget, isBusy)
        expect(wrong == nil, "busy is not \(isBusy)", line: line)
        g_free(wrong)
    }
}
