import Sterna
import SternaGTK
import SternaWebKitGTK

/// The example of docs/GTK.md about web views, and the rows of docs/Migrating/AFNetworking.md.
@MainActor enum MigratingWebViewTests {
    /// Returns whether the page was loaded.
    static func example(_ api: Session) async throws -> Bool {
        let view = SessionWebView(api)
        view.progressed = { fraction in print("\(Int(fraction * 100))%") }
        view.loaded = { error in print(error?.message ?? "loaded") }
        try view.load("plain")

        for _ in 0..<500 where view.progress < 1 { try await Task.sleep(for: .milliseconds(10)) }
        return view.title == "Plain"
    }

    static func rows(_ api: Session) throws {
        let view = SessionWebView(api)
        view.progressed = { fraction in print(fraction) }
        view.loaded = { error in print(error ?? "done") }
        try view.load("plain")
        view.stop()
    }
}
