import CSternaLibGTK
import PictureSite
import Sterna
import SternaGTK
import SternaReachability
import SternaTesting

/// Spinner, progress bar and refresh action follow tasks.
@MainActor enum TaskChecks {
    static var all: [Check] {
        [
            Check("A spinner spins while its task runs, and stands still while that is suspended") { findings in
                try await Pictures.with { pictures in
                    pictures.site.hold()
                    let spinner = TaskSpinner()
                    findings.expect(gtk_widget_get_visible(spinner.widget), is: 0)
                    let task = pictures.api.dataTask(.get("pictures/1.png"))
                    spinner.follow(task)
                    findings.expect(
                        spinner.isSpinning && gtk_spinner_get_spinning(OpaquePointer(spinner.widget)) != 0,
                        "it stands still")
                    task.suspend()
                    try await findings.waits(for: "the suspension") { !spinner.isSpinning }
                    task.resume()
                    try await findings.waits(for: "the task going on") { spinner.isSpinning }
                    pictures.site.release()
                    try await findings.waits(for: "the end") { !spinner.isSpinning }
                    findings.expect(gtk_widget_get_visible(spinner.widget), is: 0)
                    spinner.follow(task)
                    findings.expect(!spinner.isSpinning, "it spins for a task that has ended")
                }
            },
            Check("A badge shows the network as it comes and goes") { findings in
                let network = TestNetwork(.wifi)
                var options = ReachabilityOptions()
                options.settlingTime = .zero
                let badge = ReachabilityBadge(network.reachability(options: options))
                findings.label(of: badge.widget, is: "unknown")
                try await findings.waits(for: "the first answer") { badge.text == "reachable by Wi-Fi" }
                network.lose()
                try await findings.waits(for: "the loss") { badge.text == "not reachable" }
                findings.label(of: badge.widget, is: "not reachable")
                network.connect(by: .cable)
                try await findings.waits(for: "the return") { badge.path?.link == .cable }
                findings.label(of: badge.widget, is: "reachable by cable")
            },
            Check("A spinner that follows another task forgets the first") { findings in
                try await Pictures.with { pictures in
                    pictures.site.hold()
                    let spinner = TaskSpinner()
                    let (one, other) = (
                        pictures.api.dataTask(.get("pictures/1.png")), pictures.api.dataTask(.get("pictures/2.png"))
                    )
                    spinner.follow(one)
                    spinner.follow(other)
                    one.cancel()
                    _ = try? await one.value
                    try await Task.sleep(for: .milliseconds(20))
                    findings.expect(spinner.isSpinning, "the first task stopped it")
                    spinner.follow(nil)
                    findings.expect(!spinner.isSpinning, "it spins without a task")
                    other.cancel()
                }
            },
            Check("A bar shows the progress of a download") { findings in
                try await Pictures.with { pictures in
                    let gate = Gate()
                    pictures.site.server.route("GET", "/half") { _ in
                        ServerResponse(
                            body: .stream(length: 2_000) { writer in
                                try await writer.write([UInt8](repeating: 7, count: 1_000))
                                await gate.pass()
                                try await writer.write([UInt8](repeating: 7, count: 1_000))
                            })
                    }
                    let bar = TaskProgressBar(label: "Download")
                    let task = pictures.api.dataTask(.get("half"))
                    bar.follow(downloadOf: task)
                    try await findings.waits(for: "one half") {
                        gtk_progress_bar_get_fraction(OpaquePointer(bar.widget)) == 0.5
                    }
                    findings.expect(bar.progress?.total, is: 2_000)
                    gate.open()
                    try await findings.waits(for: "the whole") {
                        gtk_progress_bar_get_fraction(OpaquePointer(bar.widget)) == 1
                    }
                    bar.clear()
                    findings.expect(gtk_progress_bar_get_fraction(OpaquePointer(bar.widget)), is: 0)
                }
            },
            Check("A bar pulses while the length is not known, and is full at the end, or empty after a failure") {
                findings in
                try await Pictures.with { pictures in
                    for fails in [false, true] {
                        let gate = Gate()
                        pictures.site.server.route("GET", "/unknown") { _ in
                            ServerResponse(
                                body: .stream(length: nil) { writer in
                                    try await writer.write([UInt8](repeating: 7, count: 1_000))
                                    await gate.pass()
                                    if fails { throw CancellationError() }
                                    try await writer.write([UInt8](repeating: 7, count: 1_000))
                                })
                        }
                        let bar = TaskProgressBar(label: "Download")
                        let task = pictures.api.dataTask(.get("unknown"))
                        bar.follow(downloadOf: task)
                        try await findings.waits(for: "the pulse") { pulses(bar) }
                        findings.expect(bar.progress?.total == nil, "the length is known")
                        gate.open()
                        try await findings.waits(for: "the end") { !pulses(bar) }
                        findings.expect((try? await task.value) == nil, is: fails)
                        findings.expect(gtk_progress_bar_get_fraction(OpaquePointer(bar.widget)), is: fails ? 0 : 1)
                    }
                }
            },
            Check("A bar shows the progress of an upload") { findings in
                try await Pictures.with { pictures in
                    let bar = TaskProgressBar(label: "Upload")
                    let task = pictures.api.uploadTask(
                        .post("post", body: .bytes([UInt8](repeating: 1, count: 300_000))))
                    bar.follow(uploadOf: task)
                    try await findings.waits(for: "the whole") {
                        gtk_progress_bar_get_fraction(OpaquePointer(bar.widget)) == 1
                    }
                    findings.expect(bar.progress?.completed, is: 300_000)
                    _ = try await task.value
                }
            },
            Check("A refresh is disabled while its task runs, and says how it ended") { findings in
                try await Pictures.with { pictures in
                    pictures.site.hold()
                    var (begun, errors) = (0, [SternaError?]())
                    let refresh = RefreshAction(label: "Refresh") {
                        begun += 1
                        return pictures.api.dataTask(.get("pictures/\(begun).png"))
                    }
                    refresh.ended = { errors.append($0) }
                    pictures.site.fail(2, with: 500)
                    g_action_activate(refresh.action, nil)
                    findings.expect(
                        refresh.isRefreshing && g_action_get_enabled(refresh.action) == 0, "it is not under way")
                    g_action_activate(refresh.action, nil)
                    refresh.refresh()
                    findings.expect(begun, is: 1)
                    findings.expect(gtk_widget_get_sensitive(refresh.widget), is: 0)
                    pictures.site.release()
                    try await findings.waits(for: "the end") { !refresh.isRefreshing }
                    findings.expect(errors.count == 1 && errors[0] == nil, "\(errors)")
                    findings.expect(gtk_widget_get_sensitive(refresh.widget), is: 1)
                    refresh.refresh()
                    try await findings.waits(for: "the second end") { errors.count == 2 }
                    findings.expect(errors[1]?.kind, is: .unacceptableStatus)
                }
            },
            Check("A refresh is begun by the keyboard") { findings in
                try await Pictures.with { pictures in
                    var begun = 0
                    let refresh = RefreshAction(label: "Refresh") {
                        begun += 1
                        return pictures.api.dataTask(.get("pictures/1.png"))
                    }
                    let window = TestWindow(refresh.widget, width: 100, height: 80)
                    try await window.frames(2)
                    try await window.press("Tab", "space")
                    try await findings.waits(for: "the task") { begun == 1 && !refresh.isRefreshing }
                }
            },
        ]
    }

    /// Whether GTK draws the bar as one that pulses: its part within the trough has the class then.
    private static func pulses(_ bar: TaskProgressBar) -> Bool {
        guard let trough = gtk_widget_get_last_child(bar.widget), let part = gtk_widget_get_first_child(trough) else {
            return false
        }
        return gtk_widget_has_css_class(part, "pulse") != 0
    }

    /// Holds a response back.
    private final class Gate: Sendable {
        private let stream: AsyncStream<Void>
        private let opener: AsyncStream<Void>.Continuation

        init() { (stream, opener) = AsyncStream<Void>.makeStream() }

        func pass() async { for await _ in stream { return } }

        func open() { opener.finish() }
    }
}
