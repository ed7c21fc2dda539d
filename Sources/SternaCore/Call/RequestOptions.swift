/// Settings of policies for one request, under typed keys that the policies own.
///
///     enum TenantKey: RequestOptionKey { static let defaultValue = "public" }
///
///     extension RequestSettings {
///         var tenant: String {
///             get { options[TenantKey.self] }
///             set { options[TenantKey.self] = newValue }
///         }
///     }
///
/// An interceptor reads `request.options[TenantKey.self]`. A session's options apply to all its requests; a request's options
/// replace them.
public struct RequestOptions: Sendable {
    private struct Entry: Sendable {
        let key: any RequestOptionKey.Type
        let value: any Sendable
    }

    // Nil while no option is set, because nil copies faster than an empty dictionary.
    private var entries: [ObjectIdentifier: Entry]?

    public init() {}

    /// Whether no option is set.
    public var isEmpty: Bool { entries?.isEmpty ?? true }

    /// The value under a key, or the key's default.
    public subscript<Key: RequestOptionKey>(key: Key.Type) -> Key.Value {
        get { self[ifSet: key] ?? Key.defaultValue }
        set { self[ifSet: key] = newValue }
    }

    /// The value under a key; nil if none was set. Setting nil restores the default.
    public subscript<Key: RequestOptionKey>(ifSet key: Key.Type) -> Key.Value? {
        get {
            guard let entries else { return nil }
            return entries[ObjectIdentifier(key)]?.value as? Key.Value
        }
        set { own[ObjectIdentifier(key)] = newValue.map { Entry(key: key, value: $0) } }
    }

    /// Merges other options, which replace those of the same keys.
    public mutating func merge(_ others: RequestOptions) {
        guard let added = others.entries else { return }
        guard entries != nil else { return self = others }
        own.merge(added) { _, new in new }
    }

    /// Returns the values of all options that are set, for comparison; nil if one of them cannot be compared.
    ///
    /// - Parameter keys: the keys of options that do not matter.
    package func compared(except keys: Set<ObjectIdentifier>) -> ComparedOptions? {
        var values: [ObjectIdentifier: AnyHashable] = [:]
        for (key, entry) in entries ?? [:] where !keys.contains(key) {
            guard let value = entry.value as? any Hashable else { return nil }
            values[key] = AnyHashable(value)
        }
        return ComparedOptions(values: values)
    }

    private var own: [ObjectIdentifier: Entry] {
        get { entries ?? [:] }
        _modify {
            var values = entries.take() ?? [:]
            defer { entries = values }
            yield &values
        }
    }
}

extension RequestOptions: CustomReflectable {
    /// Shows the values of named keys, as the keys format them.
    public var customMirror: Mirror {
        let children = own.values.compactMap(Self.child).sorted { $0.label < $1.label }
        return Mirror(self, children: children.map { (label: $0.label, value: $0.value) })
    }

    private static func child(_ entry: Entry) -> (label: String, value: Any)? {
        func open<Key: RequestOptionKey>(_ key: Key.Type) -> (label: String, value: Any)? {
            guard let name = Key.name, let value = entry.value as? Key.Value else { return nil }
            return (name, Key.shown(value))
        }
        return open(entry.key)
    }
}

/// The options of a request as a value that can be compared.
// Invariant: all values come from options, and are Sendable there; they are never changed.
package struct ComparedOptions: Hashable, @unchecked Sendable {
    fileprivate let values: [ObjectIdentifier: AnyHashable]
}

/// A key of ``RequestOptions``: a type of the policy that reads it.
public protocol RequestOptionKey: SendableMetatype {
    associatedtype Value: Sendable

    /// The value if none was set.
    static var defaultValue: Value { get }

    /// The name for printing settings and requests; nil, the default, hides the value.
    static var name: String? { get }

    /// Returns the printed form of the value; the value itself by default. Leave secrets out.
    static func shown(_ value: Value) -> Any
}

extension RequestOptionKey {
    public static var name: String? { nil }

    public static func shown(_ value: Value) -> Any { value }
}
