import CSternaGTK
import CSternaLibWebKitGTK
import CSternaWebKitGTK
import SternaGTK

/// Passes the events of a WebKitWebView on to Swift, as long as the view lives.
@MainActor final class WebViewEvents {
    private weak var view: SessionWebView?

    init(_ view: SessionWebView) { self.view = view }

    func observe(_ widget: WidgetPointer) {
        var events = SternaWebKitEvents(
            progressed: { data, fraction in WebViewEvents.at(data) { $0.noteProgress(fraction) } },
            loaded: { data, event in
                if event == 3 { WebViewEvents.at(data) { $0.noteEnd() } }
            },
            failed: { data, uri, message, isCancelled in
                guard !isCancelled, let uri, let message else { return }
                let (page, reason) = (String(cString: uri), String(cString: message))
                WebViewEvents.at(data) { $0.noteFailure(page, reason) }
            },
            refuses: { data, uri, isNewWindow in
                guard let uri else { return true }
                let text = String(cString: uri)
                return WebViewEvents.at(data) { $0.refuses(text, isNewWindow: isNewWindow) } ?? true
            })
        sterna_webkit_observe(widget, &events, Unmanaged.passRetained(self).toOpaque()) { data in
            if let data { Unmanaged<WebViewEvents>.fromOpaque(data).release() }
        }
    }

    @discardableResult
    private nonisolated static func at<Result: Sendable>(
        _ data: UnsafeMutableRawPointer?, _ act: @MainActor (SessionWebView) -> Result
    ) -> Result? {
        guard let data else { return nil }
        let events = Unmanaged<WebViewEvents>.fromOpaque(data).takeUnretainedValue()
        return MainThread.run { events.view.map(act) }
    }
}
