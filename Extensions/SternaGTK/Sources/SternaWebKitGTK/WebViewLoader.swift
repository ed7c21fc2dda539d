import CSternaLibWebKitGTK
import CSternaWebKitGTK
import Sterna
import SternaGTK
import SternaPlatform

/// Answers the requests of a view by a session.
@MainActor final class WebViewLoader {
    /// The bytes of a request's body at most; those of responses are limited by the session's `collectedBytes`.
    private static let longestBody: Int64 = 64 << 20

    var isConfined = true

    /// Called when the page has moved, so that the view shows its URL.
    var moved: (@MainActor (HTTPURL) -> Void)?

    /// The URL that the view loads or shows.
    var shown: (@MainActor () -> String?)?

    private let session: Session

    /// The session without what identifies its user, for requests of pages to other origins.
    private let anonymous: Session

    /// Whether the session has a cookie jar; without one, a request that names its site fails.
    private let hasCookies: Bool
    private var tasks: [UInt64: DataTask] = [:]
    private var errors: [String: SternaError] = [:]

    /// Pages that a redirect led to, until the view asks for them.
    private var ready: [HTTPURL: Reply] = [:]

    init(_ session: Session) {
        var hasCookies = false
        // Pages of any status are shown.
        self.session = session.with {
            hasCookies = $0.cookies.jar != nil
            $0.responseSerializer = DataResponseSerializer(validation: ResponseValidation(statuses: 100..<1000))
            $0.tasks.startsImmediately = true
        }
        anonymous = self.session.with { $0.removeIdentity() }
        self.hasCookies = hasCookies
    }

    /// Answers the requests of a context.
    func register(in context: OpaquePointer) {
        for scheme in WebViewURL.schemes {
            sterna_webkit_register(
                context, WebViewURL.prefix + scheme, scheme == "https",
                { data, request in
                    guard let data, let request else { return }
                    let relay = Unmanaged<Relay>.fromOpaque(data).takeUnretainedValue()
                    let pointer = GObjectPointer(raw: UnsafeMutableRawPointer(request))
                    MainThread.run { relay.loader?.answer(pointer) }
                }, Unmanaged.passRetained(Relay(self)).toOpaque()
            ) { data in
                if let data { Unmanaged<Relay>.fromOpaque(data).release() }
            }
        }
    }

    /// Does not keep the loader, which a context would.
    @MainActor private final class Relay {
        weak var loader: WebViewLoader?

        init(_ loader: WebViewLoader) { self.loader = loader }
    }

    /// Cancels what is under way.
    func cancel() {
        for task in tasks.values { task.cancel() }
        (tasks, errors, ready) = ([:], [:], [:])
    }

    /// Returns why a URL of the view could not be loaded.
    func takeError(of uri: String) -> SternaError? { errors.removeValue(forKey: uri) }

    // MARK: Answering

    private func answer(_ pointer: GObjectPointer) {
        let request = WebViewRequest(pointer)
        guard let url = WebViewURL.asked(request.uri) else { return request.fail("The URL is none of http.") }
        if request.method == "GET", let reply = ready.removeValue(forKey: url.replacingFragment(nil)) {
            return request.answer(reply, isConfined: isConfined)
        }
        guard let body = request.body(upTo: Self.longestBody) else {
            return request.fail("The body of the request is too long, or cannot be read.")
        }
        guard let method = Request.Method(rawValue: request.method) else { return request.fail("The method is none.") }
        let headers = WebViewFields.asked(request.fields)
        let asker = WebViewAsker(
            url, request.method, origin: headers["Origin"], page: shown?(), isNamed: shown?() == request.uri)
        var draft = RequestDraft(method, url, headers: headers)
        if !body.isEmpty { draft.body = .bytes(body) }
        if asker.isForeign {
            draft.settings.cookies.isOn = false
        } else if hasCookies, let site = asker.site {
            draft.settings.cookies.site = site
        }
        let isPage = asker.isPage
        let task = (asker.isForeign ? anonymous : session).dataTask(draft)
        tasks[task.id] = task
        Task { [weak self] in
            do {
                let reply = try await task.value
                self?.finish(request, url, reply, isPage: isPage)
            } catch {
                let failure = SternaError.wrap(error, as: .unacceptableResponse, phase: .read, "\(error)")
                if isPage { self?.errors[request.uri] = failure }
                request.fail(failure.message)
            }
            self?.tasks[task.id] = nil
        }
    }

    private func finish(_ request: WebViewRequest, _ url: HTTPURL, _ reply: Reply, isPage: Bool) {
        let end = reply.url.replacingFragment(nil)
        // WebKit would take the answer for one of the origin that was asked, and let that origin's scripts read it.
        guard isPage || end.origin == url.origin else {
            return request.fail("The server leads to another origin, which only a page may follow.")
        }
        guard isPage, end != url.replacingFragment(nil) else { return request.answer(reply, isConfined: isConfined) }
        // WebKit would resolve the page's links by the URL that it asked for.
        ready[end] = reply
        moved?(reply.url)
        request.fail("The page has moved.")
    }
}
