/// Settings of policies for one request, under typed keys.
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
/// An interceptor reads `request.options[TenantKey.self]`. A session's options apply to all its requests. A request's closure reads
/// the session's options, and replaces those that it sets.
public struct RequestOptions: Sendable {
    // Few options are set at once, so a linear search costs less than hashing. An empty array is copied as cheaply as nil.
    @usableFromInline var entries: [OptionEntry] = []

    public init() {}

    /// Whether no option is set.
    @inlinable public var isEmpty: Bool { entries.isEmpty }

    /// The value of a key, or the key's default.
    // Inlined, like the next, since most requests have no options: otherwise the runtime would look up the type of each key's value
    // first, and load the code of all policies into memory.
    @inlinable
    public subscript<Key: RequestOptionKey>(key: Key.Type) -> Key.Value {
        get { self[ifSet: key] ?? Key.defaultValue }
        set { self[ifSet: key] = newValue }
    }

    /// The value of a key; nil if none was set. Setting nil restores the default.
    @inlinable
    public subscript<Key: RequestOptionKey>(ifSet key: Key.Type) -> Key.Value? {
        get {
            guard !entries.isEmpty, let index = index(of: ObjectIdentifier(key)) else { return nil }
            return value(at: index, of: key)
        }
        set { setValue(newValue, of: key) }
    }

    @usableFromInline
    func value<Key: RequestOptionKey>(at index: Int, of key: Key.Type) -> Key.Value { entry(at: index, of: key).value }

    /// Reads a value in place, which copies nothing of a large one; returns nil if none was set.
    @inlinable
    package func read<Key: RequestOptionKey, Result>(_ key: Key.Type, _ read: (Key.Value) -> Result) -> Result? {
        guard !entries.isEmpty, let index = index(of: ObjectIdentifier(key)) else { return nil }
        return read(entry(at: index, of: key).value)
    }

    @inlinable
    func entry<Key: RequestOptionKey>(at index: Int, of key: Key.Type) -> Entry<Key> {
        // Only entries of this type have its identifier.
        unsafeDowncast(entries[index], to: Entry<Key>.self)
    }

    @usableFromInline
    mutating func setValue<Key: RequestOptionKey>(_ value: Key.Value?, of key: Key.Type) {
        // Not a switch over both, for which the runtime would look up the tuple's type.
        guard let index = index(of: ObjectIdentifier(key)) else {
            if let value { entries.append(Entry<Key>(value)) }
            return
        }
        if let value { entries[index] = Entry<Key>(value) } else { entries.remove(at: index) }
    }

    /// Whether these are the options of another value, neither changed nor merged since they were copied.
    package func isCopy(of other: RequestOptions) -> Bool {
        entries.count == other.entries.count && entries.elementsEqual(other.entries, by: ===)
    }

    /// Merges other options, which replace those with the same keys.
    package mutating func merge(_ others: RequestOptions) {
        guard !entries.isEmpty else { return self = others }
        for entry in others.entries {
            if let index = index(of: entry.key) {
                entries[index] = entry.over(entries[index])
            } else {
                entries.append(entry)
            }
        }
    }

    /// The value of a key. Editing a value in place that was not set records the changed properties: ``merge(_:)`` replaces only
    /// those.
    package subscript<Key: RequestOptionKey>(edited key: Key.Type) -> Key.Value where Key.Value: EditedValue {
        get { self[key] }
        set { self[key] = newValue }
        _modify {
            var value = editedValue(of: key)
            defer { setEditedValue(value, of: key) }
            yield &value
        }
    }

    /// Returns the value that a key has after merging these options into others.
    package func value<Key: RequestOptionKey>(of key: Key.Type, over others: RequestOptions) -> Key.Value
    where Key.Value: EditedValue {
        guard let index = index(of: ObjectIdentifier(key)) else { return others[key] }
        return (entries[index] as? EditedEntry<Key>)?.edited.over(others[key]) ?? value(at: index, of: key)
    }

    /// The value of a key with its recorded edits; nil if none were recorded.
    package subscript<Key: RequestOptionKey>(recorded key: Key.Type) -> Key.Value? where Key.Value: EditedValue {
        index(of: ObjectIdentifier(key)).flatMap { (entries[$0] as? EditedEntry<Key>)?.edited }
    }

