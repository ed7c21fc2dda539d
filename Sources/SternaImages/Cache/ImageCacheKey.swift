import HTTPTypes
public import SternaCore

/// Identifies an image in a cache: by its request and how the file was processed, or by a name of the program.
public struct ImageCacheKey: Sendable, Hashable {
    private enum Source: Sendable, Hashable {
        case name
        case request(ImageRequestKey)
    }

    private let source: Source
    private let identifier: String?

    /// Creates a key from a name of the program.
    public init(_ identifier: String) { (source, self.identifier) = (.name, identifier) }

    /// Creates the key of a request's image from the request's method, URL without fragment, and header fields.
    ///
    /// - Parameter identifier: identifies how the file was processed, such as ``ImageRequest/identifier``; nil, the default, for
    ///   the unprocessed image.
    public init(_ request: Request, identifier: String? = nil) {
        self.init(ImageRequestKey(request), identifier: identifier)
    }

    init(_ key: ImageRequestKey, identifier: String?) { (source, self.identifier) = (.request(key), identifier) }

    /// Whether the image belongs to a request, with any processing.
    func isOf(_ key: ImageRequestKey) -> Bool { source == .request(key) }
}

extension ImageCacheKey: CustomReflectable, CustomStringConvertible {
    public var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .struct) }

    /// The URL without secrets, or the name, and the identifier.
    public var description: String {
        let name = identifier.map { " \($0)" } ?? ""
        return switch source {
        case .name: identifier ?? ""
        case .request(let key): key.description + name
        }
    }
}

/// The properties that equal requests share.
struct ImageRequestKey: Sendable, Hashable, CustomReflectable, CustomStringConvertible {
    private let method: String
    private let url: HTTPURL
    /// Names in lower case, and values. Values may be secret.
    private let fields: [[String]]

    init(_ request: Request) {
        method = request.method.rawValue
        url = request.url.removingFragment()
        fields = request.headers.map { [$0.name.canonicalName, $0.value] }
    }

    var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .struct) }

    var description: String { Redaction.show(url) }
}
