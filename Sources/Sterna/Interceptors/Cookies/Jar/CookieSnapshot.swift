/// A copy of a jar's cookies.
public struct CookieSnapshot: Sendable, Hashable, Codable {
    /// The cookies, in the order in which they were first set.
    public var cookies: [Cookie]

    /// Makes a snapshot of cookies.
    public init(cookies: [Cookie] = []) { self.cookies = cookies }
}

extension CookieSnapshot: CustomStringConvertible, CustomReflectable {
    /// The number of cookies.
    public var description: String { "\(cookies.count) cookies" }

    /// Shows only the number of cookies.
    public var customMirror: Mirror { Mirror(self, children: ["count": cookies.count], displayStyle: .struct) }
}
