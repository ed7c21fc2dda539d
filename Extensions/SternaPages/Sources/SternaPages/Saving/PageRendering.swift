import NIOCore
import SternaCore

/// Writes what was loaded with other references.
struct PageRendering {
    let page: WebPage

    /// Returns a resource's content with the references that a closure makes.
    ///
    /// - Parameter reference: returns what leads to a resource by its number; nil for its absolute URL.
    func content(of resource: LoadedResource, _ reference: (Int) -> String?) -> Bytes {
        switch resource.content {
        case .data(let bytes): return bytes
        case .sheet(let bytes):
            return Bytes(copying: CSSReferences.rewrite(bytes) { replacement(of: $0, in: resource, reference)?.text })
        case .document(let document):
            let new = HTMLWalker().rewrite(document) { replacement(of: $0, in: resource, reference) }
            return Bytes(text: HTMLWriter.text(of: new))
        }
    }

    private func replacement(
        of use: ReferenceUse, in resource: LoadedResource, _ reference: (Int) -> String?
    ) -> HTMLWalker.Replacement? {
        switch ReferenceRule.target(use, in: resource.location, longest: page.options.maxReferenceLength) {
        case .kept, .tooLong: return nil
        case .absolute(let text): return HTMLWalker.Replacement(text: text)
        case .resource(let url, let fragment):
            let suffix = fragment.map { "#\($0)" } ?? ""
            if let id = page.ids[url], let text = reference(id) {
                return HTMLWalker.Replacement(text: text + suffix, isSaved: true)
            }
            return HTMLWalker.Replacement(text: url.description + suffix)
        }
    }
}
