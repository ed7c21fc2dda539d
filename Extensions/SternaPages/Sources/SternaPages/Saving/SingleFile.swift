public import NIOCore
import Sterna
public import SternaCore
import SternaPlatform
import SternaSerialization

extension WebPage {
    /// Returns the page as one document of HTML in UTF-8, its resources in `data:` URLs.
    ///
    /// A resource that is used twice stands in it twice. Style sheets that import each other end at an absolute URL.
    ///
    /// - Parameter limit: the maximum size in bytes; 256 MiB by default, 2 GiB at most.
    /// - Throws: `limitExceeded` for a larger one.
    public func singleFile(limit: Int = 256 << 20) throws(SternaError) -> Bytes {
        var maker = SingleFileMaker(page: self, limit: min(max(0, limit), 1 << 31))
        return try maker.make()
    }
}

/// Makes data URLs of resources, those first that others need.
private struct SingleFileMaker {
    let page: WebPage
    let limit: Int

    private enum State {
        /// Waits for what it needs; what it needs in turn gets its absolute URL.
        case making
        case made(String)
    }

    private var states: [Int: State] = [:]
    private var total = 0

    init(page: WebPage, limit: Int) {
        self.page = page
        self.limit = limit
    }

    mutating func make() throws(SternaError) -> Bytes {
        guard let first = page.loaded[0] else { return Bytes() }
        let rendering = PageRendering(page: page)
        // A stack of our own: each stays on it until what it needs is made.
        var stack = [0]
        while let id = stack.last, let resource = page.loaded[id] {
            switch states[id] {
            case nil:
                states[id] = .making
                stack += needed(by: resource).filter { states[$0] == nil }.reversed()
            case .making:
                stack.removeLast()
                guard id != 0 else { break }
                let url = try url(of: resource, rendering)
                total += url.utf8.count
                guard total <= 2 * limit else { throw tooLarge }
                states[id] = .made(url)
            case .made: stack.removeLast()
            }
        }
        return try content(of: first, rendering)
    }

    private func needed(by resource: LoadedResource) -> [Int] {
        resource.targets(longest: page.options.maxReferenceLength).compactMap { $0.flatMap { page.ids[$0.url] } }
    }

    private func url(of resource: LoadedResource, _ rendering: PageRendering) throws(SternaError) -> String {
        let content = try content(of: resource, rendering)
        guard content.count <= limit / 4 * 3 else { throw tooLarge }
        return "data:\(Self.type(of: resource));base64,\(Data(content.readableBytesView).base64EncodedString())"
    }

    /// Writes a resource, and counts before it does: a few references may stand for very much.
    private func content(of resource: LoadedResource, _ rendering: PageRendering) throws(SternaError) -> Bytes {
        var size = resource.size
        let content = rendering.content(of: resource) { id in
            guard case .made(let url) = states[id] else { return nil }
            let (sum, overflow) = size.addingReportingOverflow(url.utf8.count)
            size = overflow ? .max : sum
            return size <= limit ? url : ""
        }
        guard size <= limit, content.count <= limit else { throw tooLarge }
        return content
    }

    private var tooLarge: SternaError {
        SternaError(
            .limitExceeded, phase: .prepare,
            "The page as a single file has more than \(limit) bytes; save it into a folder.")
    }

    private static func type(of resource: LoadedResource) -> String {
        switch resource.content {
        case .document: return "text/html;charset=utf-8"
        case .sheet: return "text/css;charset=utf-8"
        case .data: break
        }
        let type = resource.mediaType?.essence ?? MediaType.ofFile(named: resource.url.path)
        let isPlain = type.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"'(),;<>\\".utf8.contains($0) }
        return isPlain ? type : "application/octet-stream"
    }
}
