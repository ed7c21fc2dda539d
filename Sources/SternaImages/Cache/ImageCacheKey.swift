import HTTPTypes
public import SternaCore

/// What tells an image in a cache: the request it came by, and how it was made of the file; or a name of the program's own.
public struct ImageCacheKey: Sendable, Hashable {
    private enum Source: Sendable, Hashable {
        case name
        case request(ImageRequestKey)
    }

    private let source: Source
    private let identifier: String?

    /// Makes the key of an image that the program names itself.
    public init(_ identifier: String) { (source, self.identifier) = (.name, identifier) }

    /// Makes the key of an image that came by a request: its method, URL and header fields count.
    ///
    /// - Parameter identifier: how the image was made of the file, such as a filter's ``ImageFilter/identifier``; nil for the file's own.
    public init(_ request: Request, identifier: String? = nil) {
        self.init(ImageRequestKey(request), identifier: identifier)
    }

    init(_ key: ImageRequestKey, identifier: String?) { (source, self.identifier) = (.request(key), identifier) }

    /// Whether the image came by a request, however it was made of the file.
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

/// What equal requests have in common.
struct ImageRequestKey: Sendable, Hashable, CustomReflectable, CustomStringConvertible {
    private let method: String
    private let url: HTTPURL
    /// Names in lower case, and values. They may be secret.
    private let fields: [[String]]

    init(_ request: Request) {
        method = request.method.rawValue
        url = request.url.removingFragment()
        fields = request.headers.map { [$0.name.canonicalName, $0.value] }
    }

    var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .struct) }

    var description: String { Redaction.show(url) }
}
