import NIOCore
public import Sterna
public import SternaCore
import SternaPlatform

extension WebPage {
    /// What is done about files that exist.
    public enum Existing: Sendable, Hashable, CaseIterable {
        /// Saving fails if the page's file or its folder of resources exists.
        case fail
        /// Files of the same names are replaced; others in the folder stay.
        case replace
    }

    /// The files of a saved page.
    public struct Files: Sendable, Hashable {
        /// The path of the page.
        public let path: String

        /// The path of the folder with its resources; nil if there are none.
        public let resourceFolder: String?

        /// The number of all files.
        public let count: Int

        /// The bytes of all files.
        public let bytes: Int
    }

    /// Saves the page and its resources into a folder: `page.html`, and the resources in `page_files`.
    ///
    /// The page's file appears when all resources are there. If saving fails or the task is cancelled, new files are removed; those
    /// that took the place of others stay, and so does the folder.
    /// Symbolic links within the folder are not followed.
    ///
    /// - Parameters:
    ///   - folder: the folder; it is created if it does not exist.
    ///   - name: the name of the page's file, in which characters that file systems dislike are replaced.
    ///   - existing: what is done about files that exist; by default saving fails.
    /// - Throws: `destinationUnusable` with the reason, `cancelled`.
    @discardableResult
    public func save(
        to folder: some FileReference, name: String = "page.html", existing: Existing = .fail
    ) throws(SternaError) -> Files {
        let names = PageFileNames(name)
        let writer = try FolderWriter(folder: try folder.filePath(), names: names, existing: existing)
        defer { writer.close() }
        do throws(SternaError) {
            let rendering = PageRendering(page: self)
            var bytes = 0
            if !self.names.isEmpty {
                try writer.makeResourceFolder()
                for (id, file) in self.names.sorted(by: { $0.key < $1.key }) {
                    guard !Task.isCancelled else { throw SternaError.cancelled(phase: .read) }
                    guard let resource = loaded[id] else { continue }
                    let content = rendering.content(of: resource) { other in
                        other == 0 ? "../\(names.page)" : self.names[other]
                    }
                    try writer.write(content, resource: file)
                    bytes += content.count
                }
            }
            guard let first = loaded[0], !Task.isCancelled else { throw SternaError.cancelled(phase: .read) }
            let content = rendering.content(of: first) { id in
                id == 0 ? names.page : self.names[id].map { "\(names.folder)/\($0)" }
            }
            try writer.write(page: content)
            return Files(
                path: writer.path(names.page),
                resourceFolder: self.names.isEmpty ? nil : writer.path(names.folder), count: self.names.count + 1,
                bytes: bytes + content.count)
        } catch {
            writer.removeAll()
            throw error
        }
    }
}

/// The names of a page's file and of its folder.
struct PageFileNames: Sendable, Hashable {
    let page: String
    let folder: String

    /// Takes a name without what would lead elsewhere, hide the file or need an escape in a reference.
    init(_ name: String) {
        let start = name.utf8.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        var text = ""
        for byte in name.utf8[(start.map { name.utf8.index(after: $0) } ?? name.utf8.startIndex)...].prefix(200) {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "."), UInt8(ascii: "-"):
                if !text.isEmpty { text.unicodeScalars.append(Unicode.Scalar(byte)) }
            default: if !text.isEmpty, !text.hasSuffix("-") { text += "-" }
            }
        }
        text = String(text.prefix(100))
        for ending in [".html", ".htm", ".xhtml"] where text.lowercased().hasSuffix(ending) {
            text = String(text.dropLast(ending.count))
        }
        while text.hasSuffix(".") { text = String(text.dropLast()) }
        if text.isEmpty { text = "page" }
        page = "\(text).html"
        folder = "\(text)_files"
    }
}