    private func editedValue<Key: RequestOptionKey>(of key: Key.Type) -> Key.Value where Key.Value: EditedValue {
        guard let index = index(of: ObjectIdentifier(key)) else {
            var value = Key.defaultValue
            value.record()
            return value
        }
        return (entries[index] as? EditedEntry<Key>)?.edited ?? value(at: index, of: key)
    }

    private mutating func setEditedValue<Key: RequestOptionKey>(_ value: Key.Value, of key: Key.Type)
    where Key.Value: EditedValue {
        guard value.edits.isRecording else { return self[key] = value }
        let entry = EditedEntry<Key>(edited: value)
        if let index = index(of: ObjectIdentifier(key)) { entries[index] = entry } else { entries.append(entry) }
    }

    /// Returns the values of all set options for comparison; nil if one of them cannot be compared.
    ///
    /// - Parameter keys: the keys of options to leave out.
    package func compared(except keys: [ObjectIdentifier]) -> ComparedOptions? {
        var values: [ObjectIdentifier: AnyHashable] = [:]
        for entry in entries where !keys.contains(entry.key) {
            guard let value = entry.hashable else { return nil }
            values[entry.key] = value
        }
        return ComparedOptions(values: values)
    }

    @usableFromInline
    func index(of key: ObjectIdentifier) -> Int? { entries.firstIndex { $0.key == key } }
}

/// An option with its key; see ``Entry``, its subclass.
// Invariant: it never changes, and its value is Sendable.
@usableFromInline
class OptionEntry: @unchecked Sendable {
    let key: ObjectIdentifier

    init(_ key: ObjectIdentifier) { self.key = key }

    /// The value for comparison; nil if it cannot be compared.
    var hashable: AnyHashable? { nil }

    /// The key's name and the value as the key formats it; nil for a key without a name.
    var child: (label: String, value: Any)? { nil }

    /// Returns the entry that replaces another one of the same key.
    func over(_ other: OptionEntry) -> OptionEntry { self }
}

// Invariant: that of its superclass.
@usableFromInline
class Entry<Key: RequestOptionKey>: OptionEntry, @unchecked Sendable {
    @usableFromInline let value: Key.Value

    init(_ value: Key.Value) {
        self.value = value
        super.init(ObjectIdentifier(Key.self))
    }

    override var hashable: AnyHashable? { (value as? any Hashable).map { AnyHashable($0) } }

    override var child: (label: String, value: Any)? { Key.name.map { ($0, Key.shown(value)) } }
}

/// An option with recorded edits.
// Invariant: that of its superclass.
private final class EditedEntry<Key: RequestOptionKey>: Entry<Key>, @unchecked Sendable where Key.Value: EditedValue {
    /// The value with its recorded edits. Readers receive the settled value.
    let edited: Key.Value

    init(edited: Key.Value) {
        self.edited = edited
        super.init(edited.settled)
    }

    override func over(_ other: OptionEntry) -> OptionEntry {
        if let other = other as? EditedEntry<Key> { return EditedEntry(edited: edited.over(other.edited)) }
        // Only entries of this key are compared with it.
        return Entry<Key>(edited.over(unsafeDowncast(other, to: Entry<Key>.self).value))
    }
}

extension RequestOptions: CustomReflectable {
    /// Shows the values of named keys, as the keys format them.
    public var customMirror: Mirror {
        let children = entries.compactMap(\.child).sorted { $0.label < $1.label }
        return Mirror(self, children: children.map { (label: $0.label, value: $0.value) })
    }
}

/// The options of a request for comparison.
// Invariant: all values come from options, where they are Sendable; they are never changed.
package struct ComparedOptions: Hashable, @unchecked Sendable {
    fileprivate let values: [ObjectIdentifier: AnyHashable]
}

/// A key of ``RequestOptions``: a type of the policy that reads it.
public protocol RequestOptionKey: SendableMetatype {
    associatedtype Value: Sendable

    /// The value if the option is not set.
    static var defaultValue: Value { get }

    /// The name in mirrors of settings and requests; nil, the default, hides the value.
    static var name: String? { get }

    /// Returns the value to show in mirrors, which must not contain secrets; the value itself by default.
    static func shown(_ value: Value) -> Any
}

extension RequestOptionKey {
    public static var name: String? { nil }

    public static func shown(_ value: Value) -> Any { value }
}
