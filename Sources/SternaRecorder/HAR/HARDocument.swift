public import SternaCore
public import SternaSerialization

/// A log of HTTP exchanges in the format HAR 1.2, as browsers, proxies and ``HARDocument/serialized(showsSecrets:)`` write it.
///
///     let har = try HARDocument(file: "session.har")
///     for entry in har.entries { print(entry.request.method, entry.request.url, entry.response.status) }
///
/// A document, and each value in it, is a view of its JSON object: members that this type does not name, such as those of other
/// programs, stay in ``json`` and are written again. Custom members begin with an underscore.
public struct HARDocument: Sendable, Hashable {
    /// The document's entries, in the order of the file.
    public var entries: [Entry]

    // The document with an empty list of entries.
    var frame: JSON

    /// The limits of a file: 512 MiB, twenty million values, and 128 levels of nesting.
    public static let parseLimits = JSON.ParseLimits(depth: 128, bytes: 512 << 20, values: 20_000_000)

    /// The default limit of the number of entries: 100,000.
    public static let maximumEntries = 100_000

    /// The maximum number of header fields of a message that is made of an entry; `HTTPFields` has less than 65,536.
    static let mostFields = 10_000

    /// Makes a document of version 1.2.
    ///
    /// - Parameters:
    ///   - entries: the entries; none by default.
    ///   - creator: the name of the program that writes the document.
    ///   - version: the version of that program.
    public init(entries: [Entry] = [], creator: String = "Sterna", version: String = "1") {
        self.entries = entries
        frame = [
            "log": ["version": "1.2", "creator": ["name": JSON(creator), "version": JSON(version)], "entries": []]
        ]
    }

    /// Reads a document from JSON.
    ///
    /// A byte order mark is skipped. Optional members may be missing, also some that the format requires but programs leave out; an
    /// entry needs a request with a method and a URL.
    ///
    /// - Parameters:
    ///   - limits: the limits of the JSON; ``parseLimits`` by default.
    ///   - entries: the maximum number of entries; ``maximumEntries`` by default.
    /// - Throws: `decodingFailed` with the place of the fault, and `limitExceeded` for more entries.
    public init(
        parsing bytes: some Sequence<UInt8>, limits: JSON.ParseLimits = parseLimits, entries: Int = maximumEntries
    ) throws(SternaError) {
        let tree: JSON
        do throws(JSON.ParseError) {
            tree = try JSON(parsing: bytes, limits: limits)
        } catch {
            throw SternaError(.decodingFailed, phase: .decode, "The HAR document is not valid JSON: \(error).")
        }
        try self.init(tree, maximumEntries: entries)
    }

    /// Makes a document from its JSON tree, by the rules of ``init(parsing:limits:entries:)``.
    ///
    /// - Throws: `decodingFailed` with the place of the fault, and `limitExceeded` for too many entries.
    public init(_ tree: JSON, maximumEntries: Int = maximumEntries) throws(SternaError) {
        guard tree["log"].object != nil, let list = tree["log"]["entries"].array else {
            throw Self.malformed("It has no list of entries at log.entries.")
        }
        guard list.count <= maximumEntries else {
            throw SternaError(
                .limitExceeded, phase: .decode,
                "The HAR document has \(list.count) entries, more than \(maximumEntries).")
        }
        for (index, entry) in list.enumerated() {
            let request = entry["request"]
            guard request["method"].string != nil, request["url"].string != nil else {
                throw Self.malformed("Entry \(index + 1) has no request with a method and a URL.")
            }
        }
        entries = list.map(Entry.init)
        frame = tree
        frame["log"]["entries"] = []
    }

    /// Reads a document from a file, on the calling thread.
    ///
    /// - Throws: `fileUnreadable`, also for a file beyond the limit, and the errors of ``init(parsing:limits:entries:)``.
    public init(
        file path: String, limits: JSON.ParseLimits = parseLimits, entries: Int = maximumEntries
    ) throws(SternaError) {
        let file = PrivateFile(path: path, title: "The HAR file")
        let content: PrivateFile.Content
        do throws(FileFault) {
            guard let found = try file.load(upTo: limits.bytes == .max ? .max - 1 : limits.bytes, followsLinks: true)
            else {
                throw FileFault("it does not exist")
            }
            content = found
        } catch {
            throw file.unreadable(error)
        }
        try self.init(parsing: content.bytes, limits: limits, entries: entries)
    }

    /// The document as a JSON tree.
    public var json: JSON {
        var tree = frame
        tree["log"]["entries"] = .array(entries.map(\.json))
        return tree
    }

    /// The members of the log other than its entries: version, creator, browser, pages, comment and custom ones.
    ///
    /// An assigned value's `entries` are ignored.
    public var log: JSON {
        get { frame["log"] }
        set {
            var log = newValue
            log["entries"] = []
            frame["log"] = log
        }
    }

    /// Writes the document as JSON, with two spaces of indentation. Equal documents, made alike, have equal bytes.
    ///
    /// Characters that a terminal or a web page interprets (other controls, direction overrides, `<`) are written as escapes of
    /// JSON, which readers undo.
    ///
    /// - Parameter showsSecrets: whether to keep credentials, which are replaced by `***` otherwise; see ``redacted()``.
    /// - Throws: `encodingFailed` for a number that is not finite, or a tree that is nested too deeply.
    public func serialized(showsSecrets: Bool = false) throws(SternaError) -> [UInt8] {
        let document = showsSecrets ? self : redacted()
        do throws(ParameterError) {
            return HARText.harmless(try document.json.serialized(.pretty)) + [UInt8(ascii: "\n")]
        } catch {
            throw SternaError(.encodingFailed, phase: .prepare, "The HAR document cannot be written: \(error).")
        }
    }

    /// Writes the document to a file that only its owner can read, replaced as a whole, on the calling thread.
    ///
    /// - Parameter showsSecrets: whether to keep credentials; see ``serialized(showsSecrets:)``.
    /// - Throws: `writeFailed`, and `encodingFailed`.
    public func write(to path: String, showsSecrets: Bool = false) throws(SternaError) {
        try PrivateFile(path: path, title: "The HAR file").write(serialized(showsSecrets: showsSecrets))
    }

    private static func malformed(_ detail: String) -> SternaError {
        SternaError(.decodingFailed, phase: .decode, "The file is not a HAR document. \(detail)")
    }
}
