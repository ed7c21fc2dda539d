public import SternaCore
import SternaPlatform

extension PropertyList {
    /// Makes a dictionary from parameters. Sets become arrays in ascending order, and decimals become doubles.
    ///
    /// - Throws: `ParameterError` with the key path of null, which a property list cannot represent, of a number that is not
    ///   finite, or of containers nested deeper than ``maximumDepth``.
    public init(_ parameters: Parameters) throws(ParameterError) {
        self = try Self.dictionary(parameters, depth: 1)
    }

    /// Makes a tree from a single value, by the rules of ``init(_:)-(Parameters)``.
    ///
    /// - Throws: `ParameterError` as ``init(_:)-(Parameters)`` does.
    public init(_ value: ParameterValue) throws(ParameterError) {
        try self.init(value, depth: 0)
    }

    private init(_ value: ParameterValue, depth: Int) throws(ParameterError) {
        switch value {
        case .null: throw ParameterError(.notEncodable("a property list cannot represent null"))
        case .bool(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .unsigned(let value): self = Int64(exactly: value).map { .integer($0) } ?? .unsigned(value)
        case .double(let value):
            guard value.isFinite else { throw ParameterError(.nonFiniteNumber) }
            self = .real(value)
        case .decimal(let value):
            // A property list has no decimals.
            guard let number = Double(value.description), number.isFinite else {
                throw ParameterError(.nonFiniteNumber)
            }
            self = .real(number)
        case .string(let value): self = .string(value)
        case .date(let value): self = .date(value)
        case .data(let value): self = .data(value)
        case .array(let elements): self = try Self.array(elements, depth: depth + 1)
        case .set(let elements): self = try Self.array(elements.sorted { $0.precedes($1) }, depth: depth + 1)
        case .dictionary(let parameters): self = try Self.dictionary(parameters, depth: depth + 1)
        }
    }

    private static func dictionary(_ parameters: Parameters, depth: Int) throws(ParameterError) -> PropertyList {
        guard depth <= maximumDepth else { throw ParameterError(.tooDeep(limit: maximumDepth)) }
        var values: [String: PropertyList] = [:]
        values.reserveCapacity(parameters.count)
        // Arrays, which are faster than the iterator of another module.
        for (key, value) in zip(parameters.keys, parameters.values) {
            do { values[key] = try PropertyList(value, depth: depth) } catch { throw error.under(.key(key)) }
        }
        return .dictionary(values)
    }

    private static func array(_ elements: [ParameterValue], depth: Int) throws(ParameterError) -> PropertyList {
        guard depth <= maximumDepth else { throw ParameterError(.tooDeep(limit: maximumDepth)) }
        var values: [PropertyList] = []
        values.reserveCapacity(elements.count)
        for index in elements.indices {
            do { values.append(try PropertyList(elements[index], depth: depth)) } catch {
                throw error.under(.index(index))
            }
        }
        return .array(values)
    }
}
