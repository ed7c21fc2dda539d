import HTTPTypes
import NIOCore
import Sterna
import SternaPages
import SternaPlatform

/// Loads and saves the page of a command line.
struct PageJob {
    let command: TernPage

    /// Fields that servers of resources may see, too.
    private static let shared: Set<String> = ["accept", "accept-language", "referer", "user-agent"]

    func run() async throws {
        let url = try Self.url(command.url)
        try checkDestination()
        let session = try Self.session(for: url, try command.fields())
        let display = ProgressLine(isEnabled: !command.silent)
        let page: WebPage
        do {
            page = try await session.page(url, options: options, progress: { display.show($0) })
        } catch {
            display.clear()
            throw error
        }
        display.clear()
        report(page)
        if let file = command.single {
            try Self.write(try page.singleFile(), to: file, replaces: command.replace)
            say("Saved the page with \(page.resources.count) resources as \(file)")
        } else if let folder = command.folder {
            let files = try page.save(to: folder, existing: command.replace ? .replace : .fail)
            say("Saved \(files.path) and \(files.count - 1) resources, \(files.bytes) bytes")
        }
    }

    private var options: PageOptions {
        var options = PageOptions()
        options.origins = command.sameOrigin ? .sameOrigin : .all
        options.depth = command.depth
        options.maxResources = command.maxResources
        options.maxTotalBytes = command.maxBytes
        options.allowsInsecureResources = command.insecureResources
        options.failsAtFirstError = command.fail
        return options
    }

    /// A session whose fields go to the page's origin alone, but for the open ones.
    private static func session(for url: HTTPURL, _ fields: [(name: String, value: String)]) throws -> Session {
        try Session(baseURL: url.origin.description) { settings in
            for field in fields {
                settings.headers[field.name] = field.value
                if !shared.contains(field.name.lowercased()) { settings.auth.secretHeaders.insert(field.name) }
            }
            settings.network.allowsOtherOrigins = true
        }
    }

    /// Parses the URL; throws `invalidURL` for any scheme but http and https.
    private static func url(_ text: String) throws(SternaError) -> HTTPURL {
        let text = text.contains("://") ? text : text.hasPrefix(":") ? "http://localhost\(text)" : "http://\(text)"
        do {
            let url = try HTTPURL(text)
            if url.scheme == .http || url.scheme == .https { return url }
        } catch {
            throw SternaError(.invalidURL, phase: .prepare, "\(error)", underlying: error)
        }
        throw SternaError(.invalidURL, phase: .prepare, "Pages are fetched from http:// and https:// URLs.")
    }

    private func report(_ page: WebPage) {
        guard !command.silent else { return }
        for failure in page.failures { Console.complain("Not saved: \(failure)") }
        if page.failureCount > page.failures.count {
            Console.complain("\(page.failureCount - page.failures.count) more resources were not saved.")
        }
        if page.skippedCount > 0 {
            Console.complain(
                "\(page.skippedCount) resources were left out by the options: \(page.skipped[0].error.detail)")
        }
    }

    private func say(_ text: String) { if !command.silent { Console.say(text) } }

    // MARK: One file

    private func checkDestination() throws(SternaError) {
        guard let file = command.single, !command.replace, access(file, F_OK) == 0 else { return }
        throw Self.unusable(file, "it exists")
    }

    /// Writes beside the file, and moves the whole to its place.
    private static func write(_ bytes: Bytes, to file: String, replaces: Bool) throws(SternaError) {
        let temporary = "\(file).sterna-new"
        // What a process that was killed has left; a link is removed, not followed.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw unusable(file, String(cString: strerror(errno))) }
        defer { unlink(temporary) }
        var code = Console.writeAll(bytes, to: descriptor)
        if close(descriptor) != 0, code == 0 { code = errno }
        guard code == 0 else { throw unusable(file, String(cString: strerror(code))) }
        if Task.isCancelled { throw SternaError.cancelled(phase: .read) }
        // A link fails where the name is taken, which a renaming does not.
        if !replaces, link(temporary, file) == 0 { return }
        code = replaces ? 0 : errno
        // Some file systems have no links.
        guard code != EEXIST, replaces || access(file, F_OK) != 0, rename(temporary, file) == 0 else {
            throw unusable(file, code == EEXIST ? "it exists" : String(cString: strerror(errno)))
        }
    }

    private static func unusable(_ file: String, _ reason: String) -> SternaError {
        SternaError(.destinationUnusable, phase: .prepare, "“\(Console.clean(file))” cannot be written: \(reason).")
    }
}
