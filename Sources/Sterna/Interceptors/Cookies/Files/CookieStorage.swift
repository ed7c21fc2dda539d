import SternaCore
import SternaPlatform

/// The file of a jar, whose content is merged with the jar's cookies at each read and write.
struct CookieStorage: MergedFileFormat {
    let file: PrivateFile
    let format: CookieSnapshot.FileFormat
    var now: @Sendable () -> CookieTime = { CookieTime.now }
    private let suffixes: PublicSuffixList

    init(path: String, format: CookieSnapshot.FileFormat, suffixes: PublicSuffixList = .builtIn) {
        file = PrivateFile(path: path, title: "The file of cookies")
        self.format = format
        self.suffixes = suffixes
    }

    /// The absolute path, without redundant components.
    var absolutePath: String { Self.absolute(file.path, in: FileManager.default.currentDirectoryPath) }

    static func absolute(_ path: String, in folder: String) -> String {
        let whole = path.utf8.first == UInt8(ascii: "/") ? path : "\(folder)/\(path)"
        let parts = whole.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
        return "/" + parts.joined(separator: "/")
    }

    /// The jar's content, to be merged with the file's.
    struct Content: Sendable {
        var state: CookieJarState
        var lines = CookieLines()
        /// The cookies that the last save left out.
        var unsaved: [Cookie] = []
    }

    func read() throws(SternaError) -> CookieFile {
        try file.read(upTo: CookieSnapshot.JSONLimits.bytes) { content throws(FileFault) in
            do throws(CookieFault) {
                switch format {
                case .json: return try CookieFile(parsing: content.bytes)
                case .cookiesText:
                    let text = try CookiesText(parsing: content.bytes, suffixes: suffixes, now: now())
                    guard text.isOne else { throw CookieFault(reason: "this is no cookies.txt") }
                    return CookieFile(cookies: text.cookies, text: text)
                }
            } catch {
                throw FileFault("\(error.reason); name another file, or remove it")
            }
        } ?? CookieFile(cookies: [])
    }

    func merge(_ saved: CookieFile, into content: inout Content) {
        var saved = saved
        if !content.state.keepsSessionCookies { saved.cookies.removeAll(where: \.isSessionOnly) }
        switch format {
        case .json: content.state.merge(saved, now: now())
        case .cookiesText: content.state.merge(lines: saved.cookies, since: &content.lines, now: now())
        }
    }

    func write(_ content: Content, over saved: CookieFile) throws(SternaError) -> (inout Content) -> Void {
        let new = content.state.file(now: now())
        let leftOut = try write(new, over: saved)
        guard format == .cookiesText else { return { _ in } }
        let missing = Set(leftOut.map { CookieRemovals.Key($0) })
        let lines = CookieLines(new.cookies.filter { !missing.contains(.init($0)) })
        return { current in
            current.lines = lines
            current.unsaved = leftOut
            current.state.forgetRemovals(of: content.state)
        }
    }

    /// Replaces the file's content if it differs from the jar's. Throws `writeFailed`.
    ///
    /// - Returns: the cookies that the format cannot represent.
    @discardableResult
    func write(_ new: CookieFile, over saved: CookieFile) throws(SternaError) -> [Cookie] {
        do throws(FileFault) {
            let bytes: [UInt8]
            var leftOut: [Cookie] = []
            switch format {
            case .json:
                guard new != saved else { return [] }
                bytes = new.json()
            case .cookiesText:
                let text = (saved.text ?? CookiesText()).replacing(by: new.cookies)
                leftOut = text.leftOut
                guard let changed = text.bytes else { return leftOut }
                bytes = changed
            }
            // Reading has the same limits.
            guard bytes.count <= CookieSnapshot.JSONLimits.bytes, new.cookies.count <= CookieSnapshot.JSONLimits.cookies
            else {
                throw FileFault("there are too many cookies")
            }
            try file.replace(bytes)
            return leftOut
        } catch {
            throw file.unwritable(error)
        }
    }
}
