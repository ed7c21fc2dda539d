import CSternaLibWebKitGTK
import CSternaWebKitGTK
public import Sterna
public import SternaGTK

/// A WebKitWebView whose pages come through a session: UIWebView+AFNetworking.
///
///     let view = SessionWebView(api)
///     view.progressed = { fraction in bar.show(fraction) }
///     try view.load("pages/welcome")
///
/// WebKitGTK does not let programs answer requests of `http` and `https`. Pages have the schemes `sterna-http` and `sterna-https` instead;
/// relative links, and links to pages, lead to these. A page cannot load other things from absolute URLs of `http` and `https`, unless
/// ``isConfined`` is off; then WebKit fetches them, past the session.
///
/// The session's cookies, credentials and cache are used; WebKit keeps nothing. A session with a base URL refuses other origins, unless its
/// `allowsOtherOrigins` is on.
@MainActor public final class SessionWebView {
    /// The WebKitWebView.
    public var widget: WidgetPointer { reference.raw.assumingMemoryBound(to: GtkWidget.self) }

    /// How much of the page has been loaded, between 0 and 1, as WebKit estimates it.
    public private(set) var progress = 0.0

    /// Called with ``progress`` when it changes.
    public var progressed: (@MainActor (Double) -> Void)?

    /// Called at the end of each load, with the error if it failed.
    public var loaded: (@MainActor (SternaError?) -> Void)?

    /// Called for links that the view does not follow: to other schemes, and to new windows.
    public var refused: (@MainActor (String) -> Void)?

    /// Whether pages load everything through the session; yes by default. It holds for pages that are loaded afterwards.
    public var isConfined: Bool {
        get { loader.isConfined }
        set { loader.isConfined = newValue }
    }

    private let session: Session
    private let reference: ObjectReference
    private let loader: WebViewLoader
    private var failure: SternaError?

    /// Makes an empty view.
    public init(_ session: Session) {
        self.session = session
        let context: OpaquePointer = webkit_web_context_new()
        loader = WebViewLoader(session)
        reference = ObjectReference(sinking: sterna_webkit_view(context))
        loader.register(in: context)
        g_object_unref(UnsafeMutableRawPointer(context))
        loader.moved = { [weak self] url in self?.show(url) }
        loader.shown = { [weak self] in self?.shownURL }
        WebViewEvents(self).observe(widget)
    }

    isolated deinit { loader.cancel() }

    // MARK: Loading

    /// Loads a page, relative to the session's base URL or absolute. Throws what the session throws for a URL that it does not ask for.
    public func load(_ reference: some URLConvertible) throws {
        let url = try session.request(for: RequestDraft(.get, reference)).url
        loader.cancel()
        show(url)
    }

    /// Loads the page again.
    public func reload() { webkit_web_view_reload(view) }

    /// Ends the load.
    public func stop() {
        webkit_web_view_stop_loading(view)
        loader.cancel()
    }

    /// Goes to the page before, if there is one.
    public func goBack() { webkit_web_view_go_back(view) }

    /// Goes to the page after, if there is one.
    public func goForward() { webkit_web_view_go_forward(view) }

    /// The URL of the page; nil if there is none.
    public var url: HTTPURL? { shownURL.flatMap { WebViewURL.asked($0) } }

    /// The title of the page; nil if it has none.
    public var title: String? { webkit_web_view_get_title(view).map { String(cString: $0) } }

    /// Whether a page is being loaded.
    public var isLoading: Bool { webkit_web_view_is_loading(view) != 0 }

    private var view: UnsafeMutablePointer<WebKitWebView> {
        reference.raw.assumingMemoryBound(to: WebKitWebView.self)
    }

    private var shownURL: String? { webkit_web_view_get_uri(view).map { String(cString: $0) } }

    private func show(_ url: HTTPURL) { webkit_web_view_load_uri(view, WebViewURL.shown(url)) }

    // MARK: Events

    func noteProgress(_ fraction: Double) {
        progress = fraction
        progressed?(fraction)
    }

    func noteEnd() {
        let failure = self.failure.take()
        loaded?(failure)
    }

    func noteFailure(_ uri: String, _ message: String) {
        failure =
            loader.takeError(of: uri)
            ?? SternaError(.unacceptableResponse, phase: .read, "WebKit could not show the page: \(message)")
    }

    /// Decides on a link; returns whether WebKit must not load it itself.
    func refuses(_ uri: String, isNewWindow: Bool) -> Bool {
        if WebViewURL.asked(uri) != nil, !isNewWindow { return false }
        if uri.hasPrefix("about:") || uri.hasPrefix("data:") || uri.hasPrefix("blob:") { return isNewWindow }
        if let url = WebViewURL.http(uri), !isNewWindow { show(url) } else { refused?(uri) }
        return true
    }
}
