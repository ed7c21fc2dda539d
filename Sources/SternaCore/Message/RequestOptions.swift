/// What policies are told for one request, under typed keys that the policies own.
public struct RequestOptions: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    public init() {}

    /// The value under a key, or the key's default.
    public subscript<Key: RequestOptionKey>(key: Key.Type) -> Key.Value {
        get {
            guard !values.isEmpty else { return Key.defaultValue }
            return values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue
        }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}

/// A key of `RequestOptions`; a type of the policy that reads it.
public protocol RequestOptionKey {
    associatedtype Value: Sendable

    /// What holds where nothing was set.
    static var defaultValue: Value { get }
}
