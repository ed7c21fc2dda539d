// Only Linux's toolchain shows this part of the standard library.
#if os(Linux)
@_spi(Reflection) import Swift

/// The stored properties of types, which a custom mirror hides.
enum StoredProperties {
    /// Returns the names of a structure's stored properties.
    static func names(of type: any Any.Type) -> [String] {
        var names: [String] = []
        _forEachField(of: type) { name, _, _, _ in
            names.append(String(cString: name))
            return true
        }
        return names
    }
}
#endif
