extension Parameters {
    /// Makes parameters from a dictionary of `Any` values, for code that receives them from an untyped interface.
    ///
    /// It accepts ``ParameterConvertible`` types, `NSNull` for null, and nested `[String: Any]`, `[Any]`, sets, optionals and
    /// `AnyHashable` of them. Keys are in ascending order, since a dictionary is unordered. Nil values of dictionaries are left
    /// out.
    ///
    /// - Throws: ``ParameterError`` with the key path of a value of another type, of a key that is not a string, or of
    ///   containers nested deeper than ``maximumDepth``.
    public init(untyped dictionary: [String: Any]) throws(ParameterError) {
        try self.init(untyped: dictionary, depth: 1)
    }

    private init(untyped dictionary: [String: Any], depth: Int) throws(ParameterError) {
        self.init()
        for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) where !isNil(value) {
            do {
                set(try ParameterValue(untyped: value, depth: depth), for: key)
            } catch {
                throw error.under(.key(key))
            }
        }
    }

    fileprivate init(untyped dictionary: [AnyHashable: Any], depth: Int) throws(ParameterError) {
        var named: [String: Any] = [:]
        for (key, value) in dictionary {
            guard let name = key.base as? String else {
                throw ParameterError(.unsupportedKey("\(type(of: key.base))"))
            }
            named[name] = value
        }
        try self.init(untyped: named, depth: depth)
    }
}

extension ParameterValue {
    fileprivate init(untyped value: Any, depth: Int) throws(ParameterError) {
        if let optional = value as? any AnyOptional {
            guard let wrapped = optional.wrappedValue else {
                self = .null
                return
            }
            // Wrappers may be nested, so each counts as a level.
            try self.init(untyped: wrapped, depth: Self.deeper(depth))
        } else if let convertible = value as? any ParameterConvertible {
            self = convertible.parameterValue
        } else if type(of: value) == AnyHashable.self, let hashable = value as? AnyHashable {
            try self.init(untyped: hashable.base, depth: Self.deeper(depth))
        } else if let dictionary = value as? [AnyHashable: Any] {
            self = .dictionary(try Parameters(untyped: dictionary, depth: Self.deeper(depth)))
        } else if let set = value as? Set<AnyHashable> {
            let elements = try Self.elements(set.map(\.base), depth: Self.deeper(depth))
            self = .set(elements.sorted { $0.precedes($1) })
        } else if let array = value as? [Any] {
            self = .array(try Self.elements(array, depth: Self.deeper(depth)))
        } else if "\(type(of: value))" == "NSNull" {
            // Foundation's `NSNull`, which this module does not import: JSONSerialization and Objective-C code use it for null.
            self = .null
        } else {
            throw ParameterError(.unsupportedType("\(type(of: value))"))
        }
    }

    private static func elements(_ values: [Any], depth: Int) throws(ParameterError) -> [ParameterValue] {
        var elements: [ParameterValue] = []
        elements.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            do {
                elements.append(try ParameterValue(untyped: value, depth: depth))
            } catch {
                throw error.under(.index(index))
            }
        }
        return elements
    }

    private static func deeper(_ depth: Int) throws(ParameterError) -> Int {
        guard depth < Parameters.maximumDepth else { throw ParameterError(.tooDeep(limit: Parameters.maximumDepth)) }
        return depth + 1
    }
}
